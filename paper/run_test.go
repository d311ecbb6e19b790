package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// tiny makes a figure so small that it's done in a moment.
func tiny(figure Figure, seeds int) Figure {
	return figure.Adjust(func(setup *Setup) {
		setup.Config.Network.Width = 2
		setup.Config.Data.Train, setup.Config.Data.Test = 32, 8
		setup.Config.Training.Epochs, setup.Config.Training.Batch, setup.Config.Training.Samples = 1, 8, 1
		if setup.Ensemble > 0 {
			setup.Config.Training.Epochs = 4 // SWAG collects the weights of the last two
		}
		setup.Evaluation.Images, setup.Evaluation.Samples = 2, 1
		setup.Seeds = FirstSeeds(seeds)
	})
}

// A folder that results can't be written into is refused before anything is trained.
func TestMakeChecksOutFirst(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, cards := range []bool{false, true} {
		options := Options{Runs: filepath.Join(directory, "runs"), Out: filepath.Join(file, "out"), Cards: cards}
		_, _, err := Make(t.Context(), tiny(Figure03, 1), Smoke, options)
		testkit.Error(t, t.Name(), err, "no results can be written into "+options.Out)
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
	if len(result.Runs) != 4 || len(files) != 3 || updates == 0 {
		t.Errorf("%d runs, %d files, %d updates, want 4, 3 and some", len(result.Runs), len(files), updates)
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
	if err != nil || plan.Missing() || plan.Operations() != 0 {
		t.Errorf("plan is %+v, %v, want nothing left to do", plan, err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return data
}

func checkCSV(t *testing.T, path string) {
	t.Helper()
	rows := testkit.Must(csv.NewReader(bytes.NewReader(readFile(t, path))).ReadAll())(t)
	if want := 1 + 2*len(reported)*score.LevelCount; len(rows) != want {
		t.Errorf("%d lines, want %d", len(rows), want)
	}
	if got := strings.Join(rows[1][:3], " "); got != "M16 NLL 0" {
		t.Errorf("the first line is of %q, want M16 NLL 0", got)
	}
	if got := strings.Join(rows[1][5:9], " "); got != "first8 1 2 2" {
		t.Errorf("suite, samples, images and seeds are %q, want first8 1 2 2", got)
	}
}

func checkJSON(t *testing.T, path string) {
	t.Helper()
	var report Report
	testkit.NoError(t, json.Unmarshal(readFile(t, path), &report))
	if report.Suite == "" || report.Samples != 1 || report.Images != 2 || len(report.Seeds) != 2 {
		t.Errorf("report is of suite %q, %d samples, %d images, seeds %v", report.Suite, report.Samples, report.Images, report.Seeds)
	}
	if got := len(report.Methods[0].Entropy.Mean); got != 2 {
		t.Errorf("%d entropies, want the start and one epoch", got)
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
	if got, found := result.published("M16", NLL); !found || got.Mean[5] != 2.1554 || got.Corruptions != 19 {
		t.Errorf("with CIFAR-10 the paper's curve is %v", got)
	}
	if got, found := result.published("M16", ECE); found {
		t.Errorf("the paper's ECE is %v, want none", got)
	}
}

func TestCorruptionFigure(t *testing.T) {
	if _, err := Figure03.CorruptionFigure(t.Context(), Smoke, 3, "gaussian_noise", "contrast"); err != nil {
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
	figure := Figure03.Adjust(func(s *Setup) { s.Seeds = FirstSeeds(1) })
	_, err := figure.Evaluate(t.Context(), Smoke, Options{Runs: t.TempDir()})
	const want = "paper: 2 of 2 runs aren't trained to the end (M16 seed 1: not begun, M32 seed 1: not begun): run the training again to continue"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
