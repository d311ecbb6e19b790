package paper

import "cmp"

// The claims about sweeps compare the metric within seeds, at gammas that the other seeds choose. A
// best gamma itself is rounded to the grid, and its differences between few seeds decide nothing.

// sweepContrast returns two series of a curve, the first of which the claim calls lower, or nil for
// a curve outside the claim. on returns the curve on a split, in a metric or, for "", in the
// sweep's.
type sweepContrast func(on func(metric string, on split) sweepCurve) (lower, higher []float64)

// compare returns a contrast of each curve, with the paper's if it is public.
func (s sweep) compare(name string, of sweepContrast) contrast {
	return func(r *Result) (effects []Effect) {
		r = r.row(s.row)
		for _, c := range s.groups(r) {
			lower, higher := of(func(metric string, on split) sweepCurve {
				return c.on(r, cmp.Or(metric, s.metric), on)
			})
			if lower == nil {
				continue
			}
			effect := lowerEffect(s.metric, s.named(c.group)+", "+name, lower, higher)
			if theirs := s.paper(c); len(theirs) > 0 {
				lower, higher = of(func(_ string, on split) sweepCurve { return theirs[on.name] })
				difference := lower[0] - higher[0]
				effect.Paper = &difference
			}
			effects = append(effects, effect)
		}
		return effects
	}
}

// entropic allows the gammas above 0, to compare with gamma 0. If gamma 0 is the best, the claim
// has to fail.
func entropic(place, _ int) bool { return place > 0 }

// fromZero compares for each curve the metric on some images, at the gamma above 0 that has the
// least value of a metric on images to choose by, with a metric at gamma 0: the control that has no
// additional entropy.
func (s sweep) fromZero(name string, images split, choosing string, by split,
	control string) contrast {
	return s.compare(name+", "+images.name, func(on func(string, split) sweepCurve) (best,
		zero []float64) {
		c := on("", images)
		if !c.startsAtZero() {
			return nil, nil
		}
		return c.at(on(choosing, by).bestOfOthers(entropic)), on(control, images).values[0]
	})
}

// chosen compares the gamma that has the least negative log-likelihood on validation images with
// gamma 0: the gain of a user without corrupted images.
func (s sweep) chosen(images split) contrast {
	return s.fromZero("γ chosen on validation images - γ 0", images, NLL, validationSplit, "")
}

// chosenAgainstTemperature compares the negative log-likelihood at that gamma with gamma 0 after
// one temperature.
func (s sweep) chosenAgainstTemperature(images split) contrast {
	return s.in(NLL).fromZero("γ chosen on validation images - γ 0 with one temperature", images,
		NLL, validationSplit, ScaledNLL)
}

// chosenInFamilies is chosen under severe corruption of each family that the suite has, the mean
// over the curves.
func (s sweep) chosenInFamilies() contrast {
	return func(r *Result) (effects []Effect) {
		for _, images := range severeFamilies {
			if images.isTested(r) {
				name := images.name + ", γ chosen on validation images - γ 0"
				effects = append(effects, s.in(NLL).chosen(images).averaged(name)(r)...)
			}
		}
		return effects
	}
}

// best compares for each curve and split the best gamma above 0 with gamma 0.
func (s sweep) best() contrast {
	var splits []contrast
	for _, images := range sweepSplits {
		splits = append(splits, s.in(s.metric).fromZero("best γ - γ 0", images, "", images, ""))
	}
	return together(splits...)
}

// beyondBest compares for each curve a split at two gammas: the best on clean test images, and
// among larger ones the best under severe corruption. So it shows what the larger gamma wins or
// costs. A curve that ends at the clean best compares it with itself.
func (s sweep) beyondBest(images split) contrast {
	return s.compare("best γ of severe - best γ of test, "+images.name,
		func(on func(string, split) sweepCurve) (at, from []float64) {
			c, best := on("", images), on("", testSplit).bestOfOthers(nil)
			beyond := on("", severeSplit).bestOfOthers(func(place, seed int) bool {
				return place > best[seed] || c.isLast(best[seed])
			})
			return c.at(beyond), c.at(best)
		})
}

// comparison names two curves of a sweep.
type comparison struct{ first, second string }

// onPairs returns an effect for each split and existing pair of curves, from two series; the claim
// is that the first is lower. what names them.
func (s sweep) onPairs(what string, pairs []comparison, splits []split,
	of func(first, second sweepCurve) (lower, higher []float64)) contrast {
	return func(r *Result) (effects []Effect) {
		for _, on := range splits {
			byName := map[string]sweepCurve{}
			for _, curve := range s.curves(r, on) {
				byName[curve.group] = curve
			}
			for _, pair := range pairs {
				first, hasFirst := byName[pair.first]
				second, hasSecond := byName[pair.second]
				if hasFirst && hasSecond {
					lower, higher := of(first, second)
					effects = append(effects, lowerEffect(s.metric, s.named(what)+", "+
						pair.first+" - "+pair.second+", "+on.name, lower, higher))
				}
			}
		}
		return effects
	}
}

// bestIsLower compares the metric at the best gammas of pairs of curves, the first of which should
// have the lower one.
func (s sweep) bestIsLower(pairs []comparison, splits ...split) contrast {
	return s.onPairs("best "+metricOf(s.metric).Name, pairs, splits,
		func(first, second sweepCurve) (lower, higher []float64) {
			return first.at(first.bestOfOthers(nil)), second.at(second.bestOfOthers(nil))
		})
}

// bestGammaDiffers compares, in the first curve of each pair, the metric at its best gamma above
// (or below) the best gamma of the second curve with that at the second's: below zero, the first
// curve has the larger (or smaller) best gamma. On gamma, not on gamma / K.
func (s sweep) bestGammaDiffers(above bool, pairs []comparison, splits ...split) contrast {
	return s.onPairs("own best γ - the other's", pairs, splits,
		func(first, second sweepCurve) (lower, higher []float64) {
			theirs := second.bestOfOthers(nil)
			for seed, place := range theirs {
				if place < 0 {
					continue
				}
				theirs[seed] = first.nearest(second.gamma[place])
			}
			own := first.bestOfOthers(func(place, seed int) bool {
				if above {
					return place > theirs[seed] || first.isLast(theirs[seed])
				}
				return place < theirs[seed] || theirs[seed] == 0
			})
			return first.at(own), first.at(theirs)
		})
}
