package nbbnn

import (
	"fmt"
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

const agreementSteps = 20

// XLA and the pure-Go engine go down the same loss, step by step, and predict the same with the same weights.
func TestXLATrainsLikePureGo(t *testing.T) {
	opened := openXLA(t)
	pureGo, err := engine.OpenNamed("go")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		width int
		mode  Mode
	}{
		{"allcnnc", 8, Both}, {"vgg16", 8, Output}, {"resnet18", 8, Output}, {"preactresnet18", 8, Input},
	} {
		c := engineComparison{ctx: t.Context(), config: agreementConfig(test.name, test.width, test.mode).WithDefaults(),
			engines: [2]*engine.Engine{opened, pureGo}, steps: agreementSteps}
		differences, err := c.trainings()
		if err != nil {
			t.Fatal(err)
		}
		checkAgreement(t, fmt.Sprint(test.name, " ", test.mode), differences, 2)
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

// A trial on a device times the calls that a training makes there: of many steps, each with draws of its own.
func TestXLATrialTakesTheStepsOfATraining(t *testing.T) {
	opened := openXLA(t)
	w := tinyWorkload()
	w.Side, w.Config.Training.Samples, w.Config.Training.Batch = 4, 1, 1000 // a call takes as many images as CIFAR has
	w = w.WithDefaults()
	n, err := newNetworkOn(opened, w.Config, w.data())
	if err != nil {
		t.Fatal(err)
	}
	n.deviceNoise = true
	trial, err := newTrainingTrialOf(n, w.Config, w.data())
	if err != nil {
		t.Fatal(err)
	}
	if trial.StepsAtOnce() != 50 {
		t.Errorf("%d steps a call, want the 50 of a training", trial.StepsAtOnce())
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
	cost, err := trial.cost(t.Context(), w.Config, dataSize{Train: 50_000, Test: 1000, Side: 4, Classes: 10})
	if err != nil || cost.Steps != 50 || cost.StepSeconds <= 0 || cost.Memory < float64(trial.DeviceMemory()+50_000*4*4*3) {
		t.Errorf("estimate %+v, error %v, want 50 steps an epoch and the memory of the graph and of all images", cost, err)
	}
}

func TestStepsAtOnceDivideTheEpoch(t *testing.T) {
	for _, test := range []struct{ steps, want int }{{390, 39}, {351, 39}, {195, 39}, {64, 64}, {8, 8}, {3, 3}, {97, 32}, {200, 50}} {
		if got := stepsAtOnce(test.steps); got != test.want {
			t.Errorf("stepsAtOnce(%d) = %d, want %d", test.steps, got, test.want)
		}
	}
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
