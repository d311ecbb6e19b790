package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/tools/bench/measure"
)

// execute runs a command line in this process.
func execute(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(t.Context(), args, &out, &err)
	return out.String(), err.String(), status
}

func TestBenchPrintsWhatItMeasured(t *testing.T) {
	for what, operations := range map[string]float64{"train": 2, "evaluate": 1} {
		stdout, stderr, status := execute(t, what, "--width", "2", "--images", "2", "--samples", "2", "--steps", "3", "--warm-up", "1", "--side", "16", "--json")
		if status != commandline.Done {
			t.Fatalf("%s: exit status %d: %s", what, status, stderr)
		}
		var result measure.Result
		if err := json.Unmarshal([]byte(stdout), &result); err != nil {
			t.Fatalf("%s: standard output isn't a result: %v\n%s", what, err, stdout)
		}
		if result.What != what || result.Steps != 3 || result.Images*result.Samples != 4 || result.Operations < operations*1e5 {
			t.Errorf("%s: result is %+v, want 3 steps of 4 rows", what, result)
		}
		if result.MedianSeconds <= 0 || result.RowsPerSecond <= 0 || result.PeakGFLOPS <= 0 {
			t.Errorf("%s: median %g s, %g rows/s, peak %g GFLOP/s; want positive numbers", what, result.MedianSeconds, result.RowsPerSecond, result.PeakGFLOPS)
		}
	}
}

func TestBenchRefusesWhatItCannotMeasure(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"train", "--network", "allcnn"}, `did you mean "allcnnc"?`},
		{[]string{"train", "--threads", "-1"}, "-1 threads"},
		{[]string{"profile", "--what", "sleep", "--width", "2"}, `unknown step "sleep"`},
		{[]string{"profile", "--rounds", "0"}, "0 rounds of 3 steps"},
		{[]string{"profile", "--rows", "-1"}, "-1 rows"},
		{[]string{"peers", "--networks", "resnet50:8"}, `unknown network "resnet50:8"`},
		{[]string{"peers", "--what", "sleep", "--networks", "vgg16:8"}, `unknown measurement "sleep"`},
		{[]string{"peers", "--with", "abacus", "--networks", "vgg16:8"}, `unknown program "abacus"`},
		{[]string{"peers", "--precision", "bfloat", "--networks", "vgg16:8"}, `did you mean "bfloat16"`},
		{[]string{"scaling", "--network", "vgg16:x"}, `unknown network "vgg16:x"`},
	} {
		_, stderr, status := execute(t, c.args...)
		if status != commandline.Misused || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit status %d and %q, want %d and %q", c.args, status, stderr, commandline.Misused, c.want)
		}
	}
}

func TestAllPeersComputeInTheSamePrecision(t *testing.T) {
	flags := peerFlags{python: "python3", precision: "bfloat16", with: []string{"pytorch"}, images: 4, samples: 1, seconds: 1}
	programs, err := flags.programs("train", network.Network{Name: "vgg16", Width: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		if got := strings.Join(program.Command, " "); strings.Count(got, "--precision bfloat16") != 1 {
			t.Errorf("%s is called as %q, want --precision bfloat16", program.Name, got)
		}
	}
}

func TestProfileShowsEveryOperation(t *testing.T) {
	if opened, err := engine.Open(); err != nil || !opened.IsObservable() {
		_, stderr, status := execute(t, "profile", "--width", "2")
		if status != commandline.Misused || !strings.Contains(stderr, "only the pure-Go engine with kernels") {
			t.Errorf("exit status %d, %q, want %d and which engine can be looked into", status, stderr, commandline.Misused)
		}
		t.Skip("no profile was made: there are no kernels for this processor")
	}
	for _, what := range []string{"train", "evaluate"} {
		flags := []string{"profile", "--what", what, "--width", "8", "--images", "2", "--samples", "2", "--side", "16", "--rounds", "1", "--steps", "2"}
		stdout, stderr, status := execute(t, append(flags, "--json")...)
		if status != commandline.Done {
			t.Fatalf("%s: exit status %d: %s", what, status, stderr)
		}
		var profile measure.Profile
		if err := json.Unmarshal([]byte(stdout), &profile); err != nil {
			t.Fatal(err)
		}
		if profile.What != what || profile.Steps < 2 || len(profile.Operations) < 10 || profile.Images != 2 {
			t.Errorf("%s: the profile is of %d steps and %d operations of %d images, want 2 steps of 2 images", what, profile.Steps, len(profile.Operations), profile.Images)
		}
		if text, _, _ := execute(t, flags...); !strings.Contains(text, "times as fast") || !strings.Contains(text, "the others") {
			t.Errorf("%s: the text is %q, want operations and the speed-up", what, text)
		}
	}
}

// What the page calls the default of DAMP is the default, and 1 sub-batch is in the table next to it.
func TestMethodsHaveTheDefaultOfDAMP(t *testing.T) {
	m, _ := baseline.Method{Name: baseline.DAMP}.Apply(network.Settings{Network: network.Network{Name: "resnet18"}}, "")
	for number, end := range map[int]string{m.SubBatches: measure.DefaultSubBatches, 1: measure.OneSubBatch} {
		at := slices.IndexFunc(methodSettings, func(s setting) bool { return s.name == "DAMP, "+end })
		if at < 0 || !slices.Contains(methodSettings[at].flags, fmt.Sprint(number)) {
			t.Errorf("%v has no %q with %d sub-batches", methodSettings, end, number)
		}
	}
}
