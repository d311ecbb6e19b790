package hmc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Mixing measures how well a sampler's chains agree in their draws after the warm-up.
type Mixing struct {
	RHat []float64 // split R-hat of each dimension (Gelman et al. 2013, section 11.4)
	// the same of the distances from the median (Vehtari et al. 2021): half an orbit of leapfrog
	// steps alternates between two sides, with equal means and widths that hardly move
	FoldedRHat       []float64
	EffectiveSamples []float64 // of each dimension (section 11.5)
	Acceptance       float64   // mean probability
	Divergences      int
}

// Mixing returns the diagnostics of the transitions after a warm-up.
func (t Trace) Mixing(warmup int) (m Mixing) {
	for _, transitions := range t.Transitions {
		counted := transitions[warmup:]
		for _, how := range counted {
			m.Acceptance += how.Acceptance / float64(len(counted)*len(t.Transitions))
			if how.Diverged {
				m.Divergences++
			}
		}
	}
	for i := range t.Positions[0][0] {
		var halves [][]float64
		for c, positions := range t.Positions {
			draws := t.series(c, i, 1+warmup, len(positions))
			half := len(draws) / 2
			halves = append(halves, draws[:half], draws[len(draws)-half:])
		}
		r, effective := mixing(halves)
		m.RHat, m.EffectiveSamples = append(m.RHat, r), append(m.EffectiveSamples, effective)
		m.FoldedRHat = append(m.FoldedRHat, rHat(variances(fold(halves))))
	}
	return m
}

// fold returns the distances of draws from the median of all.
func fold(chains [][]float64) [][]float64 {
	all := slices.Sorted(slices.Values(slices.Concat(chains...)))
	median := (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	folded := make([][]float64, len(chains))
	for c, chain := range chains {
		for _, x := range chain {
			folded[c] = append(folded[c], math.Abs(x-median))
		}
	}
	return folded
}

// mixing returns R-hat and the effective number of samples of chains of equal length.
func mixing(chains [][]float64) (r, effective float64) {
	within, total := variances(chains)
	return rHat(within, total), effectiveSamples(chains, total)
}

// variances returns the mean variance within chains of equal length, and an estimate for all their
// draws.
func variances(chains [][]float64) (within, total float64) {
	n := float64(len(chains[0]))
	means, each := make([]float64, len(chains)), make([]float64, len(chains))
	for c, chain := range chains {
		means[c], each[c] = stat.MeanVariance(chain, nil)
	}
	within = stat.Mean(each, nil)
	return within, within*(n-1)/n + stat.Variance(means, nil)
}

// rHat returns infinity for chains that never moved.
func rHat(within, total float64) float64 {
	if !(total > 0) {
		return math.Inf(1)
	}
	return math.Sqrt(total / within)
}

// effectiveSamples returns the effective number of samples of chains of equal length, from the
// variance of all their draws.
func effectiveSamples(chains [][]float64, total float64) float64 {
	m, n := float64(len(chains)), len(chains[0])
	if !(total > 0) {
		return 0
	}
	correlation := func(lag int) float64 {
		squares := 0.0
		for _, chain := range chains {
			for i := lag; i < n; i++ {
				d := chain[i] - chain[i-lag]
				squares += d * d
			}
		}
		return 1 - squares/(m*float64(n-lag))/(2*total)
	}
	sum, before := 0.0, math.Inf(1) // Geyer's initial monotone sequence of pairs
	for lag := 0; lag+1 < n; lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if pair < 0 {
			break
		}
		before = min(before, pair)
		sum += before
	}
	draws := m * float64(n)
	return draws / max(2*sum-1, 1/math.Log10(draws)) // as in Stan
}

// Draws returns a number of the positions after the warm-up, as many of each chain and evenly
// spread over it: the draws that predict.
func (t Trace) Draws(warmup, count int) (draws [][]float64) {
	each := (count + len(t.Positions) - 1) / len(t.Positions)
	for k := range count {
		chain := t.Positions[k%len(t.Positions)][1+warmup:]
		draws = append(draws, chain[(k/len(t.Positions)+1)*len(chain)/each-1])
	}
	return draws
}
