package trial

import (
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// What can't fit is refused with the setting that makes it large; nothing is allocated, whatever
// the sizes are.
func TestCheckMemory(t *testing.T) {
	if machine.MemoryLimit() == 0 {
		t.Skip("this system doesn't tell how much memory it has")
	}
	data := Data{Size: dataset.Size{Train: 50000, Test: 10000, Side: 32, Classes: 10}}
	settings := func(width, batch, samples int) network.Settings {
		return network.Settings{Network: network.Network{Width: width}, Training: network.Training{Batch: batch, Samples: samples}}
	}
	for _, test := range []struct {
		name string
		err  error
		want string // "" for what fits
	}{
		{"small training", CheckTraining(settings(8, 32, 4), data), ""},
		{"batch", CheckTraining(settings(8, 1<<24, 1<<20), data), "16,777,216 images x 1,048,576 samples with width 8 needs at least"},
		{"batch, cure", CheckTraining(settings(8, 1<<24, 1<<20), data), "choose a smaller batch or fewer samples"},
		{"width", CheckTraining(settings(1<<16, 1, 1), data), "choose a smaller width"},
		{"one of each", CheckTraining(settings(1<<16, 1, 1), data), "a training step of 1 image x 1 sample with width 65536"},
		{"small prediction", CheckPrediction(settings(8, 0, 0), data.Size, 10000, 1, 32), ""},
		{"samples", CheckPrediction(settings(8, 0, 0), data.Size, 10000, 1, 1<<20), "choose fewer samples or images"},
		{"samples of one image", CheckPrediction(settings(8, 0, 0), data.Size, 1, 1, 1<<20), "choose fewer samples or images"},
		{"width of a prediction", CheckPrediction(settings(1<<16, 0, 0), data.Size, 1, 1, 1), "train a smaller width"},
	} {
		switch {
		case test.want == "" && test.err != nil:
			t.Errorf("%s: refused: %v", test.name, test.err)
		case test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)):
			t.Errorf("%s: error is %v, want one with %q", test.name, test.err, test.want)
		}
	}
}
