//go:build unix && attack

package gpu

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// card is what two trainings of the same run have in common.
type card struct {
	Run         string `json:"run"`
	StateSHA256 string `json:"state_sha256"`
}

// A run of the script that's killed in the middle, and begun again, ends with the same weights as
// one that isn't.
func TestGPUScriptGoesOn(t *testing.T) {
	needPrograms(t)
	brought := t.TempDir()
	for name, build := range map[string]string{
		"nbbnn": "build ../../cmd/nbbnn -o", "bench": "build ../bench -o",
		"agree": "test ../../internal/trial -c -o",
	} {
		program, words := filepath.Join(brought, name), strings.Fields(build)
		// the package last
		arguments := append(slices.Concat(words[:1], words[2:]), program, words[1])
		if output, err := exec.CommandContext(t.Context(), "go",
			arguments...).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, output)
		}
		compress(t, program, program+".xz")
		if err := os.Remove(program); err != nil {
			t.Fatal(err)
		}
	}
	var results [2][]card
	for i, kill := range []bool{false, true} {
		work, out := t.TempDir(), t.TempDir()
		if output, err := gpuScript(t, work, "put", brought); err != nil {
			t.Fatalf("put: %v\n%s", err, output)
		}
		if kill {
			killAtCheckpoint(t, work, out)
		}
		output, err := gpuScript(t, work, "run", "--minutes", "5", "--out", out)
		if err != nil {
			t.Fatalf("run: %v\n%s", err, output)
		}
		data, err := os.ReadFile(filepath.Join(out, "cards.json"))
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		if err := json.Unmarshal(data, &results[i]); err != nil || len(results[i]) != 3 {
			t.Fatalf("cards %s, error %v, want three\n%s", data, err, output)
		}
	}
	for i, want := range results[0] {
		if got := results[1][i]; got != want {
			t.Errorf("after a kill: card %+v, want %+v", got, want)
		}
	}
}

// killAtCheckpoint begins a run of the script and kills it, with all that it started, when a
// training has its first checkpoint. A pipe that all of them hold open tells when the last one has
// ended.
func killAtCheckpoint(t *testing.T, work, out string) {
	t.Helper()
	command, output := scriptCommand(t, work, "run", "--minutes", "5", "--out", out)
	ended, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.ExtraFiles = []*os.File{held}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = held.Close()
	over := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, ended); close(over) }()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for killed := false; ; {
		select {
		case <-over:
			if _ = command.Wait(); !killed {
				t.Fatalf("the script ended before a checkpoint:\n%s", output)
			}
			return
		case <-look.C:
			if found, _ := filepath.Glob(filepath.Join(work, "runs", "*", "checkpoint")); len(
				found) > 0 && !killed {
				killed = true
				_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
			}
		}
	}
}

// compress writes a program as the script expects it, at the speed of a test.
func compress(t *testing.T, from, to string) {
	t.Helper()
	const script = "import lzma, sys; open(sys.argv[2], " +
		"'wb').write(lzma.compress(open(sys.argv[1], 'rb').read(), preset=0))"
	if output, err := exec.CommandContext(t.Context(), "python3", "-c", script, from,
		to).CombinedOutput(); err != nil {
		t.Fatalf("%s can't be compressed: %v\n%s", from, err, output)
	}
}
