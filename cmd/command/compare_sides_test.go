package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Runs on two data sets are two comparisons, each with its table and its folder, in which a run is
// called by its name. Every evaluation of a run is shown beside the others.
func TestCompareSideBySide(t *testing.T) {
	addBlank(t)
	runs, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"plain", "bright"} {
		data := map[string]string{"plain": "shapes10", "bright": "shapes10-bright"}[name]
		wantStatus(t, exitDone, "tested", append(tinyRun(runs), "--epochs", "1", "--data", data,
			"--name", name)...)
		for _, samples := range []string{"2", "4"} {
			wantStatus(t, exitDone, "wrote", "evaluate", name, "--corruptions", "fog", "--samples",
				samples, "--images", "4", "--runs", runs)
		}
	}
	compare := func(arguments ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, status := execute(t,
			append([]string{"compare", "plain", "bright", "--runs", runs}, arguments...)...)
		if status != exitDone {
			t.Fatalf("%q: status %d, %s", arguments, status, stderr)
		}
		return stdout, stderr
	}
	stdout, stderr := compare("--label", "bright=ours", "--out", out)
	first, second, two := strings.Cut(stdout, "data     shapes10-bright")
	if !two || !strings.HasPrefix(first, "data     shapes10\n") ||
		!strings.Contains(first, "1 of plain: ") || strings.Contains(first, "ours") ||
		!strings.Contains(second, "1 of ours: ") {
		t.Errorf("want a table of plain, then one of ours:\n%s%s", stdout, stderr)
	}
	for _, path := range []string{"shapes10/levels.csv", "shapes10/tidy.csv",
		"shapes10-bright/levels.png", "shapes10-bright/levels.csv"} {
		data, err := os.ReadFile(filepath.Join(out, path))
		if err != nil || filepath.Base(path) == "levels.csv" &&
			strings.Contains(string(data), "ours") != strings.HasPrefix(path, "shapes10-bright") {
			t.Errorf("%s: %v, want the methods of that data set alone:\n%.300s", path, err, data)
		}
	}
	if !strings.Contains(stderr, "the largest evaluation of the most runs is shown, of 2: "+
		"--evaluations shows all") {
		t.Errorf("no note that there are two evaluations: %s", stderr)
	}
	wantStatus(t, exitDone, out+" has more, not written now: shapes10, shapes10-bright\n",
		"compare", "plain", "--out", out, "--runs", runs)
	if stdout, _ := compare("--evaluations"); strings.Count(stdout,
		"test     --suite fog --samples 4") != 2 || strings.Count(stdout,
		"test     --suite fog --samples 2") != 2 {
		t.Errorf("want tables of both evaluations:\n%s", stdout)
	}
	methods := printed[[]comparedMethod](t, exitDone, "compare", "plain", "bright", "--runs", runs,
		"--evaluations")
	if len(methods) != 4 || methods[1].Evaluation.Samples != 2 || methods[1].Levels.Samples != 2 {
		t.Errorf("as JSON it is %+v, want two evaluations of two runs", methods)
	}
	for _, which := range [][]string{nil, {"--evaluations"}} { // with a baseline on one of the sets
		stdout, stderr := compare(append(which, "--baseline", "bright")...)
		if strings.Contains(stdout, "data     shapes10\n") ||
			!strings.Contains(stdout, "1 of bright: ") || strings.Count(stderr,
			"left out: shapes10: no method there is the baseline\n") != 1 {
			t.Errorf("want the table of bright, and a note on the other set:\n%s%s", stdout, stderr)
		}
		wantTexts(t, exitUsage, []string{`--baseline: no method "brigth" was compared (did ` +
			`you mean "bright"?)`, "!left out"}, append(append([]string{"compare", "--baseline",
			"brigth", "--runs", runs}, which...), "plain", "bright")...)
	}
	wantStatus(t, exitUsage, "--evaluations and --out exclude each other", "compare", "plain",
		"--evaluations", "--out", out, "--runs", runs)
	stdout, _, _ = execute(t, "runs", "--runs", runs)
	if !strings.Contains(stdout, "node-BNN  allcnnc") ||
		!strings.Contains(stdout, "evaluated on fog  ") || strings.Contains(stdout, "% of 4") {
		t.Errorf("want the method, and the error on the most images:\n%s", stdout)
	}
	t.Setenv("NBBNN_RUNS", runs)
	if again, _, _ := execute(t, "runs"); again != stdout {
		t.Errorf("by NBBNN_RUNS the list is\n%swant\n%s", again, stdout)
	}
	wantStatus(t, exitDone, "wrote", "evaluate", "plain", "--corruptions", "snow", "--samples", "2",
		"--images", "4")
	if stdout, stderr := compare("--suite", "snow", "--samples", "2", "--images",
		"4"); !strings.Contains(stdout, "1 of plain: ") || !strings.Contains(stderr,
		"left out: shapes10-bright: ") {
		t.Errorf("want the table of plain, and a note on the set without that test:\n%s%s", stdout,
			stderr)
	}
}

// A run whose data set was removed costs what it did and isn't said to have hardly learnt.
func TestCompareWithoutTheDataSet(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	pictures, runs := t.TempDir(), t.TempDir()
	drawFolder(t, pictures, 12)
	wantStatus(t, exitDone, "2 classes", "data", "add", "sides", pictures, "--size", "24", "--test",
		"0.25")
	card := cardOf(t, "train", "--method", "map", "--data", "sides", "--width", "4", "--epochs",
		"12", "--batch", "6", "--runs", runs, "--no-test")
	if card.Training.NLL > 0.6 {
		t.Fatalf("the training NLL is %v, want a network that has learnt", card.Training.NLL)
	}
	wantStatus(t, exitDone, "fog", "evaluate", card.Run, "--corruptions", "fog", "--runs", runs)
	parameters := func() int {
		wantTexts(t, exitDone, []string{"!hardly learnt"}, "compare", card.Run, "--runs", runs)
		return printed[[]comparedMethod](t, exitDone, "compare", card.Run, "--runs",
			runs)[0].Cost.Parameters
	}
	here := parameters()
	wantStatus(t, exitDone, "sides", "data", "remove", "sides")
	if gone := parameters(); here == 0 || gone != here {
		t.Errorf("%d parameters without the data set, want the %d with it", gone, here)
	}
}

// The cure for a run with latents next to MAP is a command that tests it with the samples that
// `nbbnn evaluate` takes by itself.
func TestCompareCuresPosthocNextToMAP(t *testing.T) {
	runs := t.TempDir()
	parent := ordinaryRun(t, runs)
	fixed := cardOf(t, "posthoc", "--from", parent, "--init-std", "0.2", "--epochs", "0", "--runs",
		runs).Run
	for _, evaluate := range [][]string{{"evaluate", parent, "--corruptions", "fog,snow"},
		{"evaluate", parent, "--corruptions", "fog"}} {
		wantStatus(t, exitDone, "fog", append(evaluate, "--images", "4", "--runs", runs)...)
	}
	compare := []string{"compare", parent, fixed, "--runs", runs}
	_, stderr, status := execute(t, compare...)
	if status != exitDone || strings.Contains(stderr, "Run.Evaluate") ||
		!strings.Contains(stderr, "1 run without --suite fog,snow --samples 32 --images 4: "+
			"`nbbnn evaluate ") {
		t.Errorf("status %d, want a command with 32 samples and no function of Go in\n%s", status,
			stderr)
	}
	_, command, _ := strings.Cut(stderr, "`nbbnn ")
	command, _, _ = strings.Cut(command, "`")
	wantStatus(t, exitDone, "fog", strings.Fields(command)...)
	stdout, stderr, status := execute(t, compare...)
	if status != exitDone || strings.Contains(stderr, "left") ||
		!strings.Contains(stdout, "fog,snow, 2 corruptions, 1 to 32 samples, 4 images") {
		t.Errorf("after %s: status %d, %s, want both methods in\n%s", command, status, stderr,
			stdout)
	}
	asked := append(compare, "--suite", "snow", "--samples", "2")
	wantStatus(t, exitFailed, "--suite snow --samples 2`", asked...)
}
