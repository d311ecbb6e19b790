package nbbnn

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/cellstore"
	"github.com/nbbnn/workbench/internal/testkit"
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
		{TestPart, 9990, 0, 10000, TestPart, 9990, 0},
		{TestPart, 60, 50, 10000, ValidationPart, 0, 0},
	} {
		part, first, held := heldOutImages(Evaluation{Part: c.tested}, c.count, c.validation,
			c.test)
		if part != c.part || first != c.first || held != c.held {
			t.Errorf("%+v: %d images of %q from %d", c, held, part, first)
		}
	}
}

// The validation images of a run with noisy labels are spread over all of them and have the labels
// that the data set gives them.
func TestHeldOutImagesHaveTrueLabels(t *testing.T) {
	config := Data{Name: dataset.Shapes10, Train: 400, Test: 20, Validation: 100, LabelNoise: 0.5}
	noisy := testkit.Must(openParts(t.Context(), config))(t)
	config.LabelNoise, config.Validation = 0, 0
	original := testkit.Must(openParts(t.Context(), config))(t)
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
	if got := noisy.heldOut(Evaluation{}, 10, false); got.Count() != 10 ||
		string(got.Pixels) != string(noisy.Test.Slice(10, 20).Pixels) {
		t.Errorf("%d images without validation images, want the last 10 test images", got.Count())
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
	run := trainedRun(t, t.TempDir(), config)
	return run
}

// twoCorruptions is a quick test with images to spare: 6 of 20.
var twoCorruptions = Evaluation{Suite: "contrast,brightness", Samples: 4, Images: 6}

// The temperature and the thresholds of an evaluation are those fitted to the test images that
// follow; they scale the mean predictive of each cell and make its prediction sets. With 30
// held-out images the thresholds aren't trivial.
func TestCalibrationOfAnEvaluation(t *testing.T) {
	run := trainedBriefly(t, func(c *Config) { c.Data.Test = 60 })
	evaluation := twoCorruptions
	evaluation.Images = 30
	cells := testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
	next := testkit.Must(run.config.OpenData(t.Context()))(t).Test.Slice(30, 60)
	held := testkit.Must(run.PredictImages(t.Context(), next, evaluation.Samples))(t)
	temperature := testkit.Must(score.FitTemperature(held, next.Labels))(t)
	const seed = 0
	threshold := testkit.Must(score.APSThreshold(held, next.Labels, score.SetLevel,
		uniforms(seed, heldOutUniforms, 30)))(t)
	if temperature <= 0.05 || temperature >= score.MaxTemperature || threshold <= 0 ||
		threshold >= 1 {
		t.Fatalf("the temperature %v or the threshold %v is at a bound: the test proves little",
			temperature, threshold)
	}
	for _, cell := range cells {
		if cell.Temperature != temperature || cell.Further == nil || cell.Sets == nil ||
			cell.Sets.Randomised.Threshold != threshold {
			t.Errorf("%s %d has the temperature %v, the metrics %v and the sets %v, want %v, "+
				"both and the threshold %v",
				cell.Corruption, cell.Severity, cell.Temperature, cell.Further, cell.Sets,
				temperature, threshold)
		}
	}
	corrupted, labels, err := run.Predict(t.Context(), evaluation, "brightness", 4)
	testkit.NoError(t, err)
	scaled := testkit.Must(corrupted.Scaled(score.Cell{Temperature: temperature}, labels))(t)
	near(t, "scaled NLL of brightness 4", cells[9].ScaledNLL, scaled.ScaledNLL, 0)
	sets := testkit.Must(score.MeasureSets(corrupted, labels, threshold,
		uniforms(seed, testedUniforms, 30)))(t)
	other := testkit.Must(score.MeasureSets(corrupted, labels, threshold,
		uniforms(seed, heldOutUniforms, 30)))(t)
	if cells[9].Sets.Randomised != sets || sets == other {
		t.Errorf("brightness 4 has the randomised sets %+v, want %+v, and not those with the "+
			"numbers of held-out images, %+v",
			cells[9].Sets.Randomised, sets, other)
	}
	card, err := run.Card()
	if err != nil || card.Evaluation.Temperature != temperature ||
		card.Evaluation.Levels.ScaledNLL == nil {
		t.Errorf("the card has the evaluation %+v (%v), want the temperature %v", card.Evaluation,
			err, temperature)
	}
}

// stopAfter evaluates a run until some cells are reported.
func stopAfter(t *testing.T, run *Run, evaluation Evaluation, options EvaluateOptions, cells int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	options.Progress = func(u Update) {
		if u.Done == cells {
			cancel()
		}
	}
	_, err := run.EvaluateWith(ctx, evaluation, options)
	if !errors.Is(err, ErrStopped) {
		t.Fatalf("error %v, want %v", err, ErrStopped)
	}
}

// The temperature is read from the cells that are there, not fitted again.
func TestTemperatureIsReadFromTheCells(t *testing.T) {
	run := trainedBriefly(t, nil)
	stopAfter(t, run, twoCorruptions, EvaluateOptions{}, 3)
	store := openStore(t, run)
	for _, condition := range []score.Condition{{Corruption: score.Clean},
		{Corruption: "contrast", Severity: 1}, {Corruption: "contrast", Severity: 2}} {
		cell := storedCell(t, run, twoCorruptions, condition)
		cell.Temperature = 1.25
		testkit.NoError(t, store.Add(twoCorruptions.key(), cell))
	}
	cells := testkit.Must(run.Evaluate(t.Context(), twoCorruptions, nil))(t)
	if got := cells[10].Temperature; got != 1.25 {
		t.Errorf("the last cell has the temperature %v, want 1.25", got)
	}
}

// openStore opens the cells of a run.
func openStore(t *testing.T, run *Run) *cellstore.Store {
	t.Helper()
	owner := testkit.Must(run.owner())(t)
	return testkit.Must(cellstore.Open(run.directory, owner))(t)
}

// storedCell is a cell of a filled evaluation that the run has.
func storedCell(t *testing.T, run *Run, evaluation Evaluation,
	condition score.Condition) score.Cell {
	t.Helper()
	cell, found := openStore(t, run).Find(evaluation.key(), condition, false)
	if !found {
		t.Fatalf("the run has no cell %v", condition)
	}
	return cell
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return string(data)
}

// allImages leaves no test image for a temperature.
var allImages = Evaluation{Suite: "contrast,brightness", Samples: 4}

// A test that leaves few images has cross-fitted temperatures, unless the run held images out. They
// are the same if it's stopped, and after a clean cell of an earlier version, which has none.
func TestCrossFittedTemperatureOfAnEvaluation(t *testing.T) {
	run := trainedBriefly(t, func(c *Config) { c.Data.Test = CrossFitImages + 2 })
	nearlyAll := allImages
	nearlyAll.Images = CrossFitImages
	stopAfter(t, run, nearlyAll, EvaluateOptions{}, 1)
	clean := score.Condition{Corruption: score.Clean}
	earlier := storedCell(t, run, nearlyAll, clean)
	earlier.Temperature, earlier.OddTemperature, earlier.ScaledNLL = 0, 0, 0
	testkit.NoError(t, openStore(t, run).Add(nearlyAll.key(), earlier))
	stopAfter(t, run, nearlyAll, EvaluateOptions{}, 3)
	folder := t.TempDir()
	cells := testkit.Must(run.EvaluateWith(t.Context(), nearlyAll, EvaluateOptions{Save: folder,
		SaveSamples: true}))(t)
	if cells[0].Temperature > 0 || cells.Scaled() {
		t.Errorf("the clean cell is %+v, want it as it was", cells[0])
	}
	test := testkit.Must(run.config.OpenData(t.Context()))(t).Test.Slice(0, CrossFitImages)
	p := testkit.Must(run.PredictImages(t.Context(), test, nearlyAll.Samples))(t)
	even, odd, err := p.CrossFitTemperatures(test.Labels)
	testkit.NoError(t, err)
	for _, cell := range cells[1:] {
		saved := testkit.Must(score.ReadSaved((&saver{folder: folder}).path(cell.Condition())))(t)
		again := testkit.Must(saved.Cell())(t)
		if cell.Temperature != even || cell.OddTemperature != odd || cell.Sets != nil ||
			again.ScaledNLL != cell.ScaledNLL {
			t.Errorf("%+v has temperatures other than %v and %v, or %v as saved", cell, even, odd,
				again.ScaledNLL)
		}
	}
	again := nearlyAll
	again.Seed = 1
	cells = testkit.Must(run.Evaluate(t.Context(), again, nil))(t)
	if card := testkit.Must(run.Card())(t); !cells.Scaled() ||
		card.Evaluation.Levels.ScaledNLL == nil {
		t.Errorf("scaled %v, the card has the levels %+v, want a scaled NLL", cells.Scaled(),
			card.Evaluation.Levels)
	}
	held := trainedBriefly(t, func(c *Config) { c.Data.Validation = 20 })
	for _, e := range []Evaluation{allImages, {Samples: 2, Part: ValidationPart}} {
		if cells := testkit.Must(held.Evaluate(t.Context(), e, nil))(t); !cells.Scaled() ||
			cells[0].OddTemperature > 0 || cells[0].Sets == nil {
			t.Errorf("with held-out images the clean cell is %+v, want one temperature", cells[0])
		}
	}
}

// An evaluation of an earlier version, without temperatures, isn't computed again.
func TestCellsWithoutATemperatureStay(t *testing.T) {
	run := trainedBriefly(t, nil)
	cells, store := testkit.Must(run.Evaluate(t.Context(), allImages, nil))(t), openStore(t, run)
	for _, cell := range cells {
		cell.Temperature, cell.OddTemperature, cell.ScaledNLL = 0, 0, 0
		testkit.NoError(t, store.Add(allImages.key(), cell))
	}
	text := fileText(t, run.path("cells.csv"))
	testkit.Must(run.Evaluate(t.Context(), allImages, func(Update) {
		t.Error("a cell is computed again")
	}))(t)
	if fileText(t, run.path("cells.csv")) != text {
		t.Error("cells.csv isn't as it was")
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
		ensemble := testkit.Must(OpenEnsemble(directory, members...))(t)
		cells := testkit.Must(ensemble.Evaluate(t.Context(), twoCorruptions, nil))(t)
		data := testkit.Must(first.config.OpenData(t.Context()))(t)
		next := data.Test.Slice(6, 12)
		var predictions []score.Prediction
		for _, member := range ensemble.members {
			prediction := testkit.Must(member.PredictImages(t.Context(), next,
				twoCorruptions.Samples))(t)
			predictions = append(predictions, prediction)
		}
		joined := testkit.Must(score.JoinPredictions(predictions...))(t)
		want := testkit.Must(score.FitTemperature(joined, next.Labels))(t)
		near(t, "temperature of the ensemble", cells[10].Temperature, want, 0)
	}
}

// The numbers u are uniform, the same for the same seed, and others for held-out and tested images.
func TestUniforms(t *testing.T) {
	const count = 10_000
	held, tested := uniforms(3, heldOutUniforms, count), uniforms(3, testedUniforms, count)
	if !slices.Equal(held, uniforms(3, heldOutUniforms, count)) ||
		!slices.Equal(held[:7], uniforms(3, heldOutUniforms, 7)) {
		t.Error("the same seed gives other numbers")
	}
	var mean, square, product float64
	for i := range held {
		mean += held[i] / count
		square += held[i] * held[i] / count
		product += held[i] * tested[i] / count
	}
	near(t, "mean", mean, 0.5, 0.01)
	near(t, "mean of squares", square, 1.0/3, 0.01)
	near(t, "mean of products", product, 0.25, 0.01)
}
