package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder that results can't be written into is refused in one line, before any work.
func TestUnwritableOutIsRefusedFirst(t *testing.T) {
	t.Setenv(asCommand, "1") // processes of --parallel are then commands, not this test again
	folder := t.TempDir()
	file, runs := filepath.Join(folder, "file"), filepath.Join(folder, "runs")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(file, "out")
	tiny := []string{"figure", "3", "--width", "2", "--epochs", "1", "--train", "32", "--seeds", "1", "--images", "2", "--samples", "1"}
	for _, command := range [][]string{
		tiny, append(tiny, "--parallel", "2"), append(tiny, "--cards"), append(tiny, "--no-train"),
		{"paper", "--scale", "smoke", "--run"}, {"compare", "any"},
	} {
		_, stderr, status := execute(t, append(command, "--runs", runs, "--out", out)...)
		for _, want := range []string{"nbbnn " + command[0] + ": no results can be written into " + out + ": ", "choose another one with --out"} {
			if status != exitFailed || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
				t.Errorf("%v: status %d, %q, want %d and one line with %q", command, status, stderr, exitFailed, want)
			}
		}
	}
	if _, err := os.Stat(runs); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("runs were made (%v)", err)
	}
}

// The check makes no folder for work that is then refused.
func TestRefusedWorkLeavesNoOut(t *testing.T) {
	folder := t.TempDir()
	for _, command := range [][]string{{"figure", "3", "--no-train"}, {"compare", "none"}} {
		_, stderr, status := execute(t, append(command, "--runs", filepath.Join(folder, "runs"), "--out", filepath.Join(folder, "a", "out"))...)
		if status == exitDone || strings.Contains(stderr, "no results can be written") {
			t.Errorf("%v: status %d, %q, want another error", command, status, stderr)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v (%v) are left, want nothing", entries, err)
	}
}
