package nbbnn

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
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
	for _, latents := range []Latents{OneLatents, MeanLatents} {
		n := testkit.Must(run.trainedModel(data, 0))(t)
		stored := testkit.Must(n.Variables())(t)
		got := predictTest(t, n.With(latents), data.Test)
		folded := testkit.Must(run.config.Settings().Fold(stored, latents))(t)
		config := run.config
		config.Posterior.Mode, config.Posterior.Components, config.Objective.Gamma = Deterministic, 1, 0
		twin := testkit.Must(network.NewModel(config.Settings(), data, network.ModelOptions{}))(t)
		testkit.NoError(t, twin.SetVariables(folded))
		near(t, "log-probabilities with latents "+string(latents), got, predictTest(t, twin, data.Test), 1e-5)
		cells, err := run.Evaluate(t.Context(), Evaluation{Latents: latents, Images: 5}, nil)
		if err != nil || cells[0].Samples != 1 || cells[0].Epistemic > 1e-12 {
			t.Errorf("evaluation with latents %s: error %v, %+v; want one sample and no epistemic entropy", latents, err, cells[0])
		}
	}
}

// The entropies of a run's layers, by Monte Carlo, lie between the bound that its log holds and the
// components' mean plus log K of each layer; the joint entropy has log K only once (METHOD.md 3.2).
func TestPosteriorEntropyOfARun(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	if _, err := run.Posterior(); err == nil {
		t.Error("a run without a checkpoint has a posterior")
	}
	train(t, run)
	history := testkit.Must(run.History())(t)
	layers := testkit.Must(run.Posterior())(t)
	if len(layers) != 8 || layers[0].Name != "conv1" || len(layers[7].Mean) != 2 || len(layers[7].Mean[0]) != 10 {
		t.Fatalf("%d layers, the first %s, want the eight of All-CNN-C, the last with two components of ten", len(layers), layers[0].Name)
	}
	sum, own, slack := 0.0, 0.0, 0.0
	for _, l := range layers {
		estimate := testkit.Must(network.EstimateEntropy(l.Mean, l.Sigma, 4000, 1))(t)
		sum += estimate.Value
		slack += 4 * estimate.StandardError
		for k := range l.Sigma {
			for _, s := range l.Sigma[k] {
				own += (0.5*math.Log(2*math.Pi*math.E) + math.Log(s)) / float64(len(l.Sigma))
			}
		}
	}
	bound := history[len(history)-1].Entropy
	if bound > sum+slack || sum > own+8*math.Ln2+slack {
		t.Errorf("sum of the layers' entropies %.3f, want it between the bound %.3f and %.3f", sum, bound, own+8*math.Ln2)
	}
	mean, sigma := network.JoinPosterior(layers)
	joint := testkit.Must(network.EstimateEntropy(mean, sigma, 4000, 1))(t)
	if joint.Value < own-4*joint.StandardError || joint.Value > own+math.Ln2+4*joint.StandardError {
		t.Errorf("joint entropy %.3f, want it between %.3f and log 2 above", joint.Value, own)
	}
}

// What a run's network is asked for depends on no results: damaged ones are no obstacle.
func TestModelReadsNoResults(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	for _, name := range []string{"cells.csv", "bins.csv"} {
		testkit.NoError(t, os.WriteFile(run.path(name), []byte("damaged\n"), 0o644))
	}
	if _, err := run.Evaluate(t.Context(), Evaluation{Images: 1, Samples: 2}, nil); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("an evaluation: error %v, want one that says what is damaged", err)
	}
	m := testkit.Must(run.Model(t.Context()))(t)
	if m.Classes != 10 || m.Height != 32 || m.Mean[0] <= 0 || m.Std[0] <= 0 {
		t.Errorf("%d classes, %d rows of pixels, mean %v, std %v; want those of shapes10", m.Classes, m.Height, m.Mean, m.Std)
	}
	image := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 32*32*3)}
	values := make([]float32, 32*32*3)
	for what, call := range map[string]func() error{
		"PredictImages": func() error { _, err := run.PredictImages(t.Context(), image, 2); return err },
		"PredictValues": func() error { _, err := run.PredictValues(t.Context(), values, 32, 32, 2); return err },
		"ImplicitCorruptions": func() error {
			_, err := run.ImplicitCorruptions(t.Context(), implicit.Settings{Images: 1, Draws: 2, Steps: 1}, nil)
			return err
		},
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestModelRefuses(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	_, err := run.Model(t.Context())
	checkError(t, "an untrained run", err, "isn't trained to the end")
}
