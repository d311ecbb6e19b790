package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

func TestPrintEpochs(t *testing.T) {
	var out strings.Builder
	a := &app{streams: streams{out: &out}}
	config := nbbnn.Config{}
	config.Training.Epochs = 4
	history := []nbbnn.Epoch{{Entropy: 90}, {Epoch: 1, NLL: 0.5, Error: 0.125, Entropy: 81.25,
		KL: 3, Beta: 1, Seconds: 10}, {Epoch: 2, Seconds: 20}}
	testkit.NoError(t, printEpochs(a, config, history, 1, true))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2:\n%s", len(lines), out.String())
	}
	const want = "epoch 1/4   NLL 0.500   err 12.5%   entropy 81.2   KL 3.0   beta 1.00   10.0 s"
	if lines[0] != want {
		t.Errorf("got  %q\nwant %q, without the time that was left then", lines[0], want)
	}
	// two epochs of 15 s
	if left := quantity.Span(30*time.Second) + " left"; !strings.HasSuffix(lines[1], left) {
		t.Errorf("got %q, want %q at its end", lines[1], left)
	}
}

func TestWatchWithoutTraining(t *testing.T) {
	run, err := nbbnn.Open(t.TempDir(),
		nbbnn.Config{Network: nbbnn.Network{Name: "allcnnc", Width: 4},
			Data: nbbnn.Data{Name: "shapes10"}})
	testkit.NoError(t, err)
	var out, errors strings.Builder
	a := &app{streams: streams{out: &out, err: &errors}}
	testkit.NoError(t, watchRun(t.Context(), a, run, true))
	if got, want := out.String(), "not begun; no process trains this run\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A run that no process trains ends the watching, with the command that continues it, at once or
// when its training stops.
func TestWatchOfAStoppedTraining(t *testing.T) {
	run := stoppedRun(t, filepath.Join(t.TempDir(), "my runs"), 7)
	for _, training := range []time.Duration{0, 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			if training > 0 {
				unlock := testkit.Must(files.Lock(filepath.Join(run.Directory(), "lock")))(t)
				time.AfterFunc(training-time.Second/2, unlock)
			}
			_, stderr, status := execute(t, "runs", "watch", run.Directory())
			const want = "; no process trains this run: `nbbnn train --config '"
			if waited := time.Since(began); status != exitFailed ||
				!strings.Contains(stderr, want) || waited != training {
				t.Errorf("status %d after %v, %q, want %d after %v and %q", status, waited, stderr,
					exitFailed, training, want)
			}
		})
	}
}

// What there is already is shown by its latest epochs, however many there are.
func TestWatchOnceShowsTheLatestEpochs(t *testing.T) {
	run := stoppedRun(t, t.TempDir(), 1)
	writeHistory(t, run, 9)
	stdout, _, status := execute(t, "runs", "watch", run.Directory(), "--once")
	printed := strings.Split(strings.TrimSpace(stdout), "\n")
	if status != exitDone || len(printed) != 6 || !strings.HasPrefix(printed[0], "epoch 4/3 ") ||
		printed[5] != "not complete: epoch 8 is the last on the disk; no process trains this run" {
		t.Errorf("status %d,\n%swant the epochs 4 to 8 and that nobody is training", status, stdout)
	}
	unlock := testkit.Must(files.Lock(filepath.Join(run.Directory(), "lock")))(t)
	defer unlock()
	if stdout, _, _ := execute(t, "runs", "watch", run.Directory(), "--once"); !strings.HasSuffix(
		stdout, "last on the disk; it is being trained\n") {
		t.Errorf("got\n%swant that it is being trained", stdout)
	}
	if stdout, _, _ := execute(t, "runs", "watch", run.Directory(), "--once",
		"--json"); strings.Count(stdout, "\n") != 9 {
		t.Errorf("got\n%swant all lines", stdout)
	}
}

// Of a complete run people see the latest epochs once, and programs every line of the file.
func TestWatchOfACompleteRun(t *testing.T) {
	runs := t.TempDir()
	wantStatus(t, exitDone, "", tinyRun(runs)...)
	files, err := filepath.Glob(filepath.Join(runs, "*", "train.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v (%v), want one run", files, err)
	}
	want := testkit.Must(os.ReadFile(files[0]))(t)
	records := regexp.MustCompile(`,"sha256":"[0-9a-f]{16}"`).ReplaceAllString(string(want), "")
	if stdout, stderr, _ := execute(t, "runs", "watch", filepath.Dir(files[0]),
		"--json"); stdout != records {
		t.Errorf("--json prints (%s)\n%swant\n%s", stderr, stdout, records)
	}
	stdout, _, _ := execute(t, "runs", "watch", filepath.Dir(files[0]))
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "epoch 2/2 ") ||
		strings.Contains(stdout, "left") || lines[2] != "complete" {
		t.Errorf("got\n%swant both epochs, without a time that is left, and that the run is "+
			"complete", stdout)
	}
}
