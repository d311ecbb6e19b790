package trial

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// openXLA opens XLA on the processor, or skips the test with a message.
func openXLA(t testing.TB) *engine.Engine {
	t.Helper()
	opened, err := engine.OpenNamed("xla:cpu")
	if err != nil {
		t.Skipf("XLA was not tested: %v", err)
	}
	return opened
}

const agreementSteps = 20

// XLA and the pure-Go engine go down the same loss, step by step, and predict the same with the
// same weights.
func TestXLATrainsLikePureGo(t *testing.T) {
	opened := openXLA(t)
	pureGo := testkit.Must(engine.OpenNamed("go"))(t)
	for _, test := range []struct {
		name  string
		width int
		mode  network.Mode
	}{
		{"allcnnc", 8, network.Both}, {"vgg16", 8, network.Output}, {"resnet18", 8, network.Output}, {"preactresnet18", 8, network.Input},
	} {
		c := engineComparison{ctx: t.Context(), settings: agreementSettings(test.name, test.width, test.mode).WithDefaults(), data: openShapes(t, 128),
			engines: [2]*engine.Engine{opened, pureGo}, steps: agreementSteps}
		differences := testkit.Must(c.trainings())(t)
		checkAgreement(t, fmt.Sprint(test.name, " ", test.mode), differences, 4)
	}
}

// A residual network, whose rounding grows with its kinks, trains without them in calls of many steps
// as step by step on pure Go, every variable included.
func TestXLATrainsResidualNetworksWithoutKinksLikePureGo(t *testing.T) {
	opened := openXLA(t)
	pureGo := testkit.Must(engine.OpenNamed("go"))(t)
	c := engineComparison{ctx: t.Context(), settings: agreementSettings("resnet18", 4, network.Output).WithDefaults(), data: openShapes(t, 128),
		engines: [2]*engine.Engine{opened, pureGo}, steps: agreementSteps}
	differences := testkit.Must(c.smooth())(t)
	checkAgreement(t, "resnet18", differences, 2)
}

// A trial on a device times the calls that a training makes there: of many steps, each with draws
// of its own.
func TestXLATrialTakesTheStepsOfATraining(t *testing.T) {
	opened := openXLA(t)
	w := tinyWorkload()
	w.Side, w.Settings.Training.Samples, w.Settings.Training.Batch = 4, 1, 1000 // a call takes as many images as CIFAR has
	w = w.WithDefaults()
	m := testkit.Must(network.NewModel(w.Settings, w.data(), network.ModelOptions{Engine: opened, Noise: network.DeviceNoise}))(t)
	trial, err := newTraining(m, w.data(), network.Rule{})
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
	cost, err := trial.cost(t.Context(), w.Settings, Data{Size: dataset.Size{Train: 50_000, Test: 1000, Side: 4, Classes: 10}})
	if err != nil || cost.Steps != 50 || cost.StepSeconds <= 0 || cost.Memory < float64(trial.DeviceMemory()+50_000*4*4*3) {
		t.Errorf("estimate %+v, error %v, want 50 steps an epoch and the memory of the graph and of all images", cost, err)
	}
}

func TestPrecisionNeedsXLA(t *testing.T) {
	settings := agreementSettings("allcnnc", 8, network.Output)
	settings.Network.Precision = network.BFloat16
	_, err := CompareEngines(t.Context(), settings, openShapes(t, 64), [2]string{"go", "go"}, 1)
	if err == nil || !strings.Contains(err.Error(), "needs an XLA engine") {
		t.Errorf("bfloat16 on the pure-Go engine: error %v", err)
	}
	settings.Network.Precision = "float32"
	if got := settings.WithDefaults().Network.Precision; got != "" {
		t.Errorf("float32 becomes %q, want the default", got)
	}
	settings.Network.Precision = "bfloat"
	if err := settings.Validate(); err == nil || !strings.Contains(err.Error(), `did you mean "bfloat16"`) {
		t.Errorf("a mistyped precision: error %v", err)
	}
}
