package nbbnn

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Images of one's own are predicted as the same images are when they are the test set, with labels
// or without.
func TestPredictImagesAgreesWithPredict(t *testing.T) {
	run, err := Open(t.TempDir(), Config{
		Network:   Network{Width: 2},
		Data:      Data{Name: "shapes10", Train: 16, Test: 10},
		Posterior: Posterior{Components: 2},
		Training:  Training{Epochs: 1, Batch: 8, Samples: 2, LearningRate: 0.01},
	})
	if err != nil {
		t.Fatal(err)
	}
	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: "shapes10", TrainCount: 16, TestCount: 10}))(t)
	if _, err := run.PredictImages(t.Context(), data.Test, 4); err == nil {
		t.Error("a run that isn't trained predicts")
	}
	testkit.NoError(t, run.Train(t.Context(), nil))
	want, _, err := run.Predict(t.Context(), Evaluation{Samples: 4}, score.Clean, 0)
	if err != nil {
		t.Fatal(err)
	}
	own := data.Test
	own.Labels = nil
	got, err := run.PredictImages(t.Context(), own, 4)
	if err != nil || got.Images != 10 || got.Samples != 4 || !slices.Equal(got.LogProbabilities, want.LogProbabilities) {
		t.Errorf("%d images x %d samples, error %v: want the 10 x 4 of Predict, bit for bit", got.Images, got.Samples, err)
	}
	sum := 0.0
	for _, probability := range got.MeanProbabilities(9) {
		sum += probability
	}
	near(t, "sum of the probabilities", sum, 1.0, 1e-6)
	for _, c := range []struct {
		name    string
		images  dataset.Images
		samples int
		want    string
	}{
		{"no images", dataset.Images{Height: 32, Width: 32}, 4, "of one image or more"},
		{"no size", dataset.Images{Pixels: make([]uint8, 3072)}, 4, "0 x 0 pixels"},
		{"too few pixels", dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 3071)}, 4, "3071 bytes"},
		{"too many labels", dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 3072), Labels: []uint8{1, 2}}, 4, "2 images"},
		{"another size", dataset.Images{Height: 16, Width: 32, Pixels: make([]uint8, 1536)}, 4, "trained on 32 x 32"},
		{"samples that can't be shared", data.Test, 3, "3 samples"},
	} {
		if _, err := run.PredictImages(t.Context(), c.images, c.samples); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// Pixels that are no bytes are predicted as the bytes are.
func TestPredictValues(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	images := data.Test.Slice(0, 3)
	values := make([]float32, len(images.Pixels))
	for i, pixel := range images.Pixels {
		values[i] = float32(pixel) / 255
	}
	got := testkit.Must(run.PredictValues(t.Context(), values, 32, 32, 4))(t)
	want := testkit.Must(run.PredictImages(t.Context(), images, 4))(t)
	near(t, "log-probabilities of values and of bytes", got.LogProbabilities, want.LogProbabilities, 1e-5)
	if _, err := run.PredictValues(t.Context(), values[1:], 32, 32, 4); err == nil {
		t.Error("values that aren't whole images are predicted")
	}
}
