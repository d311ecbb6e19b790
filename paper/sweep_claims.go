package paper

import "slices"

// The claims about sweeps compare the metric within seeds, at gammas that the other seeds choose. A
// best gamma itself is rounded to the grid, and its differences between few seeds decide nothing.

// chosenBeatsZero is chosenOn under severe corruption.
func (s sweep) chosenBeatsZero(r *Result) []Effect { return s.chosenOn(r, severeSplit) }

// familiesGain is chosenOn under severe corruption of each family, the mean over the curves.
func (s sweep) familiesGain(r *Result) (effects []Effect) {
	for _, on := range severeFamilies {
		of := averaged(on.name+", γ chosen on validation images - γ 0", func(r *Result) []Effect { return s.in(NLL).chosenOn(r, on) })
		effects = append(effects, of(r)...)
	}
	return effects
}

// chosenOn compares for each curve the metric on a split at the gamma above 0 that has the least
// negative log-likelihood on validation images with that at gamma 0: what a user can win who has no
// corrupted images.
func (s sweep) chosenOn(r *Result, on split) (effects []Effect) {
	drawn, err := s.curves(r, on)
	if err != nil {
		return nil
	}
	validation, err := s.in(NLL).curves(r, validationSplit)
	if err != nil {
		return nil
	}
	for i, c := range drawn {
		if !c.startsAtZero() {
			continue
		}
		places := validation[i].bestOfOthers(func(place, _ int) bool { return place > 0 })
		effect := s.effect(s.named(c.group)+", γ chosen on validation images - γ 0, "+on.name, c.at(places), c.values[0])
		effect.Paper = s.publishedValue(c, func(on func(string) []float64) float64 {
			severe, validation := on(severeSplit.name), on(validationSplit.name)
			best := 1 + slices.Index(validation[1:], slices.Min(validation[1:]))
			return severe[best] - severe[0]
		})
		effects = append(effects, effect)
	}
	return effects
}

// bestBeatsZero compares for each curve and split the metric at the best gamma above 0 with that at
// gamma 0: the control that has no additional entropy. Gamma 0 is no candidate: if it is the best,
// the claim has to fail.
func (s sweep) bestBeatsZero(splits ...split) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		for _, on := range splits {
			curves, err := s.curves(r, on)
			if err != nil {
				return nil
			}
			for _, c := range curves {
				if c.startsAtZero() {
					best := c.at(c.bestOfOthers(func(place, _ int) bool { return place > 0 }))
					effects = append(effects, s.effect(s.named(c.group)+", best γ - γ 0, "+on.name, best, c.values[0]))
				}
			}
		}
		return effects
	}
}

// beyondBest compares for each curve a split at the gamma that is best under severe corruption,
// above the gamma that is best on clean test images, with the split at that gamma: what the best
// gamma of the harder images wins there and costs here. A curve that ends at the clean best
// compares it with itself.
func (s sweep) beyondBest(on split, claimed Side) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		clean, err := s.curves(r, testSplit)
		if err != nil {
			return nil
		}
		severe, err := s.curves(r, severeSplit)
		if err != nil {
			return nil
		}
		drawn, err := s.curves(r, on)
		if err != nil {
			return nil
		}
		for i, c := range drawn {
			best := clean[i].bestOfOthers(nil)
			beyond := severe[i].bestOfOthers(func(place, seed int) bool { return place > best[seed] || c.isLast(best[seed]) })
			effect := s.effect(s.named(c.group)+", best γ of severe - best γ of test, "+on.name, c.at(beyond), c.at(best))
			effect.Claimed = claimed
			effect.Paper = s.publishedValue(c, func(split func(string) []float64) float64 {
				test, severe, on := split(testSplit.name), split(severeSplit.name), split(on.name)
				best := slices.Index(test, slices.Min(test))
				beyond := best + 1 + slices.Index(severe[best+1:], slices.Min(severe[best+1:]))
				return on[beyond] - on[best]
			})
			effects = append(effects, effect)
		}
		return effects
	}
}

// comparison names two curves of a sweep.
type comparison struct{ first, second string }

// of returns the two curves, and whether both are there.
func (c comparison) of(curves []sweepCurve) (first, second sweepCurve, found bool) {
	byName := map[string]sweepCurve{}
	for _, curve := range curves {
		byName[curve.group] = curve
	}
	first, hasFirst := byName[c.first]
	second, hasSecond := byName[c.second]
	return first, second, hasFirst && hasSecond
}

// onPairs returns an effect for each split and pair of curves that is there.
func (s sweep) onPairs(pairs []comparison, splits []split, effect func(first, second sweepCurve, name string) Effect) func(*Result) []Effect {
	return func(r *Result) (effects []Effect) {
		for _, on := range splits {
			curves, err := s.curves(r, on)
			if err != nil {
				return nil
			}
			for _, pair := range pairs {
				if first, second, found := pair.of(curves); found {
					effects = append(effects, effect(first, second, pair.first+" - "+pair.second+", "+on.name))
				}
			}
		}
		return effects
	}
}

// bestIsLower compares the metric at the best gammas of pairs of curves, the first of which should
// have the lower one.
func (s sweep) bestIsLower(pairs []comparison, splits ...split) func(*Result) []Effect {
	return s.onPairs(pairs, splits, func(first, second sweepCurve, name string) Effect {
		return s.effect(s.named("best "+s.measure().Name)+", "+name, first.atBest(), second.atBest())
	})
}

// bestIsAlike is bestIsLower for pairs that should be nearer to each other than a margin.
func (s sweep) bestIsAlike(margin float64, pairs []comparison, splits ...split) func(*Result) []Effect {
	return s.onPairs(pairs, splits, func(first, second sweepCurve, name string) Effect {
		effect := s.effect(s.named("best "+s.measure().Name)+", "+name, first.atBest(), second.atBest())
		effect.Claimed, effect.Margin = nearZero, margin
		return effect
	})
}

// bestGammaDiffers compares, in the first curve of each pair, the metric at its best gamma above (or
// below) the best gamma of the second curve with that at the second's: below zero, the first curve
// has the larger (or smaller) best gamma. On gamma, not on gamma / K.
func (s sweep) bestGammaDiffers(above bool, pairs []comparison, splits ...split) func(*Result) []Effect {
	return s.onPairs(pairs, splits, func(first, second sweepCurve, name string) Effect {
		theirs := first.placesOf(second.gammasAt(second.bestOfOthers(nil)))
		own := first.bestOfOthers(func(place, seed int) bool {
			if above {
				return place > theirs[seed] || first.isLast(theirs[seed])
			}
			return place < theirs[seed] || theirs[seed] == 0
		})
		return s.effect(s.named("own best γ - the other's, ")+name, first.at(own), first.at(theirs))
	})
}

// effect is the difference of two series of the metric, the first of which is claimed to be lower.
func (s sweep) effect(name string, lower, higher []float64) Effect {
	metric := s.measure()
	return newEffect(name, unitOf(metric), belowZero, shown(metric, differences(lower, higher)))
}

// publishedValue returns a value of the paper's curves of a group, given by their split; nil if they
// aren't public.
func (s sweep) publishedValue(c sweepCurve, of func(on func(string) []float64) float64) *float64 {
	if s.published == nil {
		return nil
	}
	published := s.published(c.config)
	on := func(split string) []float64 {
		for _, p := range published {
			if p.split == split && p.k == c.components {
				return p.nll
			}
		}
		return nil
	}
	if on(testSplit.name) == nil {
		return nil
	}
	value := of(on)
	return &value
}
