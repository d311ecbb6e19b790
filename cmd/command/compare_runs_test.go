package command

import (
	"strings"
	"testing"
)

// The cure for a run with latents next to MAP is a command that tests it with the samples that
// `nbbnn evaluate` takes by itself, and a comparison of one method says so.
func TestCompareCuresPosthocNextToMAP(t *testing.T) {
	runs := t.TempDir()
	parent := ordinaryRun(t, runs)
	fixed := cardOf(t, "posthoc", "--from", parent, "--init-std", "0.2", "--epochs", "0", "--runs", runs).Run
	for _, evaluate := range [][]string{{"evaluate", parent, "--corruptions", "fog,snow"}, {"evaluate", parent, "--corruptions", "fog"}} {
		wantStatus(t, exitDone, "fog", append(evaluate, "--images", "4", "--runs", runs)...)
	}
	compare := []string{"compare", parent, fixed, "--runs", runs}
	_, stderr, status := execute(t, compare...)
	if status != exitDone || strings.Contains(stderr, "Run.Evaluate") || !strings.Contains(stderr, "misses 6 of 6 cells of fog with 32 samples: `nbbnn evaluate ") {
		t.Errorf("status %d, want a command with 32 samples and no function of Go in\n%s", status, stderr)
	}
	if want := "one method is left of 2"; !strings.Contains(stderr, want) {
		t.Errorf("no note %q in\n%s", want, stderr)
	}
	_, command, _ := strings.Cut(stderr, "`nbbnn ")
	command, _, _ = strings.Cut(command, "`")
	wantStatus(t, exitDone, "fog", strings.Fields(command)...)
	stdout, stderr, status := execute(t, compare...)
	if status != exitDone || strings.Contains(stderr, "left") || !strings.Contains(stdout, "fog, 1 corruption, 1 to 32 samples, 4 images") {
		t.Errorf("after %s: status %d, %s, want both methods in\n%s", command, status, stderr, stdout)
	}
	asked := append(compare, "--suite", "snow", "--samples", "2")
	if _, stderr, status := execute(t, asked...); status != exitFailed || strings.Contains(stderr, "one method") || !strings.Contains(stderr, "--suite snow --samples 2`") {
		t.Errorf("a number that is asked for: status %d, %s, want commands with it", status, stderr)
	}
}

// Runs of one method alone are no comparison that lost its other methods, whichever are left out;
// a method that isn't trained is one that was named.
func TestCompareNotesOneMethod(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	third := cardOf(t, append(tinyRun(runs), "--seed", "3", "--epochs", "1", "--no-test")...).Run
	stopped := stoppedRun(t, runs, 7).Directory()
	for _, c := range []struct {
		runs []string
		want bool
	}{{names, false}, {append(names, third), false}, {append(names, stopped), true}} {
		_, stderr, status := execute(t, append([]string{"compare", "--runs", runs}, c.runs...)...)
		if got := strings.Contains(stderr, "one method is left of 2"); status != exitDone || got != c.want {
			t.Errorf("%v: status %d, note %v, want %v: %s", c.runs, status, got, c.want, stderr)
		}
	}
	for _, run := range []string{names[0], third} {
		wantStatus(t, exitDone, "shapes10-bright", "evaluate", run, "--outside", "shapes10-bright", "--samples", "2", "--images", "4", "--runs", runs)
	}
	other := ordinaryRun(t, runs)
	if _, stderr, status := execute(t, "compare", names[0], other, "--outside", "shapes10-bright", "--runs", runs); status != exitDone || !strings.Contains(stderr, "one method is left of 2") {
		t.Errorf("images from outside: status %d, %s, want the note", status, stderr)
	}
}
