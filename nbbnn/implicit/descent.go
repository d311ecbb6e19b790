package implicit

import (
	"errors"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/random"
)

// Plain gradient descent with momentum. Adam gives every pixel another rate, which moves g in
// directions that f doesn't see; only lambda takes it back from there, and that takes thousands of
// steps.
const (
	descentMomentum = 0.9
	descentGrowth   = 1.05 // of the rate after a step that lowered the objective
	// of the rate after a step that didn't, which is undone with its momentum
	descentFall = 0.5

	checkInterval = 20 // steps between two checks of the objective (METHOD.md section 7)
)

// descend is the search of Descent for one lambda, until the objective has settled. It returns
// false if the search is to stop.
func (p *problem) descend(ask asker, lambda float64) (s solution, ok bool) {
	change, velocity, rate := p.startChange(), make([]float64, len(p.clean)), p.settings.Rate
	lowest, first, checked := math.Inf(1), 0.0, 0.0 // objectives
	var slope []float64                             // where it is the lowest
	for step := range p.settings.Steps {
		at, ok := ask.point(change, p.target)
		if !ok {
			return s, false
		}
		s.steps++
		p.done++
		kept := 0.0
		if objective := at.objective(lambda); objective < lowest {
			s.point, lowest, slope = at, objective, at.slope(lambda)
			kept, rate = descentMomentum, rate*descentGrowth
		} else {
			rate *= descentFall
		}
		if step == 0 {
			first = lowest
			if p.err = checkFinite(lowest); p.err != nil {
				return s, false
			}
		}
		if step%checkInterval == 0 {
			// A search that is still where it began hasn't found a small enough rate yet.
			if lowest != first && checked-lowest <= p.settings.Tolerance*lowest {
				break
			}
			checked = lowest
		}
		for i := range velocity {
			unit := p.unit[i%len(p.unit)]
			// the rate is for normalised pixels
			velocity[i] = kept*velocity[i] - rate*slope[i]/(unit*unit)
		}
		change = addScaled(slices.Clone(s.change), 1, velocity)
	}
	return s, true
}

// startChange returns the change at which a search begins: none, or the normal numbers of Start,
// the same in every search.
func (p *problem) startChange() []float64 {
	change := make([]float64, len(p.clean))
	if p.settings.Start > 0 {
		rng := random.New(p.settings.Seed, random.Implicit, startDraws)
		for i := range change {
			change[i] = p.settings.Start * rng.NormFloat64() / p.unit[i%len(p.unit)]
		}
	}
	return change
}

// checkFinite refuses a search that nothing could improve: no objective is lower than one that
// isn't a number.
func checkFinite(objective float64) error {
	if math.IsNaN(objective) || math.IsInf(objective, 0) {
		return errors.New("implicit: the objective isn't finite without a change of the image: " +
			"choose weights whose logits are finite")
	}
	return nil
}
