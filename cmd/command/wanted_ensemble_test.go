package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// threeRuns trains three seeds of one method, evaluates them and returns their directories and that
// of the ensemble of the first two.
func threeRuns(t *testing.T, runs string) (directories []string, ensemble string) {
	t.Helper()
	names := trainedTwice(t, runs)
	third := cardOf(t, append(tinyRun(runs), "--seed", "3", "--epochs", "1", "--no-test")...).Run
	wantStatus(t, exitDone, "wrote", "evaluate", third, "--samples", "2", "--images", "4", "--runs",
		runs)
	wantStatus(t, exitDone, "wrote", "evaluate", "--ensemble", names[0], names[1], "--samples", "2",
		"--images", "4", "--runs", runs)
	for _, name := range append(names, third) {
		directories = append(directories, filepath.Join(runs, name))
	}
	return directories, onlyMatch(t, filepath.Join(runs, "ensemble-*"))
}

// onlyMatch returns the one path that a pattern matches.
func onlyMatch(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v (%v), want one path", paths, err)
	}
	return paths[0]
}

// An ensemble is compared if its directory is given with its runs, wherever it is, and with all
// runs of its folder if none is named.
func TestCompareGivenEnsembles(t *testing.T) {
	runs, elsewhere := t.TempDir(), t.TempDir()
	directories, ensemble := threeRuns(t, runs)
	pair, name := directories[:2], filepath.Base(ensemble)
	moved := filepath.Join(t.TempDir(), name)
	testkit.NoError(t, os.CopyFS(moved, os.DirFS(ensemble)))
	compare := func(arguments ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, status := execute(t, append([]string{"compare", "--runs", elsewhere},
			arguments...)...)
		if status != exitDone {
			t.Fatalf("%q: status %d, %s", arguments, status, stderr)
		}
		return stdout, stderr
	}
	const whole, part = "1 of ens node-BNN: ", "1 of ens node-BNN of seeds 1 2: "
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{slices.Concat(pair, []string{ensemble}), whole}, {[]string{moved, pair[1], pair[0]},
			whole},
		{slices.Concat(pair, []string{ensemble, moved}), whole},
		{slices.Concat(directories, []string{ensemble}), part}, {[]string{"--runs", runs}, part},
		{[]string{"--runs", runs, filepath.Base(pair[0]), filepath.Base(pair[1]), name}, whole},
	} {
		stdout, stderr := compare(c.arguments...)
		if !strings.Contains(stdout, c.want+name+", seeds 1 2\n") ||
			strings.Count(stdout, name) != 1 || strings.Contains(stderr, "left out") {
			t.Errorf("%q: want %q once:\n%s%s", c.arguments, c.want, stdout, stderr)
		}
	}
	if _, stderr := compare("--runs", runs, "--where", "seed=3"); strings.Contains(stderr,
		"left out") {
		t.Errorf("an ensemble of other runs than those of --where is missed:\n%s", stderr)
	}
	stdout, stderr := compare(pair[0], directories[2], ensemble)
	if !strings.Contains(stderr, "compare these runs, too") || strings.Contains(stdout, name) {
		t.Errorf("without a member: want a note:\n%s%s", stdout, stderr)
	}
	wantStatus(t, exitDone, "", "evaluate", "--ensemble", directories[1], directories[2],
		"--samples", "2", "--images", "4", "--clean", "--runs", elsewhere)
	two := []string{ensemble, onlyMatch(t, filepath.Join(elsewhere, "ensemble-*"))}
	for range two {
		slices.Reverse(two)
		_, stderr := compare(pair[0], directories[2], two[0], two[1])
		if first := strings.Index(stderr, two[0]); first < 0 ||
			first > strings.Index(stderr, two[1]) {
			t.Errorf("%q: want the notes in this order:\n%s", two, stderr)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	compare(slices.Concat(pair, []string{moved, "--out", out, "--cards"})...)
	onlyMatch(t, filepath.Join(out, "cards", "ens-node-bnn.ensemble-*.record"))
}
