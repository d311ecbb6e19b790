package methods

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

func TestHamiltonianStepAgreesWithOracle(t *testing.T) {
	o := oracle[struct {
		Step struct {
			Theta, V, Grad, Eps []float64
			WeightDecay         float64 `json:"weight_decay"`
			Alpha, Temperature  float64
			DataSize            int `json:"datasize"`
			LR                  float64
			NewV                []float64 `json:"new_v"`
			NewTheta            []float64 `json:"new_theta"`
		}
	}](t, "csghmc").Step
	noise := hamiltonianNoise(1-o.Alpha, o.LR, o.Temperature, o.DataSize)
	outputs := run(t, func(args []*Node) []*Node {
		next, velocity := hamiltonianStep(args[0], args[1], args[2], args[3],
			Reshape(args[4]), Reshape(args[5]), 1-o.Alpha, o.WeightDecay)
		return []*Node{next, velocity}
	}, o.Theta, o.V, o.Grad, o.Eps, []float64{o.LR}, []float64{noise})
	testkit.Near(t, "weights", outputs[0], o.NewTheta, 1e-12)
	testkit.Near(t, "velocity", outputs[1], o.NewV, 1e-12)
}

func TestCyclicalRateAgreesWithOracle(t *testing.T) {
	o := oracle[struct {
		Epochs, Cycles int
		First          float64            `json:"lr0"`
		Steps          int                `json:"iters_per_epoch"`
		Rates          map[string]float64 `json:"lr_at_epoch_start"`
	}](t, "csghmc")
	cycle := o.Epochs / o.Cycles
	for text, want := range o.Rates {
		epoch := testkit.Must(strconv.Atoi(text))(t)
		got := cyclicalRate(o.First, epoch%cycle*o.Steps, cycle*o.Steps)
		testkit.Near(t, "rate at epoch "+text, []float64{got}, []float64{want}, 1e-12)
	}
}

// Many chains at once on the loss w^2/2 of 50 images: with temperature 1 they have the posterior
// N(0, 1/50), at half the temperature half its variance. Without the friction's share of the noise,
// or with that of another temperature, the variance is another.
func TestStepsSampleAGaussianPosterior(t *testing.T) {
	const chains, steps, images, rate, momentum = 4000, 400, 50, 0.05, 0.9
	for _, temperature := range []float64{1, 0.5} {
		random := rand.New(rand.NewPCG(11, 12))
		noise := hamiltonianNoise(momentum, rate, temperature, images)
		weights, velocity := make([]float64, chains), make([]float64, chains)
		for range steps {
			outputs := run(t, func(args []*Node) []*Node {
				w, v := args[0], args[1]
				next, velocity := hamiltonianStep(w, v, w, args[2],
					Const(w.Graph(), rate), Const(w.Graph(), noise), momentum, 0)
				return []*Node{next, velocity}
			}, weights, velocity, normals(random, chains))
			weights, velocity = outputs[0], outputs[1]
		}
		sum, squares := 0.0, 0.0
		for _, w := range weights {
			sum += w
			squares += w * w
		}
		want := temperature / images
		testkit.Near(t, "mean", []float64{sum / chains}, []float64{0}, 5*math.Sqrt(want/chains))
		// The last term is the error of steps of this length.
		tolerance := 5*math.Sqrt(2.0/chains) + rate
		testkit.Near(t, fmt.Sprint("variance at temperature ", temperature),
			[]float64{squares / chains / want}, []float64{1}, tolerance)
	}
}

// A training keeps the networks after the last epochs of each cycle, running statistics included,
// in its state.
func TestCSGHMCKeepsSnapshots(t *testing.T) {
	settings := testSettings()
	settings.Training.Epochs = 4
	s := testStepper(t, Method{Name: baseline.CSGHMC, Cycles: 2}, settings)
	var want []map[string][]float64
	for epoch := range 4 {
		values := valuesAfter(t, s, 4)
		if epoch%2 == 1 {
			want = append(want, values)
		}
	}
	state := testkit.Must(s.State())(t)
	m, filled := applied(t, Method{Name: baseline.CSGHMC, Cycles: 2}, settings)
	w, err := csghmcWeights(m, target{settings: filled}, state.Variables)
	if err != nil || w.count != 2 {
		t.Fatalf("%d snapshots, error %v: want 2", w.count, err)
	}
	for i := range want {
		got := valuesOf(w.stored(i, 2))
		for _, name := range []string{"theta.stem.conv.weights", "running.stem.norm.variance"} {
			testkit.Near(t, fmt.Sprint("snapshot ", i, " ", name), got[name], want[i][name], 0)
		}
		if _, found := got["momentum.stem.conv.weights"]; found {
			t.Error("a snapshot has the momentum")
		}
	}
}

func TestSnapshotsAreSpread(t *testing.T) {
	var got []int
	for i := range 4 {
		got = append(got, spread(i, 4, 10))
	}
	if want := []int{1, 4, 6, 9}; !slices.Equal(got, want) {
		t.Errorf("4 of 10 snapshots are %v, want %v", got, want)
	}
}

// Published: 6 cycles of 50 epochs with 5 snapshots make 30; a compressed training keeps the cycles
// if their number divides the epochs.
func TestOptionsOfCSGHMC(t *testing.T) {
	settings := network.Settings{Network: network.Network{Name: "resnet18"}}
	m, filled := applied(t, Method{Name: baseline.CSGHMC}, settings)
	want := Method{Name: baseline.CSGHMC, Cycles: 6, Snapshots: 5, NoiseEpochs: 5,
		Temperature: 1.0 / 50_000}
	if m != want || filled.Training.LearningRate != 0.5 || filled.Training.Momentum != 0.1 {
		t.Errorf("%+v with rate %g and momentum %g, want %+v, 0.5 and 0.1",
			m, filled.Training.LearningRate, filled.Training.Momentum, want)
	}
	for epochs, want := range map[int][2]int{60: {6, 5}, 50: {5, 5}, 12: {6, 1}} {
		short := Compress(m, 300, epochs)
		if short.Cycles != want[0] || short.Snapshots != want[1] {
			t.Errorf("%d epochs have %d cycles with %d snapshots, want %v", epochs, short.Cycles,
				short.Snapshots, want)
		}
	}
}

// Cycles of about 50 epochs, and never a single one if there are equal cycles. Where 50 epochs gave
// several before, runs keep them.
func TestDefaultCycles(t *testing.T) {
	for epochs, want := range map[int]int{
		1: 1, 2: 1, 3: 1, 4: 2, 5: 0, 9: 3, 30: 2, 50: 2, 90: 2, 200: 4, 250: 5, 293: 0, 299: 13,
		300: 6, 301: 7, 308: 4,
	} {
		filled := fillCSGHMC(Method{Name: baseline.CSGHMC}, epochsOnly(epochs))
		if filled.Cycles != want {
			t.Errorf("%d epochs have %d cycles, want %d", epochs, filled.Cycles, want)
		}
	}
	if one := Compress(Method{Name: baseline.CSGHMC, Cycles: 1}, 300, 30); one.Cycles != 1 {
		t.Errorf("the one cycle that was given becomes %d", one.Cycles)
	}
}

// A number of epochs with noise that was given keeps its share of the cycle; the default stays the
// default of the shorter cycle.
func TestCompressKeepsTheShareOfNoise(t *testing.T) {
	for _, c := range []struct{ noise, to, want int }{
		{5, 60, 0},  // the default of 50 epochs with 5 snapshots
		{0, 60, 0},  // not filled
		{20, 60, 4}, // of a cycle of 10
		{50, 60, 10},
		{6, 12, 1}, // of a cycle of 2; none would be the default
	} {
		m := Method{Name: baseline.CSGHMC, Cycles: 6, Snapshots: 5, NoiseEpochs: c.noise}
		if got := Compress(m, 300, c.to).NoiseEpochs; got != c.want {
			t.Errorf("%d epochs with noise become %d in %d epochs, want %d", c.noise, got, c.to,
				c.want)
		}
	}
}
