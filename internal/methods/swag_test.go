package methods

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

func float32s(values []float64) []float32 {
	converted := make([]float32, len(values))
	for i, x := range values {
		converted[i] = float32(x)
	}
	return converted
}

func float64s(values []float32) []float64 {
	converted := make([]float64, len(values))
	for i, x := range values {
		converted[i] = float64(x)
	}
	return converted
}

// collected returns the moments of snapshots.
func collected(rank int, snapshots [][]float64) *moments {
	c := &moments{rank: rank}
	for _, weights := range snapshots {
		c.add(float32s(weights))
	}
	return c
}

func TestMomentsAgreeWithOracle(t *testing.T) {
	const tolerance = 1e-6 // moments and draws are float32
	o := oracle[struct {
		Snapshots  [][]float64
		MaxRank    int `json:"max_rank"`
		Mean       []float64
		Square     []float64 `json:"sq_mean"`
		Deviations [][]float64
		Z1, Z2     []float64
		Sample     []float64
	}](t, "swag")
	c := collected(o.MaxRank, o.Snapshots)
	testkit.Near(t, "mean", float64s(c.mean), o.Mean, tolerance)
	testkit.Near(t, "mean of squares", float64s(c.square), o.Square, tolerance)
	if len(c.deviations) != len(o.Deviations) {
		t.Fatalf("%d deviations, want the last %d", len(c.deviations), len(o.Deviations))
	}
	for i, d := range c.deviations {
		testkit.Near(t, fmt.Sprint("deviation ", i), float64s(d), o.Deviations[i], tolerance)
	}
	testkit.Near(t, "sample", float64s(c.sample(o.Z1, o.Z2)), o.Sample, tolerance)
}

// A state has everything: what continues from it collects the same, and shares nothing with it.
func TestMomentsContinueFromAState(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var snapshots [][]float64
	for range 6 {
		snapshots = append(snapshots, normals(random, 3))
	}
	whole := collected(3, snapshots)
	state := testkit.Must(collected(3, snapshots[:2]).state())(t)
	resumed := &moments{rank: 3}
	testkit.NoError(t, resumed.setState(state))
	for _, weights := range snapshots[2:] {
		resumed.add(float32s(weights))
	}
	want, _ := whole.state()
	got, _ := resumed.state()
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 6 {
		t.Errorf("state %v after a stop, %v without: want the same with 3 deviations", got, want)
	}
}

// sampler draws weights from standard normal numbers.
type sampler func(diagonal, low []float64) []float32

// compareMoments compares the covariance of a sampler's draws with that which SWAG claims: half the
// diagonal of the variances and half D D'/(R-1), or the whole diagonal without deviations.
func compareMoments(c *moments, draw sampler) error {
	got, want := drawnCovariance(c, draw), claimedCovariance(c)
	for i := range got {
		for j := range got {
			bound := 1e-4 * math.Sqrt(want[i][i]*want[j][j]) // draws are float32
			if math.Abs(got[i][j]-want[i][j]) > bound {
				return fmt.Errorf("covariance %d, %d is %g, want %g within %g", i, j, got[i][j],
					want[i][j], bound)
			}
		}
	}
	return nil
}

func claimedCovariance(c *moments) [][]float64 {
	share, deviations := 0.5, c.deviations
	if len(deviations) == 0 {
		share = 1
	}
	claimed := make([][]float64, len(c.mean))
	for i := range claimed {
		claimed[i] = make([]float64, len(c.mean))
		mean := float64(c.mean[i])
		claimed[i][i] = share * (float64(c.square[i]) - mean*mean)
		for j := range claimed {
			for _, d := range deviations {
				claimed[i][j] += share * float64(d[i]) * float64(d[j]) / float64(len(deviations)-1)
			}
		}
	}
	return claimed
}

// correlated returns snapshots of a Gaussian with standard deviations far from one, whose first two
// weights go together.
func correlated(count int) (snapshots [][]float64) {
	random := rand.New(rand.NewPCG(9, 10))
	for range count {
		z := normals(random, 3)
		snapshots = append(snapshots, []float64{1 + 0.1*z[0], -2 + 0.1*z[0] + 0.05*z[1],
			0.5 + 0.02*z[2]})
	}
	return snapshots
}

func TestSamplesHaveTheClaimedMoments(t *testing.T) {
	for name, rank := range map[string]int{"rank 5": 5, "diagonal": 0} {
		c := collected(rank, correlated(40))
		if err := compareMoments(c, c.sample); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The errors that others have shipped don't pass: the variance used as a standard deviation, the
// missing factors, the deviations from the last mean left out.
func TestWrongSamplersAreCaught(t *testing.T) {
	c := collected(5, correlated(40))
	wrong := func(change func(o *moments), scaleLow float64) sampler {
		other := *c
		other.square, other.deviations = slices.Clone(c.square), slices.Clone(c.deviations)
		change(&other)
		return func(diagonal, low []float64) []float32 {
			scaled := make([]float64, len(low))
			for i := range low {
				scaled[i] = scaleLow * low[i]
			}
			return other.sample(diagonal, scaled)
		}
	}
	none := func(*moments) {}
	for name, draw := range map[string]sampler{
		"variance as standard deviation": wrong(func(o *moments) {
			for i, q := range o.square {
				mean := float64(o.mean[i])
				variance := float64(q) - mean*mean
				o.square[i] = float32(variance*variance + mean*mean)
			}
		}, 1),
		"low rank not divided by R-1": wrong(none, math.Sqrt(float64(len(c.deviations)-1))),
		"low rank left out":           wrong(none, 0),
	} {
		if err := compareMoments(c, draw); err == nil {
			t.Errorf("%s has the claimed moments", name)
		}
	}
}

// SGD's snapshots of a training: SWAG keeps its moments in the state of the stepper, continues from
// it, and its mean is that of the weights after each epoch.
func TestSWAGCollectsEachEpoch(t *testing.T) {
	settings := testSettings()
	settings.Training.Epochs = 4
	s := testStepper(t, Method{Name: baseline.SWAG, Start: 1, Rank: 2}, settings)
	const weights = "theta.dense.bias" // the first of theta in a file is another
	var snapshots [][]float64
	for epoch := range 4 {
		values := valuesAfter(t, s, 4)
		if epoch >= 1 {
			snapshots = append(snapshots, values[weights])
		}
	}
	state := testkit.Must(s.State())(t)
	c := &moments{}
	testkit.NoError(t, c.setState(c.hook().Tensors(state.Variables)))
	if c.snapshots != 3 || len(c.deviations) != 2 {
		t.Errorf("%d snapshots and %d deviations, want 3 and 2", c.snapshots, len(c.deviations))
	}
	replaced := testkit.Must(withTheta(state.Variables, c.mean))(t)
	want := collected(2, snapshots)
	testkit.Near(t, "mean", valuesOf(replaced)[weights], float64s(want.mean), 1e-7)
}

// The rate falls before the start of the collection, linearly to that of the method.
func TestSWAGRate(t *testing.T) {
	const rate = 0.05
	m, s := applied(t, Method{Name: baseline.SWAG, Start: 10, Rate: 0.1 * rate},
		network.Settings{Training: network.Training{Epochs: 40, LearningRate: rate}})
	schedule := swagDefinition().training(m, target{settings: s}).Schedule
	for epoch, want := range map[int]float64{0: 1, 5: 1, 7: 0.55, 9: 0.1, 39: 0.1} {
		got, _, _ := schedule(epoch)
		testkit.Near(t, fmt.Sprint("share of the rate in epoch ", epoch), got/rate, want, 1e-12)
	}
}

func TestSWAGNeedsTwoSnapshots(t *testing.T) {
	m, s := applied(t, Method{Name: baseline.SWAG, Start: 1},
		network.Settings{Training: network.Training{Epochs: 4}})
	for snapshots, fails := range []bool{true, true, false} {
		state, err := collected(m.Rank, correlated(snapshots)).state()
		if err != nil {
			t.Fatal(err)
		}
		for i := range state {
			state[i].Name = "hook.swag." + state[i].Name
		}
		_, err = swagWeights(m, target{settings: s}, state)
		if fails != (err != nil) || fails &&
			!strings.Contains(err.Error(), "take an epoch after 2") {
			t.Errorf("%d snapshots: error %v", snapshots, err)
		}
	}
}

// The momentum of SWAG isn't Nesterov's: a step from rest moves by the rate times the gradient.
func TestHeavyBallFromRest(t *testing.T) {
	settings := testSettings()
	settings.Training.NoWeightDecay = true
	start := valuesAfter(t, testStepper(t, Method{Name: baseline.MAP}, settings), 0)
	nesterov := valuesAfter(t, testStepper(t, Method{Name: baseline.MAP}, settings), 1)
	settings.Training.Epochs = 4
	plain := valuesAfter(t, testStepper(t, Method{Name: baseline.SWAG}, settings), 1)
	const weights = "theta.dense.weights"
	for i, w := range start[weights] {
		// A first step of Nesterov moves 1 + 0.9 times as far.
		got, want := plain[weights][i]-w, (nesterov[weights][i]-w)/1.9
		testkit.Near(t, "move", []float64{got}, []float64{want}, 1e-6)
	}
}
