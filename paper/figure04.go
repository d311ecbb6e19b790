package paper

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/viz"
)

// figure04 is Figure 4 of the paper: the change of an image that has the same effect on the
// noise-free All-CNN-C as one draw of its latents, for three weights lambda of the size of the
// change. The runs are Figure03's.
var figure04 = Figure{
	Number: 4,
	Title:  "A draw of the latents has the effect of a corruption of the image",
	headline: headline{
		Shows:    "Changes of an image that act like one draw of the noise",
		Claimed:  "Wider noise acts like larger changes of the image",
		Opposite: "Wider noise acts like smaller changes of the image",
		Between:  "in the size of the changes between M16 and M32",
		Names:    namesOfWidths,
	},
	Runs:    implicitAllCNNC,
	collect: answeredMeasurement{},
	draw:    figure04Draw,
	claims: []claim{
		weAsk("implicit corruptions of M32 are larger than M16's",
			contrast(largerChanges).averaged("M32 - M16, mean over λ")).asPrimary(0).of(
			figure03Methods...),
		paperSays("the changes have the paper's size",
			paperSize(figure03Methods, expected.changes)),
		weAsk("with Z = 1 in the network without noise the changes have the paper's size",
			paperSize(figure03Methods, ones.changes)),
		weAsk("with the mean of Z in the network without noise the changes have the paper's size",
			paperSize(figure03Methods, meanZ.changes)),
		weAsk("Z = 1 needs larger changes than E[f]", largerWithOnes).of(figure03Methods...),
		weAsk("what a stopped descent of M16 leaves of a random start has the paper's size",
			paperSize(figure03Methods[:1], stopped)),
	},
	checks: implicitChecks,
}

// publishedRMS has by lambda the size of the paper's implicit corruptions, measured on the authors'
// slides, ±0.01 (METHOD.md section 6).
var publishedRMS = map[float64]float64{0.03: 0.133, 0.1: 0.067, 0.3: 0.028}

// implicitChecks test the search. For exact minimisers of d/2 + lambda n/2 the norm can't grow with
// lambda and the distance can't fall.
var implicitChecks = []check{
	{"norm falls as lambda grows, in every search",
		countChanges(neighbours, func(_ *Result, pair [2]implicit.Corruption) bool {
			return pair[1].Norm < pair[0].Norm
		})},
	{"distance from the target grows with lambda",
		countChanges(neighbours, func(_ *Result, pair [2]implicit.Corruption) bool {
			return pair[1].Distance() > pair[0].Distance()
		})},
	{"searches ended before the limit of steps",
		countChanges(each, func(r *Result, c implicit.Corruption) bool {
			return c.Steps < r.Setup.filledImplicit().Steps
		})},
	{"Goldstein subgradient (within 1 % of the change) up to 0.001 of the gradient without a " +
		"change", countChanges(each, func(r *Result, c implicit.Corruption) bool {
		return measuresGradients(r) && c.Subgradient <= smallGradient
	})},
	{"gradient at the change itself as small, which it isn't on kinks of the ReLUs",
		countChanges(each, func(r *Result, c implicit.Corruption) bool {
			return measuresGradients(r) && c.Gradient <= smallGradient
		})},
}

// countChanges counts the changes, or pairs of them, for which a statement holds.
func countChanges[T any](of func([]implicit.Corruption) []T,
	holds func(*Result, T) bool) func(*Result) (passed, total int) {
	return func(r *Result) (passed, total int) {
		for _, run := range r.Runs {
			for _, n := range noiseFrees {
				for _, change := range of(n.changes(run)) {
					total++
					if holds(r, change) {
						passed++
					}
				}
			}
		}
		return passed, total
	}
}

func each(all []implicit.Corruption) []implicit.Corruption { return all }

// implicitAllCNNC is allCNNC with the implicit corruptions of one image, against the mean of the
// logits over fixed draws, as in the paper's text: the paper's horse is the first horse of
// CIFAR-10's test set.
func implicitAllCNNC(scale Scale) Setup {
	setup := allCNNC(scale)
	setup.Implicit = implicit.Settings{First: firstHorse, Draws: 2, Lambda: []float64{0.03, 0.1,
		0.3}, Expected: 64}
	switch scale {
	case Smoke:
		setup.Implicit.First, setup.Implicit.Expected = 1, 8
	case Paper:
		setup.Seeds = quantity.FirstSeeds(3)
	}
	return setup
}

// firstHorse is the place of the first horse among CIFAR-10's test images.
const firstHorse = 13

// figure04Draw draws the first run of each method, with the first image and draw, and below them
// the larger changes of the first: those with Z = 1 in the network without noise, and what the
// stopped descent leaves.
func figure04Draw(r *Result) (*viz.Figure, error) {
	var runs []int
	for run := range r.methodNames() {
		runs = append(runs, run)
	}
	small, err := r.ImplicitFigure(0, 0, runs...)
	if err != nil || len(r.Runs[0].Stopped) == 0 {
		return small, err
	}
	figures := []*viz.Figure{small}
	for _, other := range []struct {
		name    string
		changes func(RunResult) []implicit.Corruption
	}{{"Z = 1 in the network without noise", ones.changes}, {"descent from a random start, stopped",
		stopped}} {
		picture, err := implicitPicture(r, 0, 0, 0, other.changes)
		if err != nil {
			return nil, err
		}
		picture.Name, picture.Answers = picture.Name+", "+other.name, nil
		large, err := viz.ImplicitCorruptions(picture) // with a separate scale
		if err != nil {
			return nil, err
		}
		figures = append(figures, large)
	}
	return viz.Column(figures...)
}

// largerChanges compares the size of the change, root mean square in pixels, at each lambda.
func largerChanges(r *Result) []Effect {
	rms := implicit.Corruption.RMS
	return pairedEffects("M32 - M16", "of the pixel range", aboveZero,
		ofLambda(r, "M32", expected.changes, rms), ofLambda(r, "M16", expected.changes, rms),
		lambdaNames(r))
}

// largerWithOnes compares the size of the changes with Z = 1 in the network without noise with that
// for E[f], as a ratio less one, for each method and lambda.
func largerWithOnes(r *Result) (effects []Effect) {
	for _, method := range figure03Methods {
		ratios := ofLambda(r, method, ones.changes, implicit.Corruption.RMS)
		for seed, sizes := range ofLambda(r, method, expected.changes, implicit.Corruption.RMS) {
			floats.Div(ratios[seed], sizes)
			floats.AddConst(-1, ratios[seed])
		}
		for i, at := range lambdaNames(r) {
			effects = append(effects, newEffect(fmt.Sprintf("%s, Z = 1 / E[f] - 1 %s", method, at),
				"of E[f]'s size", aboveZero, column(ratios, i)))
		}
	}
	return effects
}

// stoppedDescent begins with random changes of 0.7 standard deviations of a channel, some 0.18 of
// the pixel range, and ends after 30 steps. Exact minimisers are far smaller than the paper's
// changes and hardly depend on lambda. A descent forgets its start the faster, the larger lambda
// is. Start and steps were chosen on the first seed of M16, with the mean of Z in the network
// without noise, so that what is left comes near the paper's sizes.
func stoppedDescent(s implicit.Settings) implicit.Settings {
	s.Method, s.Start, s.Steps, s.Tolerance = implicit.Descent, 0.7, 30, 1e-9
	return s
}

// stopped returns the changes of a run that a stopped descent leaves.
func stopped(r RunResult) []implicit.Corruption { return r.Stopped }

// paperSize compares the mean size of some methods' changes with the paper's, up to a margin: 30 %,
// or the error of reading, 0.01. The paper's were measured with the images and the network of
// CIFAR-10.
func paperSize(methods []string, changes func(RunResult) []implicit.Corruption) contrast {
	return func(r *Result) (effects []Effect) {
		if config := r.Setup.Config.WithDefaults(); config.Data.Name != dataset.CIFAR10 {
			return nil
		}
		var sizes [][][]float64 // [methods][seeds][lambdas]
		for _, method := range methods {
			sizes = append(sizes, ofLambda(r, method, changes, implicit.Corruption.RMS))
		}
		for i, lambda := range r.Setup.filledImplicit().Lambda {
			published, found := publishedRMS[lambda]
			if !found {
				continue
			}
			var apart []float64
			for seed := range sizes[0] {
				ratio := 0.0
				for _, of := range sizes {
					ratio += of[seed][i] / published / float64(len(sizes))
				}
				apart = append(apart, ratio-1)
			}
			effect := newEffect(fmt.Sprintf("size - 1 at λ %g", lambda), "of the paper's size",
				nearZero, apart)
			effect.Margin = max(0.3, 0.01/published)
			effects = append(effects, effect)
		}
		return effects
	}
}

// neighbours returns the pairs of neighbouring lambdas of the same image and draw, the smaller
// lambda first.
func neighbours(all []implicit.Corruption) (pairs [][2]implicit.Corruption) {
	ordered := slices.SortedStableFunc(slices.Values(all), func(a, b implicit.Corruption) int {
		return cmp.Or(cmp.Compare(a.Image, b.Image), cmp.Compare(a.Draw, b.Draw),
			cmp.Compare(a.Lambda, b.Lambda))
	})
	for i := 1; i < len(ordered); i++ {
		before, c := ordered[i-1], ordered[i]
		if before.Image == c.Image && before.Draw == c.Draw && before.Lambda < c.Lambda {
			pairs = append(pairs, [2]implicit.Corruption{before, c})
		}
	}
	return pairs
}
