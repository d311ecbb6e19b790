package trial

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/augment"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The counts are those of METHOD.md 1.3: parameters, and multiply-adds of an image.
func TestWorkloadCounts(t *testing.T) {
	for _, c := range []struct {
		network                              string
		parameters, multiplyAdds, firstLayer int
	}{
		{"allcnnc", 1_332_682, 278_814_720, 32 * 32 * 27 * 96},
		{"vgg16", 15_245_130, 313_725_952, 32 * 32 * 27 * 64},
		{"resnet18", 11_173_962, 555_422_720, 32 * 32 * 27 * 64},
		{"preactresnet18", 11_268_616, 2_221_772_800, 64 * 64 * 27 * 64},
	} {
		w := Workload{Settings: network.Settings{Network: network.Network{Name: c.network},
			Training: network.Training{Batch: 3, Samples: 2}}}
		if got := w.Parameters(); got != c.parameters {
			t.Errorf("%s: %d parameters, want %d", c.network, got, c.parameters)
		}
		if got, want := w.PredictionOperations(), 6*2*float64(c.multiplyAdds); got != want {
			t.Errorf("%s: %g operations of a prediction, want %g", c.network, got, want)
		}
		if got, want := w.TrainingOperations(),
			6*2*float64(3*c.multiplyAdds-c.firstLayer); got != want {
			t.Errorf("%s: %g operations of a step, want %g", c.network, got, want)
		}
	}
}

func TestWorkloadRefusesWhatCannotBeComputed(t *testing.T) {
	for want, w := range map[string]Workload{
		"trial: 1 classes: give 2 to 256":              {Classes: 1},
		"trial: images of -4x-4 pixels: give 1 to 102": {Height: -4},
		`nbbnn: unknown network "vgg61"`: {
			Settings: network.Settings{Network: network.Network{Name: "vgg61"}}},
	} {
		if err := w.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func tinyWorkload() Workload {
	return Workload{Settings: network.Settings{Network: network.Network{Width: 2},
		Training: network.Training{Batch: 2, Samples: 2, LearningRate: 0.05}}, Height: 16}
}

func TestTrainingLearnsAndSavesItsDraws(t *testing.T) {
	trial := testkit.Must(NewTraining(tinyWorkload()))(t)
	path := filepath.Join(t.TempDir(), "steps.safetensors")
	testkit.NoError(t, trial.Save(path, 2))
	saved, _, err := safetensors.Read(path)
	testkit.NoError(t, err)
	names := fmt.Sprint(saved)
	for _, want := range []string{"draws/1/7", "images", "labels", "theta.conv1.weights",
		"phi.conv8.rho"} {
		if !strings.Contains(names, want) {
			t.Errorf("the file lacks %s", want)
		}
	}
	var losses []float64
	for range 40 {
		nll := testkit.Must(trial.Step())(t)
		losses = append(losses, nll)
	}
	if first, last := losses[0], losses[len(losses)-1]; !(last < first) || math.IsNaN(last) {
		t.Errorf("the loss goes from %g to %g, want it to fall", first, last)
	}
}

// A step with AugMix can be timed: mixing its images is a notable part of it.
func TestTrainingMixesImages(t *testing.T) {
	workload := tinyWorkload()
	workload.Settings.Training.Augmentation = augment.Name
	trial := testkit.Must(NewTraining(workload))(t)
	if _, err := trial.Step(); err != nil {
		t.Error(err)
	}
	if settings := workload.WithDefaults().Settings.Training; settings.NoAugmentation {
		t.Error("the images of a training with AugMix aren't mixed")
	}
}

func TestPredictionPredicts(t *testing.T) {
	trial := testkit.Must(NewPrediction(tinyWorkload()))(t)
	if err := trial.Predict(t.Context()); err != nil {
		t.Error(err)
	}
}

// benchmarkWorkload is a small step of a network.
func benchmarkWorkload(name string, samples int) Workload {
	return Workload{Settings: network.Settings{Network: network.Network{Name: name, Width: 16},
		Training: network.Training{Batch: 8, Samples: samples}}}
}

func benchmarkTraining(b *testing.B, w Workload) {
	trial, err := NewTraining(w)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := trial.Step(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTrainingStep(b *testing.B) {
	for _, name := range network.Names() {
		b.Run(name, func(b *testing.B) { benchmarkTraining(b, benchmarkWorkload(name, 4)) })
	}
}

// A step of each method, with one sample, and of a posthoc training.
func BenchmarkMethodStep(b *testing.B) {
	for _, name := range methods.Names() {
		w := benchmarkWorkload("resnet18", 1)
		w.Method.Name = baseline.Name(name)
		b.Run(name, func(b *testing.B) { benchmarkTraining(b, w) })
	}
	w := benchmarkWorkload("resnet18", 1)
	w.Settings.FrozenWeights = true
	b.Run("posthoc", func(b *testing.B) { benchmarkTraining(b, w) })
}

func BenchmarkPrediction(b *testing.B) {
	for _, name := range network.Names() {
		b.Run(name, func(b *testing.B) {
			trial, err := NewPrediction(benchmarkWorkload(name, 4))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := trial.Predict(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A trial on a device times the calls that a training makes there: of many steps, each with draws
// of its own.
func TestXLATrialTakesTheStepsOfATraining(t *testing.T) {
	opened := openTested(t)
	if !opened.IsXLA() {
		t.Skip("XLA was not tested")
	}
	w := tinyWorkload()
	// a call takes as many images as CIFAR has
	w.Height, w.Settings.Training.Samples, w.Settings.Training.Batch = 4, 1, 1000
	w = w.WithDefaults()
	m := testkit.Must(network.NewModel(w.Settings, w.data(), network.ModelOptions{Engine: opened,
		Noise: network.DeviceNoise}))(t)
	trial, err := newTraining(m, w.data(), network.StepperOptions{})
	testkit.NoError(t, err)
	if trial.StepsPerCall() != 50 {
		t.Errorf("%d steps a call, want the 50 of a training", trial.StepsPerCall())
	}
	var losses [3]float64
	for i := range losses {
		if losses[i], err = trial.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if !(losses[2] < losses[0]) {
		t.Errorf("mean losses of the calls are %g, want them to fall", losses)
	}
	if got, least := trial.DeviceMemory(), int64(4*w.Parameters()); got < least {
		t.Errorf("the graph needs %d bytes, want the %d of its parameters at least", got, least)
	}
	tried, err := trial.try(t.Context(), 0)
	cost := tried.cost(w.Settings, Data{Size: dataset.Size{Train: 50_000, Test: 1000, Height: 2,
		Width: 8, Classes: 10}}, 0)
	if err != nil || cost.Steps != 50 || cost.Seconds <= 0 ||
		cost.Memory < float64(trial.DeviceMemory()+50_000*4*4*3) {
		t.Errorf("estimate %+v, error %v, want 50 steps an epoch and the memory of the graph and "+
			"of all images", cost, err)
	}
}
