package paper

import (
	"math"
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
// seeds, on the images of the curve, among the allowed places; nil allows all. The least of several
// noisy values is too low on average. Choosing gamma without the seed keeps that out of the seed's
// difference. A single seed chooses for itself, and decides nothing.
func (c sweepCurve) bestOfOthers(allowed func(place, seed int) bool) []int {
	best := make([]int, len(c.values[0]))
	for seed := range best {
		least := math.Inf(1)
		for place, values := range c.values {
			if mean := meanWithout(values, seed); mean < least && (allowed == nil || allowed(place, seed)) {
				best[seed], least = place, mean
			}
		}
	}
	return best
}

// meanWithout returns the mean of the values but one; of a single value the value.
func meanWithout(values []float64, seed int) float64 {
	if len(values) > 1 {
		values = slices.Delete(slices.Clone(values), seed, seed+1)
	}
	return score.Summarise(values).Mean
}

// at returns each seed's value at its place.
func (c sweepCurve) at(places []int) []float64 {
	values := make([]float64, len(places))
	for seed, place := range places {
		values[seed] = c.values[place][seed]
	}
	return values
}

// atBest returns each seed's value at the gamma that the other seeds choose.
func (c sweepCurve) atBest() []float64 { return c.at(c.bestOfOthers(nil)) }

// gammasAt returns the gamma of each seed's place.
func (c sweepCurve) gammasAt(places []int) []float64 {
	gammas := make([]float64, len(places))
	for seed, place := range places {
		gammas[seed] = c.gamma[place]
	}
	return gammas
}

// placesOf returns the places of the gammas that are nearest to the given ones.
func (c sweepCurve) placesOf(gammas []float64) []int {
	places := make([]int, len(gammas))
	for seed, gamma := range gammas {
		for place := range c.gamma {
			if math.Abs(c.gamma[place]-gamma) < math.Abs(c.gamma[places[seed]]-gamma) {
				places[seed] = place
			}
		}
	}
	return places
}

// isLast reports whether no gamma is larger than that of a place.
func (c sweepCurve) isLast(place int) bool { return place == len(c.gamma)-1 }

// startsAtZero reports whether the curve has gamma 0 and a larger one to compare it with.
func (c sweepCurve) startsAtZero() bool { return len(c.gamma) > 1 && c.gamma[0] == 0 }

// meansAndStds returns the mean and the standard deviation over the seeds at each point.
func (c sweepCurve) meansAndStds() (mean, std []float64) {
	for _, values := range c.values {
		summary := score.Summarise(values)
		mean, std = append(mean, summary.Mean), append(std, summary.Std)
	}
	return mean, std
}

// seedOf returns one seed's values at all points, from [points][seeds].
func seedOf(values [][]float64, seed int) []float64 {
	result := make([]float64, len(values))
	for point := range values {
		result[point] = values[point][seed]
	}
	return result
}
