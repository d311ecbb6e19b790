package paper

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// tally counts at how many points, levels or epochs, a difference is positive. What the seeds have to show for a point to be
// decided depends on how many there are:
//
//	one seed        decides nothing
//	two seeds       decide when both differences have the same sign
//	three and more  decide when the mean is further from zero than 0.90 quantiles of Student's t, with one degree of freedom
//	                less than seeds, times its standard error: an 80 % interval without zero
type tally struct {
	points, positive, negative, open int
	seeds                            int
}

// count takes differences, [seeds][points]: each is between two values of the same seed.
func count(differences [][]float64) tally {
	t := tally{seeds: len(differences)}
	for point, difference := range summarise(differences) {
		t.points++
		switch {
		case !decided(difference, column(differences, point)):
			t.open++
		case difference.Mean > 0:
			t.positive++
		default:
			t.negative++
		}
	}
	return t
}

// decided says whether the values of all seeds at one point, of which s is the summary, tell the sign of their difference.
func decided(s score.Summary, values []float64) bool {
	switch len(values) {
	case 1:
		return s.Mean != 0
	case 2:
		return values[0]*values[1] > 0
	}
	return math.Abs(s.Mean) > quantile90(len(values)-1)*s.Std/math.Sqrt(float64(len(values)))
}

// column returns the values of all seeds at one point.
func column(series [][]float64, point int) []float64 {
	values := make([]float64, len(series))
	for seed := range series {
		values[seed] = series[seed][point]
	}
	return values
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

// text is such as "5 of 6 levels; 2 seeds disagree at 1".
func (t tally) text(points string) string {
	return fmt.Sprintf("%d of %d %s; %s", t.positive, t.points, points, t.seedsText())
}

// seedsText says how many seeds there are and whether they decide every point.
func (t tally) seedsText() string {
	switch {
	case t.seeds == 1:
		return "1 seed"
	case t.seeds == 2 && t.open == 0:
		return "2 seeds agree"
	case t.seeds == 2:
		return fmt.Sprintf("2 seeds disagree at %d", t.open)
	case t.open == 0:
		return fmt.Sprintf("%d seeds", t.seeds)
	default:
		return fmt.Sprintf("%d seeds leave %d open", t.seeds, t.open)
	}
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
