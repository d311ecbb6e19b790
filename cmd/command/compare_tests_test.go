package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/internal/testkit"
)

// The test images of another data set are tested like the runs' own, and both are compared within
// runs.
func TestEvaluateAndCompareTestSets(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	clean := append([]string{"evaluate"}, append(names, "--clean", "--samples", "2", "--images",
		"8", "--runs", runs)...)
	compare := []string{"compare", "--test", "shapes10-bright", "--samples", "2", "--images", "8",
		"--suite", "fog", "--runs", runs}
	wantStatus(t, exitDone, "", clean...)
	wantStatus(t, exitFailed, "--part clean --test shapes10-bright", append(compare, names[0])...)
	wantStatus(t, exitDone, "part clean, 8 images of shapes10-bright, 2 samples", append(clean,
		"--test", "shapes10-bright")...)
	out := filepath.Join(t.TempDir(), "out")
	wantTexts(t, exitDone, []string{"shapes10 clean", "shapes10-bright clean",
		"minus own test images", "tested   8 images of shapes10-bright, 2 samples", "tests.csv",
		"!corrupted"},
		append(compare, "--out", out)...)
	wantKept(t, out, writer{args: compare, replaces: true})
	results := printed[[]report.SetResult](t, exitDone, append(compare, "--metrics", "NLL")...)
	if len(results) != 2 || results[0].Data != "shapes10" || results[0].N != 2 ||
		results[1].MinusOwn == nil || results[1].MinusOwn.N != 2 {
		t.Fatalf("as JSON it is %+v, want the own set, then the other", results)
	}
	if got, want := results[1].MinusOwn.Mean, results[1].Mean-results[0].Mean; got-want > 1e-12 ||
		want-got > 1e-12 {
		t.Errorf("the difference is %v, that of the means %v", got, want)
	}
	wantStatus(t, exitDone, "tested", append(tinyOrdinaryRun(runs), "--name", "map", "--seed",
		"1")...)
	for _, set := range [][]string{nil, {"--test", "shapes10-bright"}} {
		wantStatus(t, exitDone, "", append([]string{"evaluate", names[0], "map", "--suite", "fog",
			"--samples", "2", "--images", "8", "--runs", runs}, set...)...)
	}
	wantTexts(t, exitDone, []string{"shapes10-bright corrupted", "minus map"},
		append(compare, names[0], "map", "--baseline", "map")...)
	wantStatus(t, exitDone, "", "evaluate", names[0], "--suite", "fog", "--samples", "1",
		"--images", "4", "--runs", runs)
	wantStatus(t, exitDone, "", "evaluate", names[0], "--suite", "fog", "--samples", "1",
		"--images", "20", "--test", "shapes10-bright", "--runs", runs)
	for _, run := range printed[[]struct {
		Images int `json:"test_images"`
	}](t, exitDone, "runs", "--runs", runs) {
		if run.Images > 16 {
			t.Errorf("the test of a run is on %d images, want 16 of its own at most", run.Images)
		}
	}
	wantStatus(t, exitDone, "tested   8 images of shapes10-bright, 2 samples", "compare", names[0],
		"--test", "shapes10-bright", "--runs", runs)
	for _, set := range [][]string{nil, {"--test", "shapes10-bright"}} { // all images
		wantStatus(t, exitDone, "", append([]string{"evaluate", names[1], "--clean", "--runs",
			runs}, set...)...)
	}
	wantStatus(t, exitDone, "1,000 images of shapes10-bright", "compare", names[1], "--test",
		"shapes10-bright", "--runs", runs)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--test and --as exclude", []string{"--as", "main15"}},
		{"no method \"none\" was compared", []string{"--baseline", "none"}},
	} {
		wantStatus(t, exitUsage, c.want, append(compare, c.args...)...)
	}
}

// Of several tests of a set, the one that the most runs have is compared, or the one that has the
// samples or images asked for; a run without it is left out with its cure.
func TestCompareChoosesATestOfASet(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	names = append(names, cardOf(t, append(tinyRun(runs), "--seed", "3", "--epochs", "1",
		"--no-test")...).Run)
	test := func(names []string, samples, images string) {
		for _, set := range [][]string{nil, {"--test", "shapes10-bright"}} {
			wantStatus(t, exitDone, "clean", append(append([]string{"evaluate", "--clean",
				"--samples", samples, "--images", images, "--runs", runs}, set...), names...)...)
		}
	}
	compare := []string{"compare", "--test", "shapes10-bright", "--runs", runs}
	test(names, "2", "8")
	test(names[:2], "4", "12")
	wantTexts(t, exitDone, []string{"tested   8 images of shapes10-bright, 2 samples", "!left out"},
		compare...)
	lacks := "left out: " + names[2] + ": without --samples 4 --images 12 --part clean, which"
	for _, asked := range [][]string{{"--samples", "4"}, {"--images", "12"}} {
		wantTexts(t, exitDone, []string{"tested   12 images of shapes10-bright, 4 samples", lacks,
			"--samples 4 --images 12 --part clean"}, append(compare, asked...)...)
	}
	wantTexts(t, exitFailed, []string{"--samples 3 --images 8 --part clean"},
		append(compare, "--samples", "3", "--images", "8")...)
	test(names[:1], "2", "10") // the largest, but of one run alone
	wantTexts(t, exitDone, []string{"tested   8 images of shapes10-bright"}, compare...)
	wantTexts(t, exitDone, []string{"tested   12 images of shapes10-bright"},
		append(compare, names[0])...)
}

// A test set may be named with its content, as notes and cells name it.
func TestTestSetWithItsContent(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	runs := t.TempDir()
	name := trainedTwice(t, runs)[0]
	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: "shapes10", TrainCount: 20,
		TestCount: 20, Seed: 1}))(t)
	data.Name = "again"
	testkit.Must(dataset.Add(t.Context(), *data, dataset.AddOptions{}))(t)
	set := "again@" + dataset.Content("", "again")[:8]
	for _, part := range [][]string{{"--test", set}, nil} {
		wantStatus(t, exitDone, "8 images", append([]string{"evaluate", name, "--clean", "--images",
			"8", "--samples", "2", "--runs", runs}, part...)...)
	}
	for _, test := range []string{set, "again"} {
		wantStatus(t, exitDone, "8 images of "+test, "compare", name, "--test", test, "--runs",
			runs)
	}
	data.Name, data.Classes = "numbered", strings.Fields("0 1 2 3 4 5 6 7 8 9")
	testkit.Must(dataset.Add(t.Context(), *data, dataset.AddOptions{}))(t)
	wantStatus(t, exitDone, "note     the classes of numbered are taken by their numbers",
		"evaluate", name, "--clean", "--images", "8", "--samples", "2", "--test", "numbered",
		"--runs", runs)
	wantTexts(t, exitDone, []string{"minus own", "\n  the classes of numbered are taken by",
		" †  1", "  † hardly learnt: the training NLL is near guessing: "}, "compare", name,
		"--test", "numbered", "--runs", runs)
	wantStatus(t, exitUsage, `unknown data set "agan" (did you mean "again"?)`, "evaluate", name,
		"--test", "agan@1", "--clean", "--runs", runs)
}
