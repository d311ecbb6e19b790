package command

import (
	"strings"
	"testing"
)

// The latest evaluation is compared, and a note names a larger one of all runs, with flags that show
// it.
func TestCompareNotesALargerEvaluation(t *testing.T) {
	runs := t.TempDir()
	parent := ordinaryRun(t, runs)
	fixed := cardOf(t, "posthoc", "--from", parent, "--init-std", "0.2", "--epochs", "0", "--runs", runs).Run
	evaluate := func(names []string, flags ...string) {
		t.Helper()
		wantStatus(t, exitDone, "", append(append([]string{"evaluate", "--runs", runs}, names...), flags...)...)
	}
	both := []string{parent, fixed}
	compare := func(want string, names ...string) (stderr string) {
		t.Helper()
		stdout, stderr, status := execute(t, append([]string{"compare", "--runs", runs}, names...)...)
		if status != exitDone || !strings.Contains(stdout, want) {
			t.Errorf("status %d, %s, want %q in\n%s", status, stderr, want, stdout)
		}
		return stderr
	}
	evaluate(both, "--corruptions", "fog,snow", "--samples", "2", "--images", "8")
	evaluate(both[1:], "--suite", "main15", "--samples", "2", "--images", "8")
	evaluate(both, "--corruptions", "fog,snow", "--samples", "2", "--images", "8") // the latest again
	if stderr := compare("2 corruptions, 1 to 2 samples, 8 images", both...); strings.Contains(stderr, "larger") {
		t.Errorf("an evaluation of one run is no larger one of both: %s", stderr)
	}
	evaluate(both, "--corruptions", "fog", "--samples", "2", "--images", "4")
	stderr := compare("1 corruption, 1 to 2 samples, 4 images", both...)
	flags := "--suite fog,snow --samples 2 --images 8"
	if want := "note     a larger evaluation of all these runs is there: fog,snow, 8 images, 1 to 2 samples; `" + flags + "` shows it\n"; !strings.Contains(stderr, want) {
		t.Errorf("the notes lack %q:\n%s", want, stderr)
	}
	if stderr := compare("2 corruptions, 1 to 2 samples, 8 images", append(both, strings.Fields(flags)...)...); strings.Contains(stderr, "larger") {
		t.Errorf("a note on an evaluation that is asked for: %s", stderr)
	}
	if stderr := compare("1 corruption, 2 samples, 4 images", fixed); !strings.Contains(stderr, "of this run is there: main15, 8 images, 2 samples;") {
		t.Errorf("one run: %s, want a note on its largest evaluation", stderr)
	}
	if stderr := compare("1 corruption, 1 sample, 4 images", parent); !strings.Contains(stderr, "of this run is there: fog,snow, 8 images, 1 sample;") {
		t.Errorf("an ordinary network: %s, want a note on its largest evaluation", stderr)
	}
}
