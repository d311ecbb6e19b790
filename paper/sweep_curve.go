package paper

import (
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// sweepCurve is one group of a sweep on one split.
type sweepCurve struct {
	group      string
	config     nbbnn.Config // of its first point, filled
	components int
	gamma      []float64   // rising
	values     [][]float64 // of the metric, [gammas][seeds]
}

// perComponent returns the gammas divided by the number of components.
func (c sweepCurve) perComponent() []float64 {
	values := slices.Clone(c.gamma)
	for i := range values {
		values[i] /= float64(max(1, c.components))
	}
	return values
}

// bestOfOthers returns, for each seed, the place of the gamma with the least mean over the other
// seeds, on the images of the curve. The least of several noisy values is too low on average.
// Choosing gamma without the seed keeps that out of the seed's difference. A single seed chooses
// for itself, and decides nothing.
func (c sweepCurve) bestOfOthers() []int {
	seeds := len(c.values[0])
	best := make([]int, seeds)
	for seed := range seeds {
		means := make([]float64, len(c.gamma))
		for i, values := range c.values {
			others := slices.Clone(values)
			if seeds > 1 {
				others = slices.Delete(others, seed, seed+1)
			}
			means[i] = score.Summarise(others).Mean
		}
		best[seed] = slices.Index(means, slices.Min(means))
	}
	return best
}

// startsAtZero reports whether the curve has gamma 0 and a larger one to compare it with.
func (c sweepCurve) startsAtZero() bool { return len(c.gamma) > 1 && c.gamma[0] == 0 }

// positive returns the part of a curve that starts at zero with gamma above 0.
func (c sweepCurve) positive() sweepCurve { return c.between(1, len(c.gamma)) }

// between returns the part of the curve from one place up to another, which isn't in it.
func (c sweepCurve) between(from, to int) sweepCurve {
	c.gamma, c.values = c.gamma[from:to], c.values[from:to]
	return c
}

// atBest returns each seed's value at the gamma that the other seeds choose.
func (c sweepCurve) atBest() []float64 {
	values := make([]float64, len(c.values[0]))
	for seed, best := range c.bestOfOthers() {
		values[seed] = c.values[best][seed]
	}
	return values
}

// argmin returns gamma / K of each seed's own least value.
func (c sweepCurve) argmin() []float64 {
	gammas := make([]float64, len(c.values[0]))
	for seed := range gammas {
		values := seedOf(c.values, seed)
		gammas[seed] = c.gamma[slices.Index(values, slices.Min(values))] / float64(max(1, c.components))
	}
	return gammas
}

// rounding returns the variance that the grid of gamma / K adds to argmin, by its widest step.
func (c sweepCurve) rounding() float64 {
	grid, widest := c.perComponent(), 0.0
	for i := 1; i < len(grid); i++ {
		widest = max(widest, grid[i]-grid[i-1])
	}
	return roundingVariance(widest)
}

// seedOf returns one seed's values at all points, from [points][seeds].
func seedOf(values [][]float64, seed int) []float64 {
	result := make([]float64, len(values))
	for point := range values {
		result[point] = values[point][seed]
	}
	return result
}
