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

// A run whose data set was removed costs what it did and isn't said to have learnt nothing.
func TestCompareWithoutTheDataSet(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	pictures, runs := t.TempDir(), t.TempDir()
	drawFolder(t, pictures, 12)
	wantStatus(t, exitDone, "2 classes", "data", "add", "sides", pictures, "--size", "24", "--test", "0.25")
	card := cardOf(t, "train", "--method", "map", "--data", "sides", "--width", "4", "--epochs", "12", "--batch", "6", "--runs", runs, "--no-test")
	if card.Training.NLL > 0.6 {
		t.Fatalf("the training NLL is %v, want a network that has learnt", card.Training.NLL)
	}
	wantStatus(t, exitDone, "fog", "evaluate", card.Run, "--corruptions", "fog", "--runs", runs)
	parameters := func() (count int) {
		stdout, stderr, status := execute(t, "compare", card.Run, "--runs", runs, "--json")
		var methods []struct{ Cost struct{ Parameters int } }
		if err := json.Unmarshal([]byte(stdout), &methods); err != nil || status != exitDone || strings.Contains(stderr, "learnt nothing") {
			t.Fatalf("status %d, %v, %s, want a method and no note that it has learnt nothing", status, err, stderr)
		}
		return methods[0].Cost.Parameters
	}
	here := parameters()
	wantStatus(t, exitDone, "sides", "data", "remove", "sides")
	if gone := parameters(); here == 0 || gone != here {
		t.Errorf("%d parameters without the data set, want the %d with it", gone, here)
	}
}

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
