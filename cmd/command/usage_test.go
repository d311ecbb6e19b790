package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

func TestWordsOfWrongCommandLines(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"doctor", "x"}, "1 argument given"},
		{[]string{"doctor", "x", "y"}, "2 arguments given"},
		{[]string{"train", "--epochs", "many"}, `--epochs "many" is not a whole number:`},
		{[]string{"train", "--epochs", "99999999999999999999"}, "not a whole number in the range of 64 bits"},
		{[]string{"train", "--data", "shapes10", "--train", "1000000000"}, "it has at most 1,000,000"},
		{[]string{"train", "--gamma", "big"}, `--gamma "big" is not a number`},
	} {
		_, stderr, status := execute(t, append(c.args, "--runs", t.TempDir())...)
		if status != exitUsage || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "strconv") {
			t.Errorf("%v: status %d and %q, want %d and %q without names of Go", c.args, status, stderr, exitUsage, c.want)
		}
	}
}

func TestEstimateTextCounts(t *testing.T) {
	config := nbbnn.Config{Training: nbbnn.Training{Epochs: 1}}
	got := estimateText(config, nbbnn.Cost{StepSeconds: 0.05, EpochSeconds: 0.05, TotalSeconds: 0.05, Steps: 1, Memory: 2e9})
	if want := "allcnnc, width 96, shapes10 · 1 step an epoch · 50.0 ms a step, 50.0 ms an epoch, 50.0 ms for 1 epoch · about "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q and the memory", got, want)
	}
}

// A second call wrote no card, and says where the card is.
func TestTrainSaysWhatItWrote(t *testing.T) {
	runs := t.TempDir()
	for _, want := range []string{"\nwrote    ", "\ncard     "} {
		stdout, stderr, status := execute(t, append(tinyRun(runs), "--epochs", "1")...)
		if status != exitDone || !strings.Contains(stdout, want) || !strings.Contains(stdout, "trained  1 epoch in") {
			t.Errorf("status %d, %s%s: want %q and one epoch", status, stdout, stderr, want)
		}
	}
}

// The data set is looked for before anything is computed.
func TestTrainLooksForTheDataFirst(t *testing.T) {
	t.Setenv("NBBNN_DATA", filepath.Join(t.TempDir(), "empty"))
	runs := t.TempDir()
	_, stderr, status := execute(t, "train", "--network", "allcnnc", "--width", "2", "--data", "cifar10", "--runs", runs)
	if status == exitDone || strings.Contains(stderr, "plan     ") || !strings.Contains(stderr, "cifar10") {
		t.Errorf("status %d, %q: want an error about cifar10 and no plan before it", status, stderr)
	}
	if left, err := os.ReadDir(runs); err != nil || len(left) > 0 {
		t.Errorf("%v (%v) is left, want nothing", left, err)
	}
}

func TestCompressSaysThatItStretches(t *testing.T) {
	args := []string{"--data", "shapes10", "--width", "2", "--train", "32", "--test", "16", "--batch", "8", "--samples", "1"}
	for epochs, want := range map[string]bool{"9": false, "91": true} {
		_, stderr, status := execute(t, append([]string{"train", "--plan", "--preset", "allcnnc-cifar10-m16", "--compress", epochs}, args...)...)
		if got := strings.Contains(stderr, "stretches the schedule, from 90 to 91 epochs"); got != want || status != exitDone {
			t.Errorf("--compress %s: status %d, %q; a note is wanted: %v", epochs, status, stderr, want)
		}
	}
}

func TestEvaluateSaysHowManySamplesZeroMeans(t *testing.T) {
	runs := t.TempDir()
	if _, stderr, status := execute(t, append(tinyRun(runs), "--epochs", "1")...); status != exitDone {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	_, stderr, status := execute(t, "evaluate", filepath.Join(runs, onlyRun(t, runs)), "--samples", "0", "--images", "2")
	if status != exitDone || !strings.Contains(stderr, " 32 samples") {
		t.Errorf("status %d, %q: want 32 samples", status, stderr)
	}
}

func onlyRun(t *testing.T, runs string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(runs, "*", "config.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%d runs, error %v, want one", len(names), err)
	}
	return filepath.Base(filepath.Dir(names[0]))
}

// The help of DAMP's option says what its default costs.
func TestHelpSaysWhatSubBatchesCost(t *testing.T) {
	stdout, _, _ := execute(t, "train", "--help-all")
	const want = "takes about as long as map; each further part adds to that (docs/numbers.md)"
	if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
		t.Errorf("the help lacks %q:\n%s", want, stdout)
	}
}
