package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/internal/machine"
)

func TestExtendLaysALine(t *testing.T) {
	for _, c := range []struct {
		name            string
		trials          []trial
		batch           int
		seconds, memory float64
	}{
		{"the batch itself", []trial{{8, 2, 100}}, 8, 2, 100},
		{"one trial, in proportion", []trial{{1, 2, 100}}, 4, 8, 400},
		{"two trials", []trial{{8, 5, 90}, {2, 2, 30}}, 32, 17, 330},
		{"a smaller step that took longer", []trial{{8, 5, 90}, {2, 6, 95}}, 32, 5, 90},
	} {
		seconds, memory := extend(c.trials, c.batch)
		if seconds != c.seconds || memory != c.memory {
			t.Errorf("%s: %g s and %g bytes, want %g and %g", c.name, seconds, memory, c.seconds, c.memory)
		}
	}
}

func TestStepsOfAnEpoch(t *testing.T) {
	for _, c := range []struct {
		name string
		data Data
		want int
	}{
		{"all images", Data{Name: "cifar10"}, 390},
		{"some held out", Data{Name: "cifar10", Validation: 5000}, 351},
		{"some of fewer held out", Data{Name: "cifar10", Train: 1280, Validation: 128}, 9},
	} {
		config := Config{Data: c.data, Training: Training{Batch: 128}}
		if got := dataSizeOf(c.data).steps(config); got != c.want {
			t.Errorf("%s: %d steps, want %d", c.name, got, c.want)
		}
	}
}

// The estimate of the memory is held to a quarter of what steps of the same network then take in this process.
func TestEstimatedMemoryIsNearTheMeasuredOne(t *testing.T) {
	if testing.Short() {
		t.Skip("trial steps take a second or two")
	}
	config := Config{Network: Network{Name: "resnet18", Width: 16}, Data: Data{Train: 32, Test: 32}, Training: Training{Batch: 32, Samples: 4}}
	cost, err := EstimateTraining(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if cost.Memory == 0 {
		t.Skip("this system keeps no account of peak memory in /proc")
	}
	machine.ResetPeakMemory()
	if low := machine.PeakMemory(); float64(low) > 0.7*cost.Memory {
		t.Skipf("this system doesn't reset the peak: %d bytes are left of %.0f", low, cost.Memory)
	}
	steps, err := NewTrainingTrial(Workload{Config: config, Side: 32, Classes: 10})
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		if _, err := steps.Step(); err != nil {
			t.Fatal(err)
		}
	}
	const tolerance = 0.25
	measured := float64(machine.PeakMemory())
	if off := cost.Memory/measured - 1; off < -tolerance || off > tolerance {
		t.Errorf("the estimate is %.0f MB, the steps took %.0f MB: off by %+.0f %%, want at most %.0f %%", cost.Memory/1e6, measured/1e6, 100*off, 100*tolerance)
	}
	if cost.Steps != 1 || cost.TotalSeconds != 300*cost.EpochSeconds || cost.EpochSeconds != cost.StepSeconds {
		t.Errorf("cost is %+v, want one step an epoch and 300 epochs", cost)
	}
}
