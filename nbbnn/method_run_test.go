package nbbnn

import (
	"errors"
	"math"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// methodConfig is a tiny network with batch normalisation, trained by a method for 4 epochs of 3
// steps.
func methodConfig(method Method) Config {
	config := tinyConfig()
	config.Network = Network{Name: "resnet18", Width: 2}
	config.Data.Train, config.Training.Batch, config.Training.Epochs = 24, 8, 4
	return config.With(method)
}

// methodsTested are the methods with options that a training of 4 epochs can have.
var methodsTested = []Method{
	{Name: baseline.MAP},
	{Name: baseline.SAM},
	{Name: baseline.ASAM, BothPasses: true},
	{Name: baseline.SWAG, Start: 1, Rank: 2},
	{Name: baseline.SWAG, Diagonal: true},
	{Name: baseline.CSGHMC, Cycles: 2},
	{Name: baseline.MCDropout},
	{Name: baseline.DAMP, SubBatches: 4},
}

// A run of any method that is stopped and continued ends with the same weights, bit for bit, as one
// that wasn't; its card names the method, and both predict the same.
func TestMethodsContinueBitForBit(t *testing.T) {
	evaluation := Evaluation{Suite: "fog", Images: 4, Samples: 2}
	for _, method := range methodsTested {
		t.Run(string(method.Name), func(t *testing.T) {
			config := methodConfig(method)
			whole, run := openRun(t, t.TempDir(), config), openRun(t, t.TempDir(), config)
			want := trainedCard(t, whole)
			for _, step := range []int{2, 6, 10} {
				if err := trainUntil(t, run, step); !errors.Is(err, ErrStopped) {
					t.Fatalf("stopped at step %d: error %v, want %v", step, err, ErrStopped)
				}
			}
			got := trainedCard(t, run)
			if got.StateSHA256 != want.StateSHA256 {
				t.Errorf("weights %s after three stops, %s without", got.StateSHA256, want.StateSHA256)
			}
			if got.Method != string(method.Name) {
				t.Errorf("the card names the method %q, want %q", got.Method, method.Name)
			}
			first, err := whole.Evaluate(t.Context(), evaluation, nil)
			if err != nil {
				t.Fatal(err)
			}
			second, err := run.Evaluate(t.Context(), evaluation, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range first {
				if first[i].NLL != second[i].NLL || first[i].NLL <= 0 {
					t.Errorf("cell %d has NLL %v, and %v after three stops: want the same, above 0", i, first[i].NLL, second[i].NLL)
				}
			}
		})
	}
}

func init() {
	defaults := network.Defaults{Width: 4, Epochs: 2, Batch: 8, LearningRate: 0.01}
	err := network.Define("baseline_own", func(b *network.Builder) network.Value {
		x := b.Image().Convolve(network.Convolution{Channels: b.Width(), Stride: 2}).Normalise().ReLU()
		return x.AveragePool().Dense(network.Dense{Features: b.Classes()})
	}, defaults)
	if err != nil {
		panic(err)
	}
}

// Every method trains a network of one's own, with batch normalisation, and an All-CNN-C, without,
// and predicts with it.
func TestMethodsTrainOtherNetworks(t *testing.T) {
	for _, name := range []string{"baseline_own", "allcnnc"} {
		for _, method := range methodsTested {
			config := tinyConfig()
			config.Network = Network{Name: name, Width: 2}
			config.Data.Train, config.Training.Batch = 16, 8
			config.Training.Epochs = 1
			switch method.Name {
			case baseline.SWAG: // needs two epochs after the first
				config.Training.Epochs, method.Start = 3, 1
			case baseline.CSGHMC:
				method.Cycles = 1
			}
			run := openRun(t, t.TempDir(), config.With(method))
			train(t, run)
			history, err := run.History()
			if err != nil || len(history) != config.Training.Epochs+1 {
				t.Fatalf("%s, %s: %d lines of history, error %v, want one more than %d epochs", name, method.Name, len(history), err, config.Training.Epochs)
			}
			for _, epoch := range history[1:] { // after the state before training
				if loss := epoch.NLL; !(loss > 0) || math.IsInf(loss, 0) {
					t.Errorf("%s, %s: loss %v in epoch %d", name, method.Name, loss, epoch.Epoch)
				}
			}
			for _, p := range predicted(t, run, Evaluation{Images: 4, Samples: 2}).LogProbabilities {
				if !(p <= 1e-6) || math.IsInf(float64(p), 0) {
					t.Errorf("%s, %s: log-probability %v", name, method.Name, p)
				}
			}
		}
	}
}
