package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Runs on two data sets are two comparisons, each with its table and its folder, in which a run is
// called by its name. Every evaluation of a run is shown beside the others.
func TestCompareSideBySide(t *testing.T) {
	runs, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"plain", "bright"} {
		data := map[string]string{"plain": "shapes10", "bright": "shapes10-bright"}[name]
		wantStatus(t, exitDone, "tested", append(tinyRun(runs), "--epochs", "1", "--data", data, "--name", name)...)
		for _, samples := range []string{"2", "4"} {
			wantStatus(t, exitDone, "wrote", "evaluate", name, "--corruptions", "fog", "--samples", samples, "--images", "4", "--runs", runs)
		}
	}
	compare := func(arguments ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, status := execute(t, append([]string{"compare", "plain", "bright", "--runs", runs}, arguments...)...)
		if status != exitDone {
			t.Fatalf("%q: status %d, %s", arguments, status, stderr)
		}
		return stdout, stderr
	}
	stdout, stderr := compare("--label", "bright=ours", "--out", out)
	first, second, two := strings.Cut(stdout, "data     shapes10-bright")
	if !two || !strings.HasPrefix(first, "data     shapes10\n") || !strings.Contains(first, "1 of plain: ") || strings.Contains(first, "ours") || !strings.Contains(second, "1 of ours: ") {
		t.Errorf("want a table of plain, then one of ours:\n%s%s", stdout, stderr)
	}
	for _, path := range []string{"shapes10/levels.csv", "shapes10/tidy.csv", "shapes10-bright/levels.png", "shapes10-bright/levels.csv"} {
		data, err := os.ReadFile(filepath.Join(out, path))
		if err != nil || filepath.Base(path) == "levels.csv" && strings.Contains(string(data), "ours") != strings.HasPrefix(path, "shapes10-bright") {
			t.Errorf("%s: %v, want the methods of that data set alone:\n%.300s", path, err, data)
		}
	}
	if stdout, _ := compare("--evaluations"); strings.Count(stdout, "plain, --samples 4") != 3 || strings.Count(stdout, "plain, --samples 2") != 3 {
		t.Errorf("want rows of both evaluations:\n%s", stdout)
	}
	stdout, _ = compare("--evaluations", "--json")
	var methods []struct{ Name string }
	if err := json.Unmarshal([]byte(stdout), &methods); err != nil || len(methods) != 4 {
		t.Errorf("as JSON it is %s (%v), want two evaluations of two runs", stdout, err)
	}
	if _, stderr, status := execute(t, "compare", "plain", "--evaluations", "--out", out, "--runs", runs); status != exitUsage || !strings.Contains(stderr, "--evaluations shows tables of what is there, so it excludes --out") {
		t.Errorf("status %d, %s, want a usage error", status, stderr)
	}
	stdout, _, _ = execute(t, "runs", "--runs", runs)
	if !strings.Contains(stdout, "node-BNN  allcnnc") || !strings.Contains(stdout, "evaluated on fog  ") || strings.Contains(stdout, "% of 4") {
		t.Errorf("want the method, and the error on the most images:\n%s", stdout)
	}
	t.Setenv("NBBNN_RUNS", runs)
	if again, _, _ := execute(t, "runs"); again != stdout {
		t.Errorf("by NBBNN_RUNS the list is\n%swant\n%s", again, stdout)
	}
}
