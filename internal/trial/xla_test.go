package trial

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// A trial on a device times the calls that a training makes there: of many steps, each with draws
// of its own.
func TestXLATrialTakesTheStepsOfATraining(t *testing.T) {
	opened := openTested(t)
	if !opened.IsXLA() {
		t.Skip("XLA was not tested")
	}
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
