package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	runs, out := t.TempDir(), filepath.Join(t.TempDir(), "results")
	if _, stderr, status := execute(t, tinyRun(runs)...); status != exitDone {
		t.Fatal(stderr)
	}
	names, err := os.ReadDir(runs)
	if err != nil || len(names) != 1 {
		t.Fatalf("%d runs, %v, want one", len(names), err)
	}
	stdout, stderr, status := execute(t, "report", names[0].Name(), "--out", out, "--runs", runs)
	if status != exitDone || !strings.Contains(stdout, "training.png") {
		t.Fatalf("status %d, %q, %q, want the names of the files", status, stdout, stderr)
	}
	for _, name := range []string{"training.png", "training.csv", "card.json"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, want a file with content", name, err)
		}
	}
	stdout, stderr, status = execute(t, "report", names[0].Name(), "--out", out, "--runs", runs, "--json")
	var files []string
	if err := json.Unmarshal([]byte(stdout), &files); status != exitDone || err != nil || len(files) != 3 {
		t.Errorf("as JSON: status %d, %q, %q (%v), want three names", status, stdout, stderr, err)
	}
	if _, stderr, status := execute(t, "report", "none", "--runs", runs); status != exitUsage || !strings.Contains(stderr, `no run "none"`) {
		t.Errorf("unknown run: status %d, %q, want a usage error", status, stderr)
	}
	if _, stderr, status := execute(t, "report", "", "--runs", runs); status != exitUsage || !strings.Contains(stderr, "no name of a run given") {
		t.Errorf("empty name: status %d, %q, want a usage error", status, stderr)
	}
}
