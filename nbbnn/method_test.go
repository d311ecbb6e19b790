package nbbnn_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// The ordinary network of earlier versions, mode "none", is the run of the method MAP, and a
// node-BNN's configuration says nothing of a method.
func TestMethodsThatAreNoMethod(t *testing.T) {
	twin := nbbnn.Config{Posterior: nbbnn.Posterior{Mode: nbbnn.Deterministic}}
	byName := nbbnn.Config{Method: nbbnn.Method{Name: baseline.MAP}}
	if byName.Hash() != twin.Hash() {
		t.Errorf("MAP has hash %s, the ordinary network %s: want the same", byName.Hash(),
			twin.Hash())
	}
	node := nbbnn.Config{Method: nbbnn.Method{Name: baseline.NodeBNN}}
	if want := (nbbnn.Config{}); node.Hash() != want.Hash() {
		t.Errorf("nodebnn has hash %s, the zero configuration %s: want the same", node.Hash(),
			want.Hash())
	}
	for _, config := range []nbbnn.Config{twin, byName, node} {
		data, err := json.Marshal(config.WithDefaults())
		if err != nil || strings.Contains(string(data), "method") {
			t.Errorf("JSON %s, error %v: want no method", data, err)
		}
	}
}

// With changes the method and nothing of the network, the images and the schedule of the weights.
func TestConfigWithAMethod(t *testing.T) {
	paper := nbbnn.Paper("resnet18", "cifar100")
	config := paper.With(nbbnn.Method{Name: baseline.MAP})
	testkit.NoError(t, config.Validate())
	got, want := config.WithDefaults(), paper.WithDefaults()
	if got.Posterior.Mode != nbbnn.Deterministic || got.Posterior.Components != 1 ||
		got.Training.Samples != 1 {
		t.Errorf("MAP has posterior %+v and %d samples: want mode none, 1 component and 1 sample",
			got.Posterior, got.Training.Samples)
	}
	got.Posterior, got.Objective, got.Training.Samples = want.Posterior, want.Objective,
		want.Training.Samples
	if got != want {
		t.Errorf("MAP of the preset is %+v, want the rest of %+v", got, want)
	}
}

// The learning rate of csghmc is a multiple of the network's, in both directions.
func TestConfigSwitchesTheRate(t *testing.T) {
	small := nbbnn.SmallAllCNNC()
	there := small.With(nbbnn.Method{Name: baseline.CSGHMC})
	if rate, momentum := there.Training.LearningRate,
		there.WithDefaults().Training.Momentum; rate != 0.05 || momentum != 0.1 {
		t.Errorf("csghmc has rate %g and momentum %g, want 0.05 and 0.1", rate, momentum)
	}
	back := there.WithDefaults().With(nbbnn.Method{Name: baseline.MAP}).WithDefaults()
	if want := small.With(nbbnn.Method{Name: baseline.MAP}).WithDefaults(); back != want {
		t.Errorf("there and back gives %+v, want %+v", back, want)
	}
}

// The published cycles of csghmc stay six in a shorter training, filled before or not; a prime
// number of epochs has no equal ones.
func TestCompressKeepsTheCycles(t *testing.T) {
	config := nbbnn.Paper("resnet18", "cifar100").With(nbbnn.Method{Name: baseline.CSGHMC})
	for name, start := range map[string]nbbnn.Config{"as it is": config,
		"filled": config.WithDefaults()} {
		short := testkit.Must(start.Compress(30))(t)
		if m := short.WithDefaults().Method; m.Cycles != 6 || m.Snapshots != 2 ||
			m.NoiseEpochs != 2 {
			t.Errorf("%s: method is %+v, want 6 cycles with 2 snapshots and 2 epochs with noise",
				name, m)
		}
		prime, err := start.Compress(29)
		if err == nil {
			err = prime.Validate()
		}
		testkit.Error(t, name, err, "give 28 or 30 epochs, or 1 cycle")
	}
}

// Options that nobody gave fit short trainings of swag and batches of damp; usual ones keep them.
func TestDefaultsFitTheTraining(t *testing.T) {
	for epochs, want := range map[int]int{3: 1, 4: 2, 5: 3, 30: 16, 300: 161} {
		config := nbbnn.Config{Method: nbbnn.Method{Name: baseline.SWAG}, Training: nbbnn.Training{
			Epochs: epochs}}
		if err := config.Validate(); err != nil || config.WithDefaults().Method.Start != want {
			t.Errorf("swag starts after %d of %d epochs, error %v, want %d",
				config.WithDefaults().Method.Start, epochs, err, want)
		}
	}
	short, err := nbbnn.Config{Method: nbbnn.Method{Name: baseline.SWAG}}.WithDefaults().Compress(3)
	if err != nil || short.Validate() != nil {
		t.Errorf("swag compressed to 3 epochs has errors %v and %v", err, short.Validate())
	}
	for batch, want := range map[int]int{4: 4, 10: 5, 12: 6, 13: 1, 16: 8, 128: 8} {
		config := nbbnn.Config{Method: nbbnn.Method{Name: baseline.DAMP}, Training: nbbnn.Training{
			Batch: batch}}
		if err := config.Validate(); err != nil || config.WithDefaults().Method.SubBatches != want {
			t.Errorf("a batch of %d has %d sub-batches, error %v, want %d",
				batch, config.WithDefaults().Method.SubBatches, err, want)
		}
	}
}

func TestMethodsAreChecked(t *testing.T) {
	for _, c := range []struct {
		config nbbnn.Config
		want   string
	}{
		{nbbnn.Config{Method: nbbnn.Method{Name: "mapp"}},
			`unknown method "mapp" (did you mean "map"?)`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.MAP}, Posterior: nbbnn.Posterior{
			Mode: nbbnn.Input}},
			`method map trains a network without latents, not mode "in": leave the mode out`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.MAP, Rho: 0.5}},
			`rho 0.5 (--rho) is an option of the methods sam and asam, not of map: leave it out`},
		{nbbnn.Config{Method: nbbnn.Method{BothPasses: true}},
			`both passes true (--both-passes) is an option of the methods sam and asam, not of nodebnn: leave it out`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.SWAG, Start: 2}, Training: nbbnn.Training{
			Epochs: 3}},
			`swag collects the weights of each epoch after 2 of 3, and needs two epochs or more: give a start from 1 to 1`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.SWAG}, Training: nbbnn.Training{
			Epochs: 2}},
			`swag collects the weights of two epochs or more after its start, and the training has 2: give 3 epochs or more`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.SWAG, Rank: 3, Diagonal: true}},
			`rank is 3, and diagonal asks for none: leave one of the two out`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.CSGHMC, Cycles: 4},
			Training: nbbnn.Training{Epochs: 10}},
			`10 epochs can't be 4 cycles of equal length: give 2 cycles, or a multiple of 4 epochs`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.CSGHMC, Cycles: 1 << 32},
			Training: nbbnn.Training{Epochs: 12}},
			`12 epochs can't be 4294967296 cycles of equal length: give 12 cycles, or a multiple of 4294967296 epochs`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.CSGHMC}, Training: nbbnn.Training{
			Epochs: 293}},
			`293 epochs can't be several cycles of equal length: give 292 or 294 epochs, or 1 cycle`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 6},
			Training: nbbnn.Training{Epochs: 10}},
			`a cycle has 5 epochs, fewer than its 6 snapshots or 6 epochs with noise: give fewer, or fewer cycles`},
		{nbbnn.Config{Method: nbbnn.Method{Name: baseline.DAMP, SubBatches: 3},
			Training: nbbnn.Training{Batch: 8}},
			`a batch of 8 images can't be split into 3 equal sub-batches: give a divisor of 8`},
	} {
		testkit.Error(t, c.want, c.config.Validate(), c.want)
	}
}
