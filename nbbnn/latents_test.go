package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// predictTest returns the log-probabilities of one sample of all images.
func predictTest(t *testing.T, m *network.Model, images dataset.Images) []float32 {
	t.Helper()
	p, err := m.NewPredictor(images.Count(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	prediction, err := p.Predict(t.Context(), images)
	if err != nil {
		t.Fatal(err)
	}
	return prediction.LogProbabilities
}

// With latents of one the network is the one of its weights, with their mean the one folded from
// it: METHOD.md section 2.
func TestPredictionWithFixedLatents(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	data, err := run.config.OpenData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, latents := range []Latents{OneLatents, MeanLatents} {
		n, err := run.trainedModel(data, 0)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := n.Variables()
		if err != nil {
			t.Fatal(err)
		}
		got := predictTest(t, n.With(latents), data.Test)
		folded, err := run.config.Settings().Fold(stored, latents)
		if err != nil {
			t.Fatal(err)
		}
		config := run.config
		config.Posterior.Mode, config.Posterior.Components, config.Objective.Gamma = Deterministic, 1, 0
		twin, err := network.NewModel(config.Settings(), data, network.ModelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := twin.SetVariables(folded); err != nil {
			t.Fatal(err)
		}
		near(t, "log-probabilities with latents "+string(latents), got, predictTest(t, twin, data.Test), 1e-5)
		cells, err := run.Evaluate(t.Context(), Evaluation{Latents: latents, Images: 5}, nil)
		if err != nil || cells[0].Samples != 1 || cells[0].Epistemic > 1e-12 {
			t.Errorf("evaluation with latents %s: error %v, %+v; want one sample and no epistemic entropy", latents, err, cells[0])
		}
	}
}
