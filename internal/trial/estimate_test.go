package trial

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

func TestExtendIsInProportion(t *testing.T) {
	for _, c := range []struct {
		name            string
		trial           trial
		least           needs
		batch           int
		seconds, memory float64
	}{
		{"the batch itself", trial{images: 8, seconds: 2, memory: 100}, needs{}, 8, 2, 100},
		{"images that share nothing", trial{images: 2, seconds: 2, memory: 100}, needs{}, 8, 8,
			400},
		{"images that share the weights", trial{images: 4, seconds: 1, memory: 90},
			needs{fixed: 50, image: 5}, 32, 8, 370},
		{"less memory than there must be", trial{images: 4, seconds: 1, memory: 20},
			needs{fixed: 50, image: 5}, 32, 8, 210},
	} {
		seconds, memory := c.trial.extend(c.batch, c.least)
		if seconds != c.seconds || memory != c.memory {
			t.Errorf("%s: %g s and %g bytes, want %g and %g", c.name, seconds, memory, c.seconds,
				c.memory)
		}
	}
}

func TestMemoryIsAtLeastWhatAStepNeeds(t *testing.T) {
	settings := network.Settings{Network: network.Network{Name: "resnet18"}}.WithDefaults()
	least := leastMemory(settings, Data{Size: dataset.Config{Name: dataset.CIFAR10}.Size()})
	const parameters, outputs = 11_173_962, 64*1024*5 + 128*256*5 + 256*64*5 + 512*16*5 + 10
	if want := (needs{16 * parameters, 4 * 4 * outputs}); least != want {
		t.Errorf("least memory is %+v, want %+v", least, want)
	}
}

func TestStepsOfAnEpoch(t *testing.T) {
	for _, c := range []struct {
		name string
		data Data
		want int
	}{
		{"all images", Data{Size: dataset.Size{Train: 50_000}}, 390},
		{"some held out", Data{Size: dataset.Size{Train: 50_000}, Validation: 5000}, 351},
		{"some of fewer held out", Data{Size: dataset.Size{Train: 1280}, Validation: 128}, 9},
	} {
		if got := c.data.steps(128); got != c.want {
			t.Errorf("%s: %d steps, want %d", c.name, got, c.want)
		}
	}
}

// The estimate of the memory is held to a quarter of what steps of the same network then take in
// this process.
func TestEstimatedMemoryIsNearTheMeasuredOne(t *testing.T) {
	if testing.Short() {
		t.Skip("trial steps take a second or two")
	}
	for range 3 { // a pool of memory that other tests left is empty after two collections
		debug.FreeOSMemory()
	}
	settings := network.Settings{Network: network.Network{Name: "resnet18", Width: 16},
		Training: network.Training{Batch: 32, Samples: 4}}
	data := Data{Size: dataset.Size{Train: 32, Test: 32, Height: 32, Width: 32, Classes: 10}}
	cost, err := Estimate(t.Context(), settings, baseline.Method{}, data)
	testkit.NoError(t, err)
	if cost.Memory == 0 {
		t.Skip("this system keeps no account of peak memory in /proc")
	}
	if most := MostMemory(settings, data.Size); cost.Memory > most {
		t.Errorf("the estimate is %.0f bytes, which is more than the most, %.0f", cost.Memory, most)
	}
	machine.ResetPeakMemory()
	if low := machine.PeakMemory(); float64(low) > 0.7*cost.Memory {
		t.Skipf("this system doesn't reset the peak: %d bytes are left of %.0f", low, cost.Memory)
	}
	steps := testkit.Must(NewTraining(Workload{Settings: settings, Height: 32, Classes: 10}))(t)
	for range 6 {
		testkit.Must(steps.Step())(t)
	}
	const tolerance = 0.25
	measured := float64(machine.PeakMemory())
	if off := cost.Memory/measured - 1; off < -tolerance || off > tolerance {
		t.Errorf("the estimate is %.0f MB, the steps took %.0f MB: off by %+.0f %%, want at most "+
			"%.0f %%", cost.Memory/1e6, measured/1e6, 100*off, 100*tolerance)
	}
	if cost.Steps != 1 {
		t.Errorf("cost is %+v, want one step an epoch", cost)
	}
}

// What can't fit is refused with the setting that makes it large; nothing is allocated, whatever
// the sizes are.
func TestCheckMemory(t *testing.T) {
	if machine.MemoryLimit() == 0 {
		t.Skip("this system doesn't tell how much memory it has")
	}
	data := Data{Size: dataset.Size{Train: 50000, Test: 10000, Height: 32, Width: 32, Classes: 10}}
	settings := func(width, batch, samples int) network.Settings {
		return network.Settings{Network: network.Network{Width: width}, Training: network.Training{
			Batch: batch, Samples: samples}}
	}
	for _, test := range []struct {
		name string
		err  error
		want string // "" for what fits
	}{
		{"small training", CheckTraining(settings(8, 32, 4), data), ""},
		{"batch", CheckTraining(settings(8, 1<<24, 1<<20), data), "16,777,216 images x 1,048,576 " +
			"samples with width 8 needs at least"},
		{"batch, cure", CheckTraining(settings(8, 1<<24, 1<<20), data),
			"choose a smaller batch or fewer samples"},
		{"width", CheckTraining(settings(1<<16, 1, 1), data), "choose a smaller width"},
		{"one of each", CheckTraining(settings(1<<16, 1, 1), data), "a training step of 1 image " +
			"x 1 sample with width 65536"},
		{"small prediction", CheckPrediction(settings(8, 0, 0), data.Size, 10000, 1, 32), ""},
		{"samples", CheckPrediction(settings(8, 0, 0), data.Size, 10000, 1, 1<<20),
			"choose fewer samples or images"},
		{"samples of one image", CheckPrediction(settings(8, 0, 0), data.Size, 1, 1, 1<<20),
			"choose fewer samples or images"},
		{"width of a prediction", CheckPrediction(settings(1<<16, 0, 0), data.Size, 1, 1, 1),
			"train a smaller width"},
	} {
		switch {
		case test.want == "" && test.err != nil:
			t.Errorf("%s: refused: %v", test.name, test.err)
		case test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)):
			t.Errorf("%s: error is %v, want one with %q", test.name, test.err, test.want)
		}
	}
}
