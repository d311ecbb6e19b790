package nbbnn

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// changeCheckpoint sets all values of one tensor of a run's checkpoint.
func changeCheckpoint(t *testing.T, run *Run, name string, value float32) {
	t.Helper()
	stored, metadata, err := safetensors.Read(run.checkpointPath())
	testkit.NoError(t, err)
	i := slices.IndexFunc(stored, func(tensor safetensors.Tensor) bool {
		return tensor.Name == name
	})
	for at := 0; at < len(stored[i].Data); at += 4 {
		binary.LittleEndian.PutUint32(stored[i].Data[at:], math.Float32bits(value))
	}
	metadata = run.checkpoints().sealed(metadata[stateKey], stored)
	testkit.NoError(t, safetensors.Write(run.checkpointPath(), stored, metadata))
}

// The error names what isn't finite first: a layer whose output overflows, or parameters that are
// broken already.
func TestLossErrorNamesTheLayer(t *testing.T) {
	for _, c := range []struct {
		name, network string
		tensor        string
		value         float32
		want          string
	}{
		{"a layer overflows", "allcnnc", "theta.conv3.weights", 3e38,
			"at epoch 2, step 3, first in layer conv3: the checkpoint of epoch 1 is kept"},
		{"a normalisation overflows", "resnet18", "theta.stage2.block1.norm1.scale", 3e38,
			"first in layer stage2/block1/norm1"},
		{"a parameter is broken", "allcnnc", "theta.conv5.bias", float32(math.NaN()),
			"first in the parameters theta.conv5.bias"},
		{"the posterior is broken", "allcnnc", "phi.conv4.rho", float32(math.Inf(1)),
			"first in the parameters phi.conv4.rho"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := tinyConfig()
			config.Network = Network{Name: c.network, Width: 2}
			config.Training.Batch, config.Training.Samples = 16, 1
			if c.network == "resnet18" {
				config.Data.Train, config.Training.Batch = 16, 4
			}
			run := openRun(t, t.TempDir(), config)
			stopAt(t, run, 5)
			changeCheckpoint(t, run, c.tensor, c.value)
			before := testkit.Must(os.ReadFile(run.checkpointPath()))(t)
			checkError(t, "Train", run.Train(t.Context(), nil), c.want)
			if after, err := os.ReadFile(run.checkpointPath()); err != nil ||
				!slices.Equal(after, before) {
				t.Errorf("the checkpoint has changed (%v)", err)
			}
		})
	}
}

// Settings of the posterior are blamed too, if there is one.
func TestRateAdvice(t *testing.T) {
	config := Config{Objective: Objective{Gamma: 8}, Training: Training{LearningRate: 0.05,
		PosteriorLearningRate: 7.5}}
	equal(t, "advice", config.rateAdvice(),
		"try a lower learning rate (now 0.05) or one of the posterior (now 7.5; compressing the "+
			"schedule raises it) or a lower gamma (now 8)")
	config.Objective.Gamma, config.Training.LearningRate = 0, 0.06
	equal(t, "advice without gamma", config.rateAdvice(), "try a lower learning rate (now 0.06) "+
		"or one of the posterior (now 7.5; compressing the schedule raises it)")
	config.Training.LearningRate = 1e9
	equal(t, "advice about an unusual rate", config.rateAdvice(),
		"try another --learning-rate (now 1e+09)")
	config.Training.LearningRate = 0.05
	config.Posterior.Mode = Deterministic
	equal(t, "advice without latents", config.rateAdvice(), "try a lower learning rate (now 0.05)")
	for want, unusual := range map[string]Config{
		" another --rho (now 1e+20) or": {
			Method: Method{Name: baseline.SAM, Rho: 1e20}},
		" another --damp-std (now 1e+10) or": {
			Method: Method{Name: baseline.DAMP, Std: 1e10}},
		" another --swag-rate (now 1e+10) or": {
			Method: Method{Name: baseline.SWAG, Rate: 1e10}},
		" another --temperature (now 1e+20) or": {
			Method: Method{Name: baseline.CSGHMC, Temperature: 1e20}},
		" another --init-std (now 1e+06) or another --prior-std (now 1e+06) or": {
			Posterior: Posterior{InitStd: 1e6}},
		" another --prior-std (now 1e-06) or": {
			Posterior: Posterior{PriorStd: 1e-6}},
		"": {
			Posterior: Posterior{InitStd: 0.3, PriorStd: 0.1}},
	} {
		unusual.Network.Name, unusual.Data.Name = "allcnnc", dataset.Shapes10
		equal(t, "options to blame", unusual.unusual(), want)
	}
}

// Where many steps are taken at once, the step is found among them.
func TestFirstBrokenOfManySteps(t *testing.T) {
	config := tinyConfig()
	run := openRun(t, t.TempDir(), config)
	stopAt(t, run, 1)
	// which breaks the network some steps later
	changeCheckpoint(t, run, "momentum.conv2.weights", 3e38)
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	trainer := testkit.Must(newTrainer(run, data))(t)
	broken := network.NotFiniteError{Position: network.Position{Step: 1},
		Losses: network.Losses{Steps: 5}}
	place, at, err := trainer.findNotFinite(t.Context(), broken)
	if err != nil || place == "" || at.Step < 2 {
		t.Fatalf("broken in %q at step %d (%v), want a place after a step", place, at.Step+1, err)
	}
	want := fmt.Sprintf("at epoch 1, step %d, first in %s", at.Step+1, place)
	checkError(t, "Train", run.Train(t.Context(), nil), want)
}

// Checkpoints that stay have their epoch's name, and the result is the same.
func TestCheckpointsByEpoch(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 5
	config.Data.Train = 24
	run := openRun(t, t.TempDir(), config)
	testkit.NoError(t, run.TrainWith(t.Context(), TrainOptions{KeepEvery: 3}))
	files, err := filepath.Glob(filepath.Join(run.Directory(), "checkpoint", "epoch-*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "epoch-0003.safetensors" {
		t.Errorf("kept checkpoints %v (%v), want that of epoch 3", files, err)
	}
	plain := undisturbed(t, config)
	if card, err := run.Card(); err != nil || card.StateSHA256 != plain.StateSHA256 {
		t.Errorf("weights %s (%v), want %s as without them", card.StateSHA256, err,
			plain.StateSHA256)
	}
	if err := run.TrainWith(t.Context(), TrainOptions{KeepEvery: -1}); err == nil {
		t.Error("a negative number of epochs is accepted")
	}
}
