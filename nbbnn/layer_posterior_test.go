package nbbnn

import (
	"math"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// The entropies of a run's layers, by Monte Carlo, lie between the bound that its log holds and the
// components' mean plus log K of each layer; the joint entropy has log K only once (METHOD.md 3.2).
func TestPosteriorEntropyOfARun(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	if _, err := run.Posterior(); err == nil {
		t.Error("a run without a checkpoint has a posterior")
	}
	train(t, run)
	history, err := run.History()
	if err != nil {
		t.Fatal(err)
	}
	layers, err := run.Posterior()
	if err != nil {
		t.Fatal(err)
	}
	if len(layers) != 8 || layers[0].Name != "conv1" || len(layers[7].Mean) != 2 || len(layers[7].Mean[0]) != 10 {
		t.Fatalf("%d layers, the first %s, want the eight of All-CNN-C, the last with two components of ten", len(layers), layers[0].Name)
	}
	sum, own, slack := 0.0, 0.0, 0.0
	for _, l := range layers {
		estimate, err := network.EstimateEntropy(l.Mean, l.Sigma, 4000, 1)
		if err != nil {
			t.Fatal(err)
		}
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
	joint, err := network.EstimateEntropy(mean, sigma, 4000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if joint.Value < own-4*joint.StandardError || joint.Value > own+math.Ln2+4*joint.StandardError {
		t.Errorf("joint entropy %.3f, want it between %.3f and log 2 above", joint.Value, own)
	}
}
