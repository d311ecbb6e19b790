package nbbnn

import (
	"os"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// predictTest returns the log-probabilities of one sample of all images.
func predictTest(t *testing.T, m *network.Model, images dataset.Images) []float32 {
	t.Helper()
	p := testkit.Must(m.NewPredictor(images.Count(), 1, 0))(t)
	prediction := testkit.Must(p.Predict(t.Context(), images))(t)
	return prediction.LogProbabilities
}

// With latents of one the network is the one of its weights, with their mean the one folded from
// it: METHOD.md section 2.
func TestPredictionWithFixedLatents(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	for _, latents := range []network.Latents{OneLatents, MeanLatents} {
		n := testkit.Must(run.Model(t.Context()))(t)
		stored := testkit.Must(n.Variables())(t)
		got := predictTest(t, n.With(latents, 1, 0), data.Test)
		folded := testkit.Must(run.config.Settings().Fold(stored, latents))(t)
		config := run.config
		config.Posterior.Mode, config.Posterior.Components, config.Objective.Gamma = Deterministic,
			1, 0
		twin := testkit.Must(network.NewModel(config.Settings(), data, network.ModelOptions{}))(t)
		testkit.NoError(t, twin.SetVariables(folded, false))
		near(t, "log-probabilities with latents "+string(latents), got,
			predictTest(t, twin, data.Test), 1e-5)
		cells, err := run.Evaluate(t.Context(), Evaluation{Latents: latents, Images: 5}, nil)
		if err != nil || cells[0].Samples != 1 || cells[0].Epistemic > 1e-12 {
			t.Errorf("evaluation with latents %s: error %v, %+v; want one sample and no "+
				"epistemic entropy", latents, err, cells[0])
		}
	}
}

// The posterior of a run has a layer for each of the network's, and a run without weights has none.
func TestPosteriorOfARun(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	refused(t, "a run without a checkpoint has a posterior", "")(run.Posterior(0))
	train(t, run)
	layers := testkit.Must(run.Posterior(0))(t)
	if len(layers) != 8 || layers[0].Name != "conv1" || len(layers[7].Mean) != 2 ||
		len(layers[7].Mean[0]) != 10 {
		t.Fatalf("%d layers, the first %s, want the eight of All-CNN-C, the last with two "+
			"components of ten", len(layers), layers[0].Name)
	}
}

// What a run's network is asked for depends on no results: damaged ones are no obstacle.
func TestModelReadsNoResults(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	for _, name := range []string{"cells.csv", "bins.csv"} {
		testkit.NoError(t, os.WriteFile(run.path(name), []byte("damaged\n"), 0o644))
	}
	refused(t, "Evaluate", "is damaged")(run.Evaluate(t.Context(),
		Evaluation{Images: 1, Samples: 2}, nil))
	m := testkit.Must(run.Model(t.Context()))(t)
	if m.Classes != 10 || m.Height != 32 || m.Mean[0] <= 0 || m.Std[0] <= 0 {
		t.Errorf("%d classes, %d rows of pixels, mean %v, std %v; want those of shapes10",
			m.Classes, m.Height, m.Mean, m.Std)
	}
	image := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 32*32*3)}
	values := make([]float32, 32*32*3)
	for what, call := range map[string]func() error{
		"PredictImages": func() error {
			_, err := run.PredictImages(t.Context(), image, 2)
			return err
		},
		"PredictValues": func() error {
			_, err := run.PredictValues(t.Context(), values, 32, 32, 2)
			return err
		},
		"ImplicitCorruptions": func() error {
			_, err := run.ImplicitCorruptions(t.Context(), implicit.Settings{Images: 1, Draws: 2,
				Steps: 1}, nil)
			return err
		},
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Images of one's own are predicted as the same images are when they are the test set, with labels
// or without.
func TestPredictImagesAgreesWithPredict(t *testing.T) {
	run, err := Open(t.TempDir(), Config{
		Network:   Network{Width: 2},
		Data:      Data{Name: "shapes10", Train: 16, Test: 10},
		Posterior: Posterior{Components: 2},
		Training:  Training{Epochs: 1, Batch: 8, Samples: 2, LearningRate: 0.01},
	})
	testkit.NoError(t, err)
	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: "shapes10", TrainCount: 16,
		TestCount: 10}))(t)
	refused(t, "a run that isn't trained predicts", "")(run.PredictImages(t.Context(), data.Test,
		4))
	testkit.NoError(t, run.Train(t.Context(), nil))
	want, _, err := run.Predict(t.Context(), Evaluation{Samples: 4}, score.Clean, 0)
	testkit.NoError(t, err)
	own := data.Test
	own.Labels = nil
	got, err := run.PredictImages(t.Context(), own, 4)
	if err != nil || got.Images != 10 || got.Samples != 4 ||
		!slices.Equal(got.LogProbabilities, want.LogProbabilities) {
		t.Errorf("%d images x %d samples, error %v: want the 10 x 4 of Predict, bit for bit",
			got.Images, got.Samples, err)
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
		{"too few pixels", dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 3071)}, 4,
			"3071 bytes"},
		{"too many labels", dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 3072),
			Labels: []uint8{1, 2}}, 4, "2 images"},
		{"another size", dataset.Images{Height: 16, Width: 32, Pixels: make([]uint8, 1536)}, 4,
			"trained on 32 x 32"},
		{"samples that can't be shared", data.Test, 3, "3 samples"},
	} {
		refused(t, c.name, c.want)(run.PredictImages(t.Context(), c.images, c.samples))
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
	near(t, "log-probabilities of values and of bytes", got.LogProbabilities, want.LogProbabilities,
		1e-5)
	refused(t, "values that aren't whole images are predicted", "")(run.PredictValues(t.Context(),
		values[1:], 32, 32, 4))
}
