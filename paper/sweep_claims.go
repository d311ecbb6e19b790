package paper

// bestBeatsZero compares for each curve and split the metric at the best gamma above 0, which the
// other seeds choose, with that at gamma 0: the control that has no additional entropy. Gamma 0 is
// no candidate: if it is the best, the claim has to fail.
func (s sweep) bestBeatsZero(splits ...split) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		for _, on := range splits {
			curves, err := s.curves(r, on)
			if err != nil {
				return nil
			}
			for _, c := range curves {
				if !c.startsAtZero() {
					continue
				}
				effects = append(effects, s.effect(s.named(c.group)+", best γ - γ 0, "+on.name, c.positive().atBest(), c.values[0]))
			}
		}
		return effects
	}
}

// effect is the difference of two series of the metric, the first of which is claimed to be lower.
func (s sweep) effect(name string, lower, higher []float64) Effect {
	metric := s.measure()
	return newEffect(name, unitOf(metric), BelowZero, shown(metric, differences(lower, higher)))
}

// bestGrows compares for each curve the best gamma / K on one split with that on a milder one.
func (s sweep) bestGrows(milder, harder split) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		mild, err := s.curves(r, milder)
		if err != nil {
			return nil
		}
		hard, err := s.curves(r, harder)
		if err != nil {
			return nil
		}
		for i := range mild {
			effects = append(effects, newRoundedEffect(s.named(mild[i].group)+", best γ/K, "+harder.name+" - "+milder.name, "in γ/K", AboveZero,
				differences(hard[i].argmin(), mild[i].argmin()), hard[i].rounding()+mild[i].rounding()))
		}
		return effects
	}
}

// comparison names two curves of a sweep: the first should have the lower value.
type comparison struct{ lower, higher string }

// of returns the two curves, and whether both are there.
func (c comparison) of(curves []sweepCurve) (lower, higher sweepCurve, found bool) {
	byName := map[string]sweepCurve{}
	for _, curve := range curves {
		byName[curve.group] = curve
	}
	lower, hasLower := byName[c.lower]
	higher, hasHigher := byName[c.higher]
	return lower, higher, hasLower && hasHigher
}

// bestIsLower compares the metric at the best gammas of pairs of curves.
func (s sweep) bestIsLower(pairs []comparison, splits ...split) func(*Result) []Effect {
	metric := s.measure()
	atBest := func(c sweepCurve) []float64 { return shown(metric, c.atBest()) }
	exact := func(sweepCurve) float64 { return 0 }
	return s.compare(pairs, "best "+metric.Name, unitOf(metric), atBest, exact, splits)
}

// bestGammaIsLower compares the best gamma / K of pairs of curves.
func (s sweep) bestGammaIsLower(pairs []comparison, splits ...split) func(*Result) []Effect {
	return s.compare(pairs, "best γ/K", "in γ/K", sweepCurve.argmin, sweepCurve.rounding, splits)
}

// compare returns the effects of pairs of curves on some splits; rounding is the variance of a
// curve's value that its grid adds. Pairs of which the scale lacks a curve are left out.
func (s sweep) compare(pairs []comparison, what, unit string, of func(sweepCurve) []float64, rounding func(sweepCurve) float64, splits []split) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		for _, on := range splits {
			curves, err := s.curves(r, on)
			if err != nil {
				return nil
			}
			for _, pair := range pairs {
				lower, higher, found := pair.of(curves)
				if !found {
					continue
				}
				name := s.named(what) + ", " + pair.lower + " - " + pair.higher + ", " + on.name
				effects = append(effects, newRoundedEffect(name, unit, BelowZero, differences(of(lower), of(higher)), rounding(lower)+rounding(higher)))
			}
		}
		return effects
	}
}
