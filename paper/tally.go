package paper

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn"
)

// tally counts at how many points, levels or epochs, a difference is positive in the mean over seeds. A mean that is within
// one standard error of zero decides nothing.
type tally struct {
	points, positive, negative, open int
	seeds                            int
}

// count takes differences, [seeds][points]: each is between two values of the same seed.
func count(differences [][]float64) tally {
	t := tally{seeds: len(differences)}
	for _, difference := range summarise(differences) {
		t.points++
		switch {
		case math.Abs(difference.Mean) <= standardError(difference):
			t.open++
		case difference.Mean > 0:
			t.positive++
		default:
			t.negative++
		}
	}
	return t
}

// standardError is that of a mean, zero for a single value.
func standardError(s nbbnn.Summary) float64 {
	if s.N < 2 {
		return 0
	}
	return s.Std / math.Sqrt(float64(s.N))
}

// outcome is that of the claim that all differences are positive.
func (t tally) outcome() Outcome {
	switch {
	case t.seeds < 2:
		return TooFewSeeds
	case t.negative > 0:
		return Fails
	case t.open > 0:
		return TooFewSeeds
	default:
		return Holds
	}
}

// text is such as "5 of 6 levels, 1 within a standard error; 2 seeds".
func (t tally) text(points string) string {
	return fmt.Sprintf("%d of %d %s%s; %s", t.positive, t.points, points, t.reservation(), t.seedsText())
}

// reservation says how many points are open.
func (t tally) reservation() string {
	if t.open == 0 {
		return ""
	}
	return fmt.Sprintf(", %d within a standard error", t.open)
}

func (t tally) seedsText() string {
	if t.seeds == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("%d seeds", t.seeds)
}

// subtract returns a - b, both [seeds][points].
func subtract(a, b [][]float64) [][]float64 {
	differences := make([][]float64, len(a))
	for seed := range a {
		differences[seed] = make([]float64, len(a[seed]))
		for point := range a[seed] {
			differences[seed][point] = a[seed][point] - b[seed][point]
		}
	}
	return differences
}

// steps returns how much each point is below the one before it, [seeds][points-1].
func steps(series [][]float64) [][]float64 {
	falls := make([][]float64, len(series))
	for seed, values := range series {
		for i := range values[1:] {
			falls[seed] = append(falls[seed], values[i]-values[i+1])
		}
	}
	return falls
}
