package paper

import (
	"math"
	"testing"
)

func TestTally(t *testing.T) {
	for _, test := range []struct {
		name        string
		differences [][]float64
		outcome     Outcome
		text        string
	}{
		{"one seed", [][]float64{{1, 1}}, TooFewSeeds, "2 of 2 levels; 1 seed"},
		{"two that agree", [][]float64{{1, 0.001}, {2, 9}}, Holds, "2 of 2 levels; 2 seeds agree"},
		{"two that agree on the opposite", [][]float64{{1, -1}, {2, -2}}, Fails, "1 of 2 levels; 2 seeds agree"},
		{"two that disagree", [][]float64{{1, -0.001}, {2, 9}}, TooFewSeeds, "1 of 2 levels; 2 seeds disagree at 1"},
		{"two, one without a difference", [][]float64{{1, 0}, {2, 9}}, TooFewSeeds, "1 of 2 levels; 2 seeds disagree at 1"},
		{"two that disagree and a failure", [][]float64{{-1, -0.001}, {-2, 9}}, Fails, "0 of 2 levels; 2 seeds disagree at 1"},
		// mean 2, standard error 1/sqrt(3): 3.46 standard errors, the quantile is 1.886
		{"three far from zero", [][]float64{{1}, {2}, {3}}, Holds, "1 of 1 levels; 3 seeds"},
		// mean 1, standard error 1/sqrt(3): 1.73 standard errors
		{"three near zero", [][]float64{{0}, {1}, {2}}, TooFewSeeds, "0 of 1 levels; 3 seeds leave 1 open"},
		{"three below zero", [][]float64{{-1}, {-2}, {-3}}, Fails, "0 of 1 levels; 3 seeds"},
		{"three without a difference", [][]float64{{0}, {0}, {0}}, TooFewSeeds, "0 of 1 levels; 3 seeds leave 1 open"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tally := count(test.differences)
			if got := tally.outcome(); got != test.outcome {
				t.Errorf("outcome is %q, want %q", got, test.outcome)
			}
			if got := tally.text("levels"); got != test.text {
				t.Errorf("text is %q, want %q", got, test.text)
			}
		})
	}
}

// TestQuantile90 integrates the density of Student's t up to the quantile.
func TestQuantile90(t *testing.T) {
	for _, test := range []struct {
		degrees   int
		tolerance float64
	}{{1, 1e-4}, {2, 1e-4}, {3, 1e-4}, {9, 1e-4}, {24, 1e-4}, {30, 1e-4}, {1000, 0.005}} {
		closeTo(t, "probability below the quantile", 0.5+studentMass(test.degrees, quantile90(test.degrees)), 0.9, test.tolerance)
	}
}

// studentMass is the probability between 0 and limit, by the midpoint rule.
func studentMass(degrees int, limit float64) float64 {
	const steps = 10_000
	n := float64(degrees)
	upper, _ := math.Lgamma((n + 1) / 2)
	lower, _ := math.Lgamma(n / 2)
	scale := math.Exp(upper-lower) / math.Sqrt(n*math.Pi)
	sum := 0.0
	for i := range steps {
		x := limit * (float64(i) + 0.5) / steps
		sum += scale * math.Pow(1+x*x/n, -(n+1)/2)
	}
	return sum * limit / steps
}

func TestFalls(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []float64
		falls  bool
		steps  int
	}{
		{"steadily", []float64{5, 4, 3}, true, 2},
		{"onto a plateau with jitter", []float64{9, 3, 1, 1.1, 1, 1.2, 1.1, 1.3, 1.2}, true, 5},
		{"back up", []float64{5, 1, 2, 3, 4}, false, 1},
		{"to where it began", []float64{5, 4, 5}, false, 1},
		{"not at all", []float64{5, 5, 5}, false, 0},
		{"one value", []float64{5}, false, 0},
	} {
		if got := falls(test.values); got != test.falls {
			t.Errorf("%s: falls is %v, want %v", test.name, got, test.falls)
		}
		if got := fallingSteps(test.values); got != test.steps {
			t.Errorf("%s: %d steps fall, want %d", test.name, got, test.steps)
		}
	}
}
