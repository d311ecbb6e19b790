package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
)

// predictTest returns the log-probabilities of one sample of all images.
func predictTest(t *testing.T, n *network, images dataset.Images) []float32 {
	t.Helper()
	p, err := newPredictor(n, images.Count(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	prediction, err := p.predict(t.Context(), images)
	if err != nil {
		t.Fatal(err)
	}
	return prediction.LogProbabilities
}

// With latents of one the network is the one of its weights, with their mean the one folded from it: METHOD.md section 2.
func TestPredictionWithFixedLatents(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	trainedCard(t, run)
	data, err := run.openData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, latents := range []Latents{OneLatents, MeanLatents} {
		n, err := run.trainedNetwork(data, 0)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := storeTensors(n.store)
		if err != nil {
			t.Fatal(err)
		}
		n.fixed = latents
		got := predictTest(t, n, data.Test)
		folded, err := fold(run.config, stored, latents)
		if err != nil {
			t.Fatal(err)
		}
		config := run.config
		config.Posterior.Mode = Deterministic
		twin, err := newNetwork(config, data)
		if err != nil {
			t.Fatal(err)
		}
		setFolded(t, twin.store, folded)
		near(t, "log-probabilities with latents "+string(latents), got, predictTest(t, twin, data.Test), 1e-5)
		cells, err := run.Evaluate(t.Context(), Evaluation{Latents: latents, Images: 5}, nil)
		if err != nil || cells[0].Samples != 1 || cells[0].Epistemic > 1e-12 {
			t.Errorf("evaluation with latents %s: error %v, %+v; want one sample and no epistemic entropy", latents, err, cells[0])
		}
	}
}
