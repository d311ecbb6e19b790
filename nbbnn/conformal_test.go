package nbbnn

import (
	"slices"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// The thresholds of an evaluation are those of the test images that follow, and the sets those of
// the predictions of each cell. With 30 held-out images the thresholds aren't trivial.
func TestPredictionSetsOfAnEvaluation(t *testing.T) {
	run := trainedBriefly(t, func(c *Config) { c.Data.Test = 60 })
	evaluation := twoCorruptions
	evaluation.Images = 30
	cells, err := run.Evaluate(t.Context(), evaluation, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := run.config.OpenData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next := data.Test.Slice(30, 60)
	held, err := run.PredictImages(t.Context(), next, evaluation.Samples)
	if err != nil {
		t.Fatal(err)
	}
	want, err := score.APSThreshold(held, next.Labels, score.SetLevel, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want <= 0 || want >= 1 {
		t.Fatalf("the threshold is %v: the test proves little", want)
	}
	for _, cell := range cells {
		if cell.Sets.Plain.Threshold != want {
			t.Errorf("%s %d has the threshold %v, want %v", cell.Corruption, cell.Severity, cell.Sets.Plain.Threshold, want)
		}
	}
	corrupted, labels, err := run.Predict(t.Context(), evaluation, "brightness", 4)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := score.MeasureSets(corrupted, labels, want, nil)
	if err != nil || *cells[9].Sets == (score.ConformalSets{}) || cells[9].Sets.Plain != sets {
		t.Errorf("brightness 4 has the sets %+v (%v), want %+v", cells[9].Sets.Plain, err, sets)
	}
}

// The numbers u are uniform, the same for the same seed, and others for held-out and tested images.
func TestUniforms(t *testing.T) {
	const count = 10_000
	held, tested := uniforms(3, heldOutUniforms, count), uniforms(3, testedUniforms, count)
	if !slices.Equal(held, uniforms(3, heldOutUniforms, count)) || !slices.Equal(held[:7], uniforms(3, heldOutUniforms, 7)) {
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
