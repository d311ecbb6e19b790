//go:build unix

package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// The ideas of docs/your-own.md, each a program of at most 25 lines, are swept over seeds, killed,
// continued bit for bit, and compared with intervals at equal passes. The command line without them
// compares the runs, and says what it lacks if it has to train one.
func TestIdeasBecomeRuns(t *testing.T) {
	const epochs = 12
	for _, c := range []struct {
		name     string
		flags    []string
		points   int
		baseline string // of the comparison
		idea     string // as compare calls it
		lacks    string
	}{
		{
			"cosine", []string{"--network", "allcnnc", "--width", "2", "--method", "nodebnn,cosine",
				"--gamma", "0,8"}, 6, "node-BNN, gamma 8", "cosine",
			`this program doesn't define "cosine": run the program that trained it, or call baseline.Define`,
		},
		{
			"blocks", []string{"--network", "blocks", "--width", "2", "--gamma", "2", "--latents",
				",block3/* block4/*"}, 4, "node-BNN", "node-BNN, latents block3/*,block4/*",
			`this program doesn't define "blocks": run the program that trained it, or call network.Define`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			source := filepath.Join("..", "..", "docs", "example", c.name)
			if lines := strings.Count(textOf(t, filepath.Join(source, "main.go")),
				"\n"); lines > 25 {
				t.Errorf("the program has %d lines, want at most 25", lines)
			}
			program, manifest := filepath.Join(folder, "own"), filepath.Join(folder, "m.json")
			output, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program,
				"./"+source).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			own := func(arguments ...string) string {
				output, err := exec.Command(program, arguments...).CombinedOutput()
				if err != nil {
					t.Fatalf("own %v: %v\n%s", arguments, err, output)
				}
				return string(output)
			}
			own(append([]string{
				"sweep", "plan", "--manifest", manifest, "--data", "shapes10", "--train", "32",
				"--test", "16", "--epochs", strconv.Itoa(epochs), "--batch", "8", "--samples", "1",
				"--init-std", "0.32", "--seeds", "1..2", "--suite", "fog", "--evaluation-samples",
				"2", "--evaluation-images", "4",
			}, c.flags...)...)
			plan := testkit.Must(sweep.Read(manifest))(t)
			if len(plan.Points) != c.points {
				t.Errorf("%d points, want %d", len(plan.Points), c.points)
			}
			runs, whole := filepath.Join(folder, "runs"), filepath.Join(folder, "whole")
			at := slices.IndexFunc(plan.Points, func(p sweep.Planned) bool {
				return p.Config.Method.Name != "" || p.Config.Network.Latents != ""
			})
			run := filepath.Join(runs, plan.RunName(at))
			killInside(t, program, manifest, runs, filepath.Join(run, "train.jsonl"))
			said := ""
			for range 100 { // the system may take a while to end a killed process
				if said = own("sweep", "status", "--manifest", manifest, "--runs",
					runs); strings.Contains(said, "1 stopped") {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			if !strings.Contains(said, "1 stopped") {
				t.Errorf("after the kill: %s", said)
			}
			own("sweep", "run", "--manifest", manifest, "--runs", runs)
			config := filepath.Join(run, "config.json")
			own("train", "--config", config, "--runs", whole)
			if got, want := sumOf(t, run),
				sumOf(t, filepath.Join(whole, plan.RunName(at))); got != want {
				t.Errorf("the weights after a kill have the SHA-256 %s, want %s", got, want)
			}

			stdout := wantStatus(t, exitDone, "", "compare", "--json", "--baseline", c.baseline,
				"--manifest", manifest, "--runs", runs)
			var methods []comparedMethod
			testkit.NoError(t, json.NewDecoder(strings.NewReader(stdout)).Decode(&methods))
			for _, m := range methods {
				if m.Cost == nil || m.Cost.TrainingPasses != 1 || m.Cost.Epochs != epochs {
					t.Errorf("%s costs %+v, want %d epochs of one pass", m.Name, m.Cost, epochs)
				}
			}
			i := slices.IndexFunc(methods, func(m comparedMethod) bool { return m.Name == c.idea })
			if i < 0 {
				t.Fatalf("no method is called %s:\n%s", c.idea, stdout)
			}
			if d := methods[i].FromBaseline["NLL"]; len(d.Seeds) != 2 || d.Corrupted.N != 2 ||
				!(d.Corrupted.Std > 0) {
				t.Errorf("%s differs from %s by %+v, want the interval of two seeds", c.idea,
					c.baseline, d)
			}
			wantStatus(t, exitUsage, c.lacks, "train", "--config", config, "--seed", "3", "--runs",
				runs)
		})
	}
}

// killInside starts a sweep and kills it with all its processes once a run has trained two epochs.
func killInside(t *testing.T, program, manifest, runs, history string) {
	t.Helper()
	parent := exec.Command(program, "sweep", "run", "--manifest", manifest, "--runs", runs,
		"--parallel", "1")
	parent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	testkit.NoError(t, parent.Start())
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(history); err == nil && strings.Count(string(text), "\n") > 2 {
			break
		}
	}
	group := -parent.Process.Pid
	testkit.NoError(t, syscall.Kill(group, syscall.SIGKILL))
	_ = parent.Wait()
	for end := time.Now().Add(patience); syscall.Kill(group, 0) == nil &&
		time.Now().Before(end); {
		time.Sleep(time.Millisecond) // its processes are killed, not yet gone
	}
}

// sumOf returns the checksum of what a run has trained.
func sumOf(t *testing.T, run string) string {
	t.Helper()
	opened := testkit.Must(nbbnn.OpenDirectory(run))(t)
	return testkit.Must(opened.Card())(t).StateSHA256
}
