package nbbnn

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/engine"
)

// openXLA opens XLA on the processor, and skips aloud where there is none.
func openXLA(t testing.TB) *engine.Engine {
	t.Helper()
	opened, err := engine.OpenNamed("xla:cpu")
	if err != nil {
		t.Skipf("XLA was not tested: %v", err)
	}
	return opened
}

// agreementTolerance is how far the losses of two engines in float32 may be apart, relative to the loss.
const (
	agreementSteps     = 20
	agreementTolerance = 1e-4
)

// agreementConfig is a narrow network at a small rate: batch normalisation of few rows multiplies what rounding makes of the
// weights at every step, by about ten at rate 0.01.
func agreementConfig(name string, width int, mode Mode) Config {
	return Config{
		Network:   Network{Name: name, Width: width},
		Data:      Data{Train: 128, Test: 8},
		Posterior: Posterior{Components: 2, Mode: mode, InitStd: 0.3},
		Objective: Objective{Gamma: 2},
		Training:  Training{Epochs: 10, Batch: 32, Samples: 2, LearningRate: 0.0005, PosteriorLearningRate: 0.0005},
		Seed:      3,
	}
}

// XLA and the pure-Go engine go down the same loss, step by step, and predict the same with the same weights.
func TestXLATrainsLikePureGo(t *testing.T) {
	openXLA(t)
	for _, test := range []struct {
		name  string
		width int
		mode  Mode
	}{
		{"allcnnc", 8, Output}, {"allcnnc", 8, Both}, {"vgg16", 8, Output}, {"resnet18", 8, Output}, {"preactresnet18", 8, Input},
	} {
		got, err := CompareEngines(t.Context(), agreementConfig(test.name, test.width, test.mode), [2]string{"xla:cpu", "go"}, agreementSteps)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %s: losses differ by at most %.1e, log-probabilities by %.1e", test.name, test.mode, got.Loss, got.LogProbability)
		if !(got.Loss <= agreementTolerance) || !(got.LogProbability <= agreementTolerance) {
			t.Errorf("%s %s: losses differ by %.1e, tolerance %.0e; log-probabilities by %.1e, tolerance %.0e", test.name, test.mode,
				got.Loss, agreementTolerance, got.LogProbability, agreementTolerance)
		}
	}
}

// trainerOn is a trainer of a configuration on XLA that draws its noise in the graph.
func trainerOn(t testing.TB, opened *engine.Engine, config Config) *trainer {
	t.Helper()
	run := openRun(t, t.TempDir(), config)
	data, err := run.openData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNetworkOn(opened, run.config, data)
	if err != nil {
		t.Fatal(err)
	}
	n.deviceNoise = true
	trainer, err := newTrainerOf(n, run, data)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

// Eight steps in one call are eight steps one after the other.
func TestXLAManyStepsInOneCall(t *testing.T) {
	opened := openXLA(t)
	const steps, tolerance = 8, 2e-5
	config := agreementConfig("allcnnc", 4, Output)
	config.Data.Train = steps * config.Training.Batch
	single, many := trainerOn(t, opened, config), trainerOn(t, opened, config)
	if many.atOnce != steps {
		t.Fatalf("%d steps at once, want %d", many.atOnce, steps)
	}
	wantNLL, wantWrong := 0.0, 0.0
	for order := single.order(0); single.state.Step < steps; single.state.Step++ {
		nll, wrong, err := single.step(order)
		if err != nil {
			t.Fatal(err)
		}
		wantNLL, wantWrong = wantNLL+nll, wantWrong+wrong
	}
	nll, wrong, err := many.takeSteps(many.order(0), many.nextSteps())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sum of the losses", nll, wantNLL, tolerance*wantNLL)
	near(t, "wrong rows", wrong, wantWrong, 0)
	for _, v := range single.network.variables() {
		other := many.network.store.GetVariable(v.Path())
		near(t, v.Path(), other.MustValue().Value(), v.MustValue().Value(), 10*tolerance)
	}
}

// Every engine draws the same noise in the graph.
func TestXLADrawsTheNoiseOfPureGo(t *testing.T) {
	opened := openXLA(t)
	n := noiseNetwork(t, tinyConfig())
	want := n.drawn(t, 2, 3, 2)
	exec, err := NewExec(opened.Backend, func(args []*Node) []*Node { return n.drawNoise(args[0], 3, 2, true) })
	if err != nil {
		t.Fatal(err)
	}
	got, err := exec.Call(tensors.FromFlatDataAndDimensions(noiseKey([4]uint64{1 << 40, 2}, 2), 4))
	if err != nil {
		t.Fatal(err)
	}
	for layer := range want {
		near(t, "draws", numbers(got[layer].Value()), want[layer], 1e-5)
	}
}

func TestStepsAtOnceDivideTheEpoch(t *testing.T) {
	for _, test := range []struct{ steps, want int }{{390, 39}, {351, 39}, {195, 39}, {64, 64}, {8, 8}, {3, 3}, {97, 32}, {200, 50}} {
		if got := stepsAtOnce(test.steps); got != test.want {
			t.Errorf("stepsAtOnce(%d) = %d, want %d", test.steps, got, test.want)
		}
	}
}

// Half the digits change a loss by about a hundredth, and everything is still there.
func TestXLATrainsInBFloat16(t *testing.T) {
	opened := openXLA(t)
	const tolerance = 0.02
	config := agreementConfig("allcnnc", 8, Both)
	var losses [2][]float64
	for i, precision := range []Precision{Float32, BFloat16} {
		config.Network.Precision = precision
		trial, err := tryEngine(t.Context(), opened, config.WithDefaults(), 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		losses[i] = trial.losses
	}
	if difference := apart(losses[1], losses[0], 0); difference > tolerance || difference == 0 {
		t.Errorf("losses in bfloat16 %v, in float32 %v: relative difference %.1e, tolerance %.0e and not zero", losses[1], losses[0], difference, tolerance)
	}
}

func TestApartIsFinite(t *testing.T) {
	for _, test := range []struct{ got, want, apart float64 }{
		{3, 2, 0.5}, {2, 2, 0}, {math.Inf(1), 2, math.MaxFloat64}, {math.NaN(), 2, math.MaxFloat64}, {math.Inf(1), math.Inf(1), math.MaxFloat64},
	} {
		if got := apart([]float64{test.got}, []float64{test.want}, 1); got != test.apart {
			t.Errorf("apart(%g, %g) = %g, want %g", test.got, test.want, got, test.apart)
		}
	}
}

func TestCompareEnginesNeedsABatch(t *testing.T) {
	config := agreementConfig("allcnnc", 4, Output)
	config.Data.Train = config.Training.Batch - 1
	_, err := CompareEngines(t.Context(), config, [2]string{"go", "go"}, 1)
	checkError(t, "fewer images than a batch", err, "make no batch of 32")
}

func TestPrecisionNeedsXLA(t *testing.T) {
	config := agreementConfig("allcnnc", 8, Output)
	config.Network.Precision = BFloat16
	_, err := CompareEngines(t.Context(), config, [2]string{"go", "go"}, 1)
	checkError(t, "bfloat16 on the pure-Go engine", err, "needs an XLA engine")
	config.Network.Precision = "float32"
	if got := config.WithDefaults().Network.Precision; got != Float32 {
		t.Errorf("float32 becomes %q, want the default", got)
	}
	config.Network.Precision = "bfloat"
	checkError(t, "a mistyped precision", config.Validate(), `did you mean "bfloat16"`)
}
