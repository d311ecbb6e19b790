package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// tiny makes a figure so small that it's done in a moment.
func tiny(figure Figure, seeds int) Figure {
	return figure.Adjust(func(setup *Setup) {
		setup.Config.Network.Width = 2
		setup.Config.Data.Train, setup.Config.Data.Test = 32, 8
		setup.Config.Training.Epochs, setup.Config.Training.Batch, setup.Config.Training.Samples =
			1, 8, 1
		if setup.Ensemble > 0 {
			setup.Config.Training.Epochs = 4 // SWAG collects the weights of the last two
		}
		setup.Evaluation.Images, setup.Evaluation.Samples = 2, 1
		setup.Seeds = quantity.FirstSeeds(seeds)
	})
}

// A folder that results can't be written into is refused before anything is trained.
func TestMakeChecksOutFirst(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, cards := range []bool{false, true} {
		options := Options{Runs: filepath.Join(directory, "runs"), Out: filepath.Join(file, "out"),
			Cards: cards}
		_, _, err := Make(t.Context(), tiny(Figure03, 1), Smoke, options)
		testkit.Error(t, t.Name(), err, "can't write results into "+options.Out)
	}
	if _, err := os.Stat(filepath.Join(directory, "runs")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("runs were made (%v)", err)
	}
}

func TestMake(t *testing.T) {
	directory := t.TempDir()
	updates := 0
	options := Options{
		Runs: filepath.Join(directory, "runs"), Out: filepath.Join(directory, "out"),
		Progress: func(nbbnn.Update) { updates++ },
	}
	figure := tiny(Figure03, 2)
	result, files, err := Make(t.Context(), figure, Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Runs) != 4 || len(files) != 4 || updates == 0 {
		t.Errorf("%d runs, %d files, %d updates, want 4, 4 and some", len(result.Runs), len(files),
			updates)
	}
	checkCSV(t, files[1])
	checkJSON(t, files[2])
	first := readFile(t, files[2])
	updates = 0
	if _, _, err := Make(t.Context(), figure, Smoke, options); err != nil || updates != 0 {
		t.Errorf("the second time there are %d updates, %v, want none", updates, err)
	}
	if !bytes.Equal(readFile(t, files[2]), first) {
		t.Error("the second time the data are others")
	}
	plan, err := figure.Plan(Smoke, options)
	if err != nil || plan.Missing() || plan.operations() != 0 {
		t.Errorf("plan is %+v, %v, want nothing left to do", plan, err)
	}
	checkMixedEngines(t, figure, options, result.Runs[3])
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return data
}

func checkCSV(t *testing.T, path string) {
	t.Helper()
	rows := testkit.Must(csv.NewReader(bytes.NewReader(readFile(t, path))).ReadAll())(t)
	if want := 1 + 2*2*(len(reported)*score.LevelCount+2); len(rows) != want {
		t.Errorf("%d lines, want %d: two methods and seeds, six levels of each metric and two "+
			"epochs", len(rows), want)
	}
	if got := strings.Join(rows[1][:4], " "); got != "NLL M16 0 1" {
		t.Errorf("the first line is of %q, want NLL M16 0 1", got)
	}
}

func checkJSON(t *testing.T, path string) {
	t.Helper()
	var report Report
	testkit.NoError(t, json.Unmarshal(readFile(t, path), &report))
	if last := report.Lines[len(report.Lines)-1]; last.What != "entropy (nats)" ||
		len(last.Values) != 2 || len(last.Values[0]) != 2 {
		t.Errorf("the last line is %+v, want the entropies of two seeds at the start and after "+
			"one epoch", last)
	}
	for _, run := range report.Runs {
		if len(run.State) != 64 || run.Run == "" || run.Card == "" {
			t.Errorf("a run of the report is %+v", run)
		}
	}
}

func TestTrainStops(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	options := Options{Runs: t.TempDir(), Progress: func(nbbnn.Update) { cancel() }}
	_, err := tiny(Figure03, 1).Train(stopped, Smoke, options)
	if !errors.Is(err, nbbnn.ErrStopped) || !strings.Contains(err.Error(), "(M16 seed 1)") {
		t.Errorf("error is %v, want one that says which run was stopped", err)
	}
	if left, err := filepath.Glob(filepath.Join(options.Runs, "*")); err != nil || len(left) != 1 {
		t.Errorf("%v (%v) is left, want the run that was begun only", left, err)
	}
	if _, err := tiny(Figure03, 1).Evaluate(t.Context(), Smoke, options); err == nil {
		t.Error("runs that aren't trained can be evaluated")
	}
	if left, err := filepath.Glob(filepath.Join(options.Runs, "*")); err != nil || len(left) != 1 {
		t.Errorf("%v (%v) is left by the evaluation, want the run that was begun only", left, err)
	}
	options.Progress = nil
	if _, err := tiny(Figure03, 1).Train(t.Context(), Smoke, options); err != nil {
		t.Errorf("going on: %v", err)
	}
}

func TestPublishedIsForItsDataSet(t *testing.T) {
	result := fixture(1)
	if got, found := result.published("M16", NLL); found {
		t.Errorf("with Shapes10 the paper's curve is %v, want none", got)
	}
	result.Setup.Config.Data.Name = "cifar10"
	if got, found := result.published("M16", NLL); !found || got.Mean[5] != 2.1554 ||
		got.Corruptions != 19 {
		t.Errorf("with CIFAR-10 the paper's curve is %v", got)
	}
	if got, found := result.published("M16", ECE); found {
		t.Errorf("the paper's ECE is %v, want none", got)
	}
}

func TestCorruptionFigure(t *testing.T) {
	if _, err := Figure03.CorruptionFigure(t.Context(), Smoke, 3, "gaussian_noise",
		"contrast"); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		image      int
		corruption string
		want       string
	}{{-1, "contrast", "image -1"}, {0, "contrst", `did you mean "contrast"?`}} {
		_, err := Figure03.CorruptionFigure(t.Context(), Smoke, test.image, test.corruption)
		testkit.Error(t, t.Name(), err, test.want)
	}
}

// If a figure's runs aren't trained to the end, the error says how far they are and how to
// continue.
func TestEvaluateBeforeTraining(t *testing.T) {
	figure := Figure03.Adjust(func(s *Setup) { s.Seeds = quantity.FirstSeeds(1) })
	_, err := figure.Evaluate(t.Context(), Smoke, Options{Runs: t.TempDir()})
	const want = "paper: 2 of 2 runs aren't trained to the end (M16 seed 1: not begun, M32 seed " +
		"1: not begun): run the training again to continue"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// A part of the figure is drawn: the methods and seeds that are complete together.
func TestPart(t *testing.T) {
	all := fixture(quantity.FirstSeeds(6)...).Setup
	all.Methods = append(all.Methods, fixedSigma(M(0.32)))
	runs := func(method string, seeds ...uint64) (names []string) {
		for _, seed := range seeds {
			names = append(names, Run{Method: method, Seed: seed}.Name())
		}
		return names
	}
	const control = "M32 fixed σ"
	for _, test := range []struct {
		name    string
		missing []string // runs
		methods int
		seeds   []uint64
	}{
		{"everything", nil, 3, quantity.FirstSeeds(6)},
		{"no control", runs(control, quantity.FirstSeeds(6)...), 2, quantity.FirstSeeds(6)},
		{"a control of one seed", runs(control, 2, 3, 4, 5, 6), 2, quantity.FirstSeeds(6)},
		{"a control of four seeds has more runs and decides nothing",
			append(runs(control, 5, 6), runs("M16", 6)...), 2, quantity.FirstSeeds(5)},
		{"a control of five seeds", runs(control, 6), 3, quantity.FirstSeeds(5)},
		{"a pair is broken", slices.Concat(runs("M16", 1), runs("M32", 2), runs(control, 4)), 2,
			[]uint64{3, 4, 5, 6}},
		{"no pair", append(runs("M16", 1), runs("M32", 2, 3, 4, 5, 6)...), 0, nil},
	} {
		var states []RunPlan
		for _, seed := range all.Seeds {
			for _, method := range all.methodNames() {
				name := Run{Method: method, Seed: seed}.Name()
				states = append(states, RunPlan{method: method, seed: seed,
					Measured: !slices.Contains(test.missing, name)})
			}
		}
		got := choosePart(Figure03, all, states)
		if len(got.methods) != test.methods || !slices.Equal(got.seeds, test.seeds) {
			t.Errorf("%s: %d methods and the seeds %v are drawn, want %d and %v", test.name,
				len(got.methods), got.seeds, test.methods, test.seeds)
		}
	}
}

// A figure whose claims are about all methods is drawn with all of them or not at all.
func TestPartHasAllMethodsOfASweep(t *testing.T) {
	setup := figure06.Runs(Desk)
	var states []RunPlan
	for _, method := range setup.methodNames()[1:] {
		states = append(states, RunPlan{method: method, seed: 1, Measured: true})
	}
	states = append(states, RunPlan{method: setup.methodNames()[0], seed: 1})
	setup.Seeds = quantity.FirstSeeds(1)
	if got := choosePart(figure06, setup, states); len(got.seeds) != 0 {
		t.Errorf("the part has %d methods, want none: one curve lacks its first point",
			len(got.methods))
	}
}

// What isn't drawn is named, and without a complete seed the error says what is missing.
func TestCollected(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	_, err := collected(t.Context(), figure06, Quick,
		Options{Runs: filepath.Join(resultsFolder, "figure-06-quick", cardsFolder)})
	testkit.Error(t, t.Name(), err, "CIFAR-10 isn't here, so that it looks for runs on Shapes10: "+
		"`nbbnn data get cifar10`")
	figure, options := tiny(Figure03, 2), Options{Runs: t.TempDir(), Out: t.TempDir()}
	_, err = collected(t.Context(), figure, Smoke, options)
	testkit.Error(t, t.Name(), err, "are all trained and evaluated (M16 seed 1: not begun; M32 "+
		"seed 1: not begun; M16 seed 2: not begun; 1 more)")
	result := made(t, figure, options)
	last := result.Runs[3] // M32 seed 2
	testkit.NoError(t, os.Remove(last.Directory()+"/cells.csv"))
	if result, err = collected(t.Context(), figure, Smoke, options); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(result.LeftOut, "; "); got != "M16 seed 2: its seed or its method "+
		"lacks others; M32 seed 2: trained, not evaluated" {
		t.Errorf("left out are %q", got)
	}
	checkDamagedRun(t, figure, options, result.Runs[0])
}

// checkDamagedRun damages what a run scored and its card: it isn't called unfinished.
func checkDamagedRun(t *testing.T, figure Figure, options Options, run RunResult) {
	t.Helper()
	for _, name := range []string{"cells.csv", "card.json"} {
		path := filepath.Join(run.Directory(), name)
		sound := testkit.Must(os.ReadFile(path))(t)
		damaged := slices.Clone(sound)
		damaged[len(damaged)-3] ^= 1
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		_, err := collected(t.Context(), figure, Smoke, options)
		testkit.Error(t, t.Name(), err, path+" is damaged")
		testkit.NoError(t, os.WriteFile(path, sound, 0o644))
	}
}
