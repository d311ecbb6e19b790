//go:build unix

// Package scripts tests the programs of this folder.
package scripts

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gpuScript runs gpu.sh at toy size on the processor, in a work folder with this tree's program, and kills it after a while
// unless that is zero.
func gpuScript(t *testing.T, work string, kill time.Duration, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", append([]string{"gpu.sh"}, arguments...)...)
	command.Env = append(os.Environ(), "NBBNN_GPU_WORK="+work, "NBBNN_GPU_TOY=1", "GOMLX_BACKEND=go")
	var output strings.Builder
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = ownGroup()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if kill > 0 {
		timer := time.AfterFunc(kill, func() { killGroup(command.Process.Pid) })
		defer timer.Stop()
	}
	if err := command.Wait(); err != nil && kill == 0 {
		t.Fatalf("gpu.sh %v: %v\n%s", arguments, err, output.String())
	}
	return output.String()
}

// compress writes a file as the script expects the program.
func compress(t *testing.T, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = source.Close() }()
	target, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	packer, _ := gzip.NewWriterLevel(target, gzip.BestSpeed)
	if _, err := io.Copy(packer, source); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
}

// card is what two trainings of the same run have in common.
type card struct {
	Run           string `json:"run"`
	WeightsSHA256 string `json:"weights_sha256"`
}

// A run of the script that's killed in the middle, and begun again, ends with the same weights as one that isn't.
func TestGPUScriptGoesOn(t *testing.T) {
	for _, program := range []string{"bash", "python3", "timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("scripts/gpu.sh was not tested: %v", err)
		}
	}
	brought := t.TempDir()
	program := filepath.Join(brought, "nbbnn")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../cmd/nbbnn").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	compress(t, program, filepath.Join(brought, "nbbnn.gz"))
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	var results [2][]card
	for i, kill := range []time.Duration{0, 2 * time.Second} {
		work, out := t.TempDir(), t.TempDir()
		gpuScript(t, work, 0, "put", brought)
		if kill > 0 {
			gpuScript(t, work, kill, "run", "--minutes", "5", "--out", out)
		}
		output := gpuScript(t, work, 0, "run", "--minutes", "5", "--out", out)
		if strings.Contains(output, "FAILED") {
			t.Fatalf("a step failed:\n%s", output)
		}
		data, err := os.ReadFile(filepath.Join(out, "cards.json"))
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		if err := json.Unmarshal(data, &results[i]); err != nil || len(results[i]) != 2 {
			t.Fatalf("cards %s, error %v, want two\n%s", data, err, output)
		}
	}
	for i, want := range results[0] {
		if got := results[1][i]; got != want {
			t.Errorf("after a kill: card %+v, want %+v", got, want)
		}
	}
}

func TestGPUScriptSaysWhatIsMissing(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"run", "--minutes", "1"}, "--out is missing"},
		{[]string{"run", "--out", t.TempDir()}, "bring it with 'put'"},
		{[]string{"put", "nowhere"}, "was it carried?"},
		{nil, "scripts/gpu.sh prepare"},
	} {
		if got := gpuScript(t, t.TempDir(), time.Minute, test.arguments...); !strings.Contains(got, test.want) {
			t.Errorf("gpu.sh %v prints %q, want it to say %q", test.arguments, got, test.want)
		}
	}
}
