package nbbnn

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestHeldOutImages(t *testing.T) {
	for _, c := range []struct {
		tested                  Part
		count, validation, test int
		part                    Part
		first, held             int
	}{
		{TestPart, 1000, 0, 10000, TestPart, 1000, 1000},
		{TestPart, 7000, 0, 10000, TestPart, 7000, 3000},
		{TestPart, 10000, 0, 10000, TestPart, 10000, 0},
		{TestPart, 10000, 5000, 10000, ValidationPart, 0, 5000},
		{TestPart, 1000, 5000, 10000, ValidationPart, 0, 1000},
		{ValidationPart, 5000, 5000, 10000, TestPart, 0, 1000},
		{ValidationPart, 50, 50, 10000, TestPart, 0, 50},
		{CleanLabels, 45000, 5000, 10000, ValidationPart, 0, 1000},
		{CleanLabels, 45000, 500, 10000, ValidationPart, 0, 500},
		{NoisyLabels, 30000, 0, 10000, TestPart, 0, 1000},
		{CleanPart, 4000, 0, 10000, TestPart, 4000, 1000},
		{CleanPart, 10000, 0, 10000, TestPart, 10000, 0},
		{CleanPart, 4000, 500, 10000, ValidationPart, 0, 500},
	} {
		part, first, held := heldOutImages(Evaluation{Part: c.tested}, c.count, c.validation, c.test)
		if part != c.part || first != c.first || held != c.held {
			t.Errorf("%+v: %d images of %q from %d", c, held, part, first)
		}
	}
}

// The validation images of a run with noisy labels are spread over all of them and have the labels
// that the data set gives them.
func TestHeldOutImagesHaveTrueLabels(t *testing.T) {
	config := Data{Name: dataset.Shapes10, Train: 400, Test: 20, Validation: 100, LabelNoise: 0.5}
	noisy, err := openParts(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	config.LabelNoise, config.Validation = 0, 0
	original, err := openParts(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	held := noisy.heldOut(Evaluation{}, 10, true)
	wrong := 0
	for i := range 10 {
		place := noisy.held[10*i] // every tenth of the hundred
		want := original.Train.Slice(place, place+1)
		got := held.Slice(i, i+1)
		if string(got.Pixels) != string(want.Pixels) || got.Labels[0] != want.Labels[0] {
			t.Errorf("image %d isn't training image %d with its label %d", i, place, want.Labels[0])
		}
		if noisy.validation.Labels[10*i] != want.Labels[0] {
			wrong++
		}
	}
	if wrong == 0 {
		t.Error("no label of the held-out images is noisy: the test proves nothing")
	}
	if got := noisy.heldOut(Evaluation{}, 15, false); got.Count() != 5 || string(got.Pixels) != string(noisy.Test.Slice(15, 20).Pixels) {
		t.Errorf("%d images without validation images, want the last 5 test images", got.Count())
	}
}

// trainedBriefly is a run of a few epochs, whose predictions differ from guessing.
func trainedBriefly(t *testing.T, change func(*Config)) *Run {
	t.Helper()
	config := tinyConfig()
	config.Training.LearningRate = 0.1
	if change != nil {
		change(&config)
	}
	run := openRun(t, t.TempDir(), config)
	train(t, run)
	return run
}

// twoCorruptions is a quick test with images to spare: 6 of 20.
var twoCorruptions = Evaluation{Suite: "contrast,brightness", Samples: 4, Images: 6}

// The temperature of an evaluation is the one fitted to the test images that follow, and scales the
// mean predictive of each cell.
func TestTemperatureOfAnEvaluation(t *testing.T) {
	run := trainedBriefly(t, nil)
	cells, err := run.Evaluate(t.Context(), twoCorruptions, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := run.config.OpenData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next := data.Test.Slice(6, 12)
	prediction, err := run.PredictImages(t.Context(), next, twoCorruptions.Samples)
	if err != nil {
		t.Fatal(err)
	}
	want, err := score.FitTemperature(prediction, next.Labels)
	if err != nil {
		t.Fatal(err)
	}
	if want <= score.MinTemperature || want >= score.MaxTemperature {
		t.Fatalf("the temperature %v is at a bound: the test proves little", want)
	}
	for _, cell := range cells {
		if cell.Temperature != want {
			t.Errorf("%s %d has the temperature %v, want %v", cell.Corruption, cell.Severity, cell.Temperature, want)
		}
		if cell.Further == nil || cell.Sets == nil {
			t.Errorf("%s %d has the metrics %v and sets %v, want both", cell.Corruption, cell.Severity, cell.Further, cell.Sets)
		}
	}
	corrupted, labels, err := run.Predict(t.Context(), twoCorruptions, "brightness", 4)
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := corrupted.ScaledNLL(labels, want)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "scaled NLL of brightness 4", cells[9].ScaledNLL, scaled, 0)
	card, err := run.Card()
	if err != nil || card.Evaluation.Temperature != want || card.Evaluation.Levels.ScaledNLL == nil {
		t.Errorf("the card has the evaluation %+v (%v), want the temperature %v", card.Evaluation, err, want)
	}
}

// stopAfter evaluates a run until some cells are reported.
func stopAfter(t *testing.T, run *Run, cells int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := run.Evaluate(ctx, twoCorruptions, func(u Update) {
		if u.Done == cells {
			cancel()
		}
	})
	if !errors.Is(err, ErrStopped) {
		t.Fatalf("error %v, want %v", err, ErrStopped)
	}
}

// A stopped evaluation continues with the temperature that its cells have, to the last bit.
func TestStoppedEvaluationKeepsItsTemperature(t *testing.T) {
	run := trainedBriefly(t, nil)
	if _, err := run.Evaluate(t.Context(), twoCorruptions, nil); err != nil {
		t.Fatal(err)
	}
	whole := fileText(t, run.path("cells.csv"))
	for _, name := range []string{"cells.csv", "bins.csv"} {
		if err := os.Remove(run.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	stopAfter(t, run, 3)
	if _, err := run.Evaluate(t.Context(), twoCorruptions, nil); err != nil {
		t.Fatal(err)
	}
	if got := fileText(t, run.path("cells.csv")); got != whole {
		t.Errorf("continued, cells.csv is\n%s\nwant\n%s", got, whole)
	}
}

// The temperature is read from the cells that are there, not fitted again.
func TestTemperatureIsReadFromTheCells(t *testing.T) {
	run := trainedBriefly(t, nil)
	stopAfter(t, run, 3)
	store := openStore(t, run)
	for _, condition := range []score.Condition{{Corruption: score.Clean}, {Corruption: "contrast", Severity: 1}, {Corruption: "contrast", Severity: 2}} {
		cell := storedCell(t, run, condition)
		cell.Temperature = 1.25
		if err := store.Add(twoCorruptions.key(), cell); err != nil {
			t.Fatal(err)
		}
	}
	cells, err := run.Evaluate(t.Context(), twoCorruptions, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := cells[10].Temperature; got != 1.25 {
		t.Errorf("the last cell has the temperature %v, want 1.25", got)
	}
}

// openStore opens the cells of a run.
func openStore(t *testing.T, run *Run) *score.Store {
	t.Helper()
	owner, err := run.owner()
	if err != nil {
		t.Fatal(err)
	}
	store, err := score.OpenStore(run.directory, owner)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// storedCell is a cell of twoCorruptions that the run has.
func storedCell(t *testing.T, run *Run, condition score.Condition) score.Cell {
	t.Helper()
	cell, found := openStore(t, run).Find(twoCorruptions.key(), condition)
	if !found {
		t.Fatalf("the run has no cell %v", condition)
	}
	return cell
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A test of all test images leaves none for a temperature unless the run held some out.
func TestNoImagesForATemperature(t *testing.T) {
	all := twoCorruptions
	all.Images = 0
	run := trainedBriefly(t, nil)
	cells, err := run.Evaluate(t.Context(), all, nil)
	if err != nil || cells.Scaled() || cells[0].IsScaled() {
		t.Fatalf("all test images: scaled %v, error %v, want no temperature", cells.Scaled(), err)
	}
	computed := func(Update) { t.Error("an evaluation without a temperature is computed again") }
	if _, err := run.Evaluate(t.Context(), all, computed); err != nil {
		t.Error(err)
	}
	held := trainedBriefly(t, func(c *Config) { c.Data.Validation = 10 })
	if cells, err = held.Evaluate(t.Context(), all, nil); err != nil || !cells.Scaled() {
		t.Errorf("with validation images: scaled %v, error %v, want a temperature", cells.Scaled(), err)
	}
	part := Evaluation{Samples: 2, Part: ValidationPart}
	if cells, err = held.Evaluate(t.Context(), part, nil); err != nil || !cells.Scaled() {
		t.Errorf("on validation images: scaled %v, error %v, want a temperature", cells.Scaled(), err)
	}
}

// An ensemble has a temperature of its own, that of the average of its members. Members that hold
// out different images take test images.
func TestTemperatureOfAnEnsemble(t *testing.T) {
	directory := t.TempDir()
	first, second := twoRuns(t, directory)
	for _, c := range []struct{ validation int }{{0}, {10}} {
		members := []*Run{first, second}
		if c.validation > 0 {
			config := first.config
			config.Data.Validation = c.validation
			members[0] = openRun(t, directory, config)
		}
		for _, member := range members {
			train(t, member)
		}
		ensemble, err := OpenEnsemble(directory, members...)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := ensemble.Evaluate(t.Context(), twoCorruptions, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := first.config.OpenData(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		next := data.Test.Slice(6, 12)
		var predictions []score.Prediction
		for _, member := range ensemble.Members() {
			prediction, err := member.PredictImages(t.Context(), next, twoCorruptions.Samples)
			if err != nil {
				t.Fatal(err)
			}
			predictions = append(predictions, prediction)
		}
		joined, err := score.JoinPredictions(predictions...)
		if err != nil {
			t.Fatal(err)
		}
		want, err := score.FitTemperature(joined, next.Labels)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "temperature of the ensemble", cells[10].Temperature, want, 0)
	}
}
