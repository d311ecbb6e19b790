package nbbnn_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// changedLater takes the place of a definition that somebody edits between two programs.
var changedLater struct{ kernel int }

func init() {
	err := network.Define("changed_later", func(b *network.Builder) network.Value {
		x := b.Image().Convolve(network.Convolution{Channels: b.Width(), Stride: 2}).Normalise().ReLU()
		x = x.Convolve(network.Convolution{Channels: b.Width(), Kernel: changedLater.kernel}).ReLU().MaxPool()
		return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
	}, network.Defaults{Width: 4, Epochs: 2, Batch: 8, LearningRate: 0.01})
	if err != nil {
		panic(err)
	}
}

func ownConfig(mode nbbnn.Mode, components int) nbbnn.Config {
	return nbbnn.Config{
		Network:   nbbnn.Network{Name: "changed_later"},
		Data:      nbbnn.Data{Name: "shapes10", Train: 16, Test: 10},
		Posterior: nbbnn.Posterior{Mode: mode, Components: components},
		Training:  nbbnn.Training{Samples: 1},
	}
}

func trainOwn(t *testing.T, directory string, config nbbnn.Config) *nbbnn.Run {
	t.Helper()
	run := testkit.Must(nbbnn.Open(directory, config))(t)
	testkit.NoError(t, run.Train(context.Background(), nil))
	return run
}

// The same configuration of a changed definition is another run. The old run gives its results, and
// nothing else.
func TestChangedDefinitionIsAnotherRun(t *testing.T) {
	directory := t.TempDir()
	before := trainOwn(t, directory, ownConfig(nbbnn.Output, 1))
	changedLater.kernel = 5
	defer func() { changedLater.kernel = 0 }()
	after := testkit.Must(nbbnn.Open(directory, ownConfig(nbbnn.Output, 1)))(t)
	if after.Hash() == before.Hash() || after.Complete() {
		t.Errorf("the changed network has the run %s of the old one", before.Directory())
	}
	want := "the layers of changed_later have changed: the configuration has the fingerprint " + before.Config().Network.Fingerprint
	testkit.Error(t, "the old configuration", before.Config().Validate(), want)
	_, err := nbbnn.Open(t.TempDir(), before.Config())
	testkit.Error(t, "a new run of it", err, want)
	config := testkit.Must(nbbnn.ReadConfig(filepath.Join(before.Directory(), "config.json")))(t)
	old, err := nbbnn.Open(directory, config)
	testkit.NoError(t, err)
	if card, err := old.Card(); err != nil || card.ConfigHash != before.Hash() || card.Config != before.Config() {
		t.Errorf("the old run's card: %v, of %s, want %s", err, card.ConfigHash, before.Hash())
	}
	_, err = old.Evaluate(context.Background(), nbbnn.Evaluation{Samples: 2, Images: 5, Suite: "fog"}, nil)
	testkit.Error(t, "evaluating the old run", err, want)
	testkit.Error(t, "exporting the old run", old.Export(filepath.Join(t.TempDir(), "w.safetensors"), network.WorkbenchLayout), want)
}

func TestOwnNetworkRefusesImagesThatItCannotTake(t *testing.T) {
	err := network.Define("too_deep", func(b *network.Builder) network.Value {
		x := b.Image().Convolve(network.Convolution{Channels: b.Width()})
		for range 6 {
			x = x.MaxPool()
		}
		return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
	})
	testkit.NoError(t, err)
	config := ownConfig(nbbnn.Output, 1)
	config.Network.Name, config.Training.Batch = "too_deep", 8
	_, err = nbbnn.Open(t.TempDir(), config)
	testkit.Error(t, "32 pixels", err, "too_deep takes no images of 32 x 32 pixels: a max pool shrinks 1 x 1 pixels below one; it takes square images of 64 pixels and more")
}

// What reads a trained network reads an own one too: its layers, implicit corruptions, ensembles,
// estimates.
func TestOwnNetworkServesEverythingThatReadsRuns(t *testing.T) {
	ctx, directory := context.Background(), t.TempDir()
	config := ownConfig(nbbnn.Both, 2)
	run := trainOwn(t, directory, config)
	found, err := run.ImplicitCorruptions(ctx, implicit.Settings{Lambda: []float64{0.1}, Steps: 5}, nil)
	if err != nil || len(found) != 2 {
		t.Errorf("%d implicit corruptions, error %v, want one of each component", len(found), err)
	}
	m := testkit.Must(run.Model(ctx))(t)
	data := testkit.Must(run.Config().OpenData(ctx))(t)
	for _, layer := range []string{"conv1", "conv2", "dense1"} {
		outputs, err := implicit.LayerOutputs(ctx, m, implicit.LayerDraws{Layer: layer, Draws: 4}, data.Test.Slice(0, 1))
		if err != nil || len(outputs) != 4 {
			t.Errorf("%s: outputs of %d draws, error %v, want 4", layer, len(outputs), err)
		}
	}
	config.Seed = 1
	ensemble := testkit.Must(nbbnn.OpenEnsemble(directory, run, trainOwn(t, directory, config)))(t)
	if cells, err := ensemble.Evaluate(ctx, nbbnn.Evaluation{Samples: 2, Images: 5, Suite: "fog"}, nil); err != nil || len(cells) != 6 {
		t.Errorf("%d cells of the ensemble, error %v, want 6", len(cells), err)
	}
	if cost, err := nbbnn.EstimateTraining(ctx, config); err != nil || cost.Steps != 2 || cost.TotalSeconds <= 0 {
		t.Errorf("cost %+v, error %v, want 2 steps an epoch", cost, err)
	}
}
