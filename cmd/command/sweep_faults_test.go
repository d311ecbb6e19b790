//go:build unix

package command

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// Two sweeps of the same manifest at once do every point once: nothing is lost or done twice, and
// the results are those of a sweep alone.
func TestTwoSweepsAtOnce(t *testing.T) {
	folder := t.TempDir()
	manifest, runs, alone := planTiny(t, folder), filepath.Join(folder, "runs"),
		filepath.Join(folder, "alone")
	sweeps := make([]*exec.Cmd, 2)
	for i := range sweeps {
		sweeps[i] = exec.Command(os.Args[0], "sweep", "run", "--manifest", manifest, "--runs", runs,
			"--parallel", "2")
		testkit.NoError(t, sweeps[i].Start())
	}
	for i, process := range sweeps {
		_ = process.Wait()
		// 75: the other sweep was still at work on some points.
		if status := process.ProcessState.ExitCode(); status != exitDone && status != exitStopped {
			t.Errorf("sweep %d ended with status %d", i, status)
		}
	}
	wantStatus(t, exitDone, "4 points: 4 done", "sweep", "status", "--manifest", manifest, "--runs",
		runs)
	wantStatus(t, exitDone, "4/4", "sweep", "run", "--manifest", manifest, "--runs", alone)
	if got, want := weights(t, runs), weights(t, alone); len(got) != 4 || !slices.Equal(got, want) {
		t.Errorf("weights and levels %v, want %v", got, want)
	}
	histories, err := filepath.Glob(filepath.Join(runs, "*", "train.jsonl"))
	if err != nil || len(histories) != 4 {
		t.Fatalf("histories %v (%v), want 4", histories, err)
	}
	for _, path := range histories {
		if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != 3 {
			t.Errorf("%s has lost or repeated epochs (%v):\n%s", path, err, text)
		}
	}
}

// The processes of a killed sweep save and end, and the next sweep continues from there.
func TestKilledSweepEndsItsProcesses(t *testing.T) {
	folder := t.TempDir()
	manifest, runs := planTiny(t, folder, "--gamma", "2", "--seeds", "1", "--epochs", "200"),
		filepath.Join(folder, "runs")
	plan := testkit.Must(sweep.Read(manifest))(t)
	point := testkit.Must(plan.Open(runs, 0))(t)
	// The log of the point is a pipe, which ends with the last process that writes to it.
	log := logPath(runs, plan.RunName(0))
	testkit.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(log), 0o755),
		syscall.Mkfifo(log, 0o644)))
	parent := exec.Command(os.Args[0], "sweep", "run", "--manifest", manifest, "--runs", runs)
	testkit.NoError(t, parent.Start())
	pipe, err := os.Open(log)
	testkit.NoError(t, err)
	defer pipe.Close()
	lines := bufio.NewScanner(pipe)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "point ") {
	}
	for history := []nbbnn.Epoch(nil); len(history) < 3; { // until two epochs are trained
		if history, err = point.Run.History(); err != nil {
			t.Fatal(err)
		}
	}
	testkit.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	var said string
	for lines.Scan() {
		said += lines.Text() + "\n"
	}
	if state, _ := point.Run.State(); state.Holder != "" ||
		!strings.Contains(said, "stopped and saved") {
		t.Errorf("the point's process hasn't stopped and saved: %s", said)
	}
	wantStatus(t, exitDone, "1 point: 1 stopped", "sweep", "status", "--manifest", manifest,
		"--runs", runs)
	testkit.NoError(t, os.Remove(log))
	wantStatus(t, exitDone, "1/1", "sweep", "run", "--manifest", manifest, "--runs", runs)
}
