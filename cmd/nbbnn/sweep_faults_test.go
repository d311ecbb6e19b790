//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Two sweeps of the same manifest at once do every point once: nothing is lost or done twice, and the
// results are those of a sweep alone.
func TestTwoSweepsAtOnce(t *testing.T) {
	folder := t.TempDir()
	manifest, runs, alone := planTiny(t, folder), filepath.Join(folder, "runs"), filepath.Join(folder, "alone")
	t.Setenv(asCommand, "1")
	sweeps := make([]*exec.Cmd, 2)
	for i := range sweeps {
		sweeps[i] = exec.Command(os.Args[0], "sweep", "run", "--manifest", manifest, "--runs", runs, "--parallel", "2")
		if err := sweeps[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, sweep := range sweeps {
		_ = sweep.Wait()
		// 75: the other sweep was still at work on some points.
		if status := sweep.ProcessState.ExitCode(); status != exitDone && status != exitStopped {
			t.Errorf("sweep %d ended with status %d", i, status)
		}
	}
	wantStatus(t, exitDone, "4 points: 4 done", "sweep", "status", "--manifest", manifest, "--runs", runs)
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

// A disk that is full in the middle of a training is a failure that a repetition may cure. Then the
// point continues with what was saved, and ends with the same weights.
func TestFullDiskInTheMiddle(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here, whose ulimit makes writes fail")
	}
	folder := t.TempDir()
	manifest, runs, roomy := planTiny(t, folder), filepath.Join(folder, "runs"), filepath.Join(folder, "roomy")
	point := func(runs string) []string {
		return []string{"run", "--manifest", manifest, "--index", "0", "--runs", runs}
	}
	full := exec.Command(shell, append([]string{"-c", `ulimit -f 4; exec "$0" "$@"`, os.Args[0]}, point(runs)...)...)
	full.Env = append(os.Environ(), asCommand+"=1")
	text, _ := full.CombinedOutput()
	if status := full.ProcessState.ExitCode(); status != exitFailed || !strings.Contains(string(text), "can't be written") {
		t.Errorf("exit status %d, want %d: %s", status, exitFailed, text)
	}
	wantStatus(t, exitDone, "1 failed, 3 waiting", "sweep", "status", "--manifest", manifest, "--runs", runs)
	wantStatus(t, exitDone, "done", point(runs)...)
	wantStatus(t, exitDone, "done", point(roomy)...)
	if got, want := weights(t, runs), weights(t, roomy); len(got) != 1 || !slices.Equal(got, want) {
		t.Errorf("weights and levels %v, want %v", got, want)
	}
}

// The directory of a newer version is a failure of its point alone. Nothing in it changes.
func TestSweepWithARunOfANewerVersion(t *testing.T) {
	folder := t.TempDir()
	manifest, runs := planTiny(t, folder), filepath.Join(folder, "runs")
	wantStatus(t, exitDone, "done", "run", "--manifest", manifest, "--index", "0", "--runs", runs)
	cards, err := filepath.Glob(filepath.Join(runs, "*", "card.json"))
	if err != nil || len(cards) != 1 {
		t.Fatal(cards, err)
	}
	for _, name := range []string{"card.json", "config.json"} {
		path := filepath.Join(filepath.Dir(cards[0]), name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		newer := strings.Replace(string(before), "{", `{"novelty": 1,`, 1)
		if err := os.WriteFile(path, []byte(newer), 0o644); err != nil {
			t.Fatal(err)
		}
		_, stderr, status := execute(t, "run", "--manifest", manifest, "--index", "0", "--runs", runs)
		if status == exitDone || !strings.Contains(stderr, "update this program") {
			t.Errorf("%s: exit status %d: %s", name, status, stderr)
		}
		wantStatus(t, exitDone, "1 failed, 3 waiting", "sweep", "status", "--manifest", manifest, "--runs", runs)
		if after, err := os.ReadFile(path); err != nil || string(after) != newer {
			t.Errorf("%s changed (%v): %s", name, err, after)
		}
		if err := os.WriteFile(path, before, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
