package network

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Where the entropy of a mixture is known: one component, equal ones, and ones that are far apart
// (METHOD.md 3.4, C and D).
func TestEstimateEntropyIsExactAtTheLimits(t *testing.T) {
	own := math.Log(2*math.Pi*math.E)/2 + math.Log(0.1)
	for _, c := range []struct {
		name        string
		mean, sigma [][]float64
		want        float64
	}{
		{"one component", [][]float64{{1}}, [][]float64{{0.1}}, own},
		{"equal components", [][]float64{{1}, {1}, {1}}, [][]float64{{0.1}, {0.1}, {0.1}}, own},
		{"far apart", [][]float64{{1}, {100}}, [][]float64{{0.1}, {0.1}}, own + math.Ln2},
	} {
		got := testkit.Must(EstimateEntropy(c.mean, c.sigma, 12, 1))(t)
		testkit.Near(t, c.name, got.Value, c.want, 1e-12)
		testkit.Near(t, c.name+": standard error", got.StandardError, 0.0, 1e-12)
	}
}

// The estimate must agree with METHOD.md 3.4, case B: 0.8766 with a standard error of 0.002.
func TestEstimateEntropyOfCaseB(t *testing.T) {
	mean := [][]float64{{1, 1.2, 0.9}, {1.05, 0.8, 1.1}}
	sigma := [][]float64{{0.3, 0.25, 0.4}, {0.35, 0.3, 0.2}}
	got := testkit.Must(EstimateEntropy(mean, sigma, 100_000, 1))(t)
	if got.StandardError > 0.002 {
		t.Errorf("standard error %g of %d draws, want less than 0.002", got.StandardError,
			got.Draws)
	}
	testkit.Near(t, "entropy", got.Value, 0.8766, 4*math.Hypot(0.002, got.StandardError))
}

// Both bounds lie below the entropy, and the entropy below the mean of the components' plus log K.
func TestBoundsAgainstEstimate(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for components := 2; components <= 4; components++ {
		mean, sigma := randomPosterior(random, components, 6)
		got := testkit.Must(EstimateEntropy(mean, sigma, 40_000, 2))(t)
		most := math.Log(float64(components))
		for k := range sigma {
			most += ownEntropy(sigma[k]) / float64(components)
		}
		slack := 4 * got.StandardError
		for _, bound := range []Bound{ReferenceBound, ExactBound} {
			if lower := entropyBound(t, mean, sigma, bound); lower > got.Value+slack ||
				got.Value > most+slack {
				t.Errorf("%d components: %s bound %.4f, estimate %.4f (standard error %.4f), at "+
					"most %.4f",
					components, bound, lower, got.Value, got.StandardError, most)
			}
		}
	}
}

func TestEstimateEntropyRefuses(t *testing.T) {
	one := [][]float64{{1, 1}}
	for _, c := range []struct {
		mean, sigma [][]float64
		draws       int
		want        string
	}{
		{nil, nil, 10, "no mixture"},
		{one, [][]float64{{1}}, 10, "component 0"},
		{one, [][]float64{{1, 0}}, 10, "standard deviation 0"},
		{one, one, 1, "1 draws"},
	} {
		if _, err := EstimateEntropy(c.mean, c.sigma, c.draws, 0); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want one with %q", err, c.want)
		}
	}
}
