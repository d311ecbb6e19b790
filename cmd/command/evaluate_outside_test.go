package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
)

// addBlank adds the set "blank" to a new directory of data sets: images of the size of Shapes10,
// none of its classes.
func addBlank(t *testing.T) {
	t.Helper()
	t.Setenv("NBBNN_DATA", t.TempDir())
	const side, count = 32, 40
	images := dataset.Images{Height: side, Width: side, Pixels: make([]uint8, count*side*side*3),
		Labels: make([]uint8, count)}
	for i := range images.Pixels {
		images.Pixels[i] = uint8(i / (side * side))
	}
	images.Labels[0] = 1
	_, err := dataset.Add(t.Context(), dataset.Dataset{Name: "blank",
		Classes: []string{"dark", "bright"}, Train: images, Test: images}, dataset.AddOptions{})
	testkit.NoError(t, err)
}

// What `runs/*` brings along that is no trained run is left out of a test of images from outside.
func TestEvaluateOutsideLeavesOut(t *testing.T) {
	addBlank(t)
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	flags := []string{"--outside", "blank", "--samples", "2", "--images", "4", "--runs", runs}
	wantStatus(t, exitDone, "", append([]string{"evaluate", "--ensemble", names[0], names[1]},
		flags...)...)
	testkit.NoError(t, os.Mkdir(filepath.Join(runs, "empty"), 0o755))
	all, err := filepath.Glob(filepath.Join(runs, "*"))
	if err != nil || len(all) != 4 {
		t.Fatalf("%v (%v), want two runs, their ensemble and a folder", all, err)
	}
	stdout, stderr, status := execute(t, slices.Concat([]string{"evaluate"}, all, flags)...)
	if status != exitDone || strings.Count(stdout, ", 4 clean test images") != 2 ||
		!strings.Contains(stderr, "samples: 2 tests") {
		t.Errorf("status %d, %s, want the two runs tested:\n%s", status, stderr, stdout)
	}
	for _, want := range []string{"left out: " + filepath.Join(runs, "empty") + " holds no run",
		"is an ensemble of the runs"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the notes lack %q:\n%s", want, stderr)
		}
	}
}

// Two runs that are asked for are a list as JSON, also if one of them can't be tested.
func TestOutsideOfADamagedRun(t *testing.T) {
	addBlank(t)
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	testkit.NoError(t,
		os.Truncate(filepath.Join(runs, names[1], "checkpoint", "latest.safetensors"), 100))
	tests := printed[[]evaluated](t, exitFailed, "evaluate", names[0], names[1], "--outside",
		"blank", "--samples", "2", "--images", "4", "--runs", runs)
	if len(tests) != 1 || tests[0].Run != names[0] {
		t.Errorf("%+v, want a list of one run", tests)
	}
	testkit.NoError(t,
		os.Truncate(filepath.Join(runs, names[0], "checkpoint", "latest.safetensors"), 100))
	wantStatus(t, exitFailed, "2 of 2 runs aren't tested", "evaluate", names[0], names[1],
		"--corruptions", "fog", "--samples", "4", "--images", "4", "--runs", runs)
}

// The images of another data set are told from a run's own.
func TestEvaluateOutside(t *testing.T) {
	addBlank(t)
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	test := func(runsOf ...string) []string {
		return append([]string{"evaluate", "--outside", "blank", "--samples", "2", "--images", "4",
			"--runs", runs}, runsOf...)
	}
	for _, name := range names {
		wantTexts(t, exitDone, []string{
			"MutualInformation", "tested   " + name + ", 4 clean test images against 4 of blank",
			"plan     4 images of both sets, against blank, 2 samples: 1 test", "8/8",
		}, test(name)...)
	}
	wantStatus(t, exitDone, "tested", append(tinyOrdinaryRun(runs), "--name", "map")...)
	wantStatus(t, exitDone, "wrote", "evaluate", "map", "--samples", "2", "--images", "4", "--runs",
		runs)
	wantStatus(t, exitDone, ", 1 sample: 1 test", test("map")...)
	wantStatus(t, exitDone, ", 1 to 2 samples: 2 tests", test("map", names[0])...)
	if result := printed[evaluated](t, exitDone, test(names[0])...); result.Run != names[0] ||
		result.Data != "blank" || len(result.Detections) != 3 {
		t.Errorf("as JSON it is %+v, want three detections", result)
	}
	for _, c := range []struct {
		args   []string
		want   string
		status int
	}{
		{[]string{"evaluate", names[0], "--outside", "blank", "--suite", "all19"},
			"--outside and --suite exclude", exitUsage},
		{[]string{"evaluate", names[0], "--outside", "shapes10"}, "name another data set",
			exitUsage},
		{[]string{"evaluate", names[0], "--outside", "shapes10-bright"},
			"`nbbnn evaluate RUN --test shapes10-bright` tests on them", exitFailed},
		{[]string{"evaluate", names[0], "--outside", "cifar101"},
			`unknown data set "cifar101" (did you mean "cifar10"?)`, exitUsage},
		{[]string{"evaluate", "--ensemble", names[0], "map", "--clean", "--samples", "2"},
			"takes 1 sample and run ", exitFailed},
		{[]string{"compare", names[0], "map", "--label", names[0] + "=map"},
			`--label: two methods are called "map"`, exitUsage},
		{[]string{"compare", names[0], "--label", "zzzz=ours"}, "which isn't compared", exitUsage},
		{[]string{"compare", names[0], "--metrics", "NNL"}, `did you mean "NLL"?`, exitUsage},
	} {
		wantStatus(t, c.status, c.want, append(c.args, "--runs", runs)...)
	}
}
