package lab

import (
	"math"
	"math/rand/v2"
	"slices"
)

// exercises lists what Grade knows, by lesson and number.
var exercises = map[string]exercise{
	"one-dimension.1": exerciseOf([]property[bayes]{
		{"a posterior that sums to 1", "divide by the sum over all candidates", func(f bayes) bool {
			after := f([]float64{.2, .3, .5}, []float64{-1, -2, -3})
			return near1(after[0]+after[1]+after[2], 1)
		}},
		{"the prior times the likelihood", "a candidate with half the prior needs twice the " +
			"likelihood", func(f bayes) bool {
			return near(f([]float64{.2, .4, .4}, []float64{math.Log(.6), math.Log(.3),
				math.Log(.1)}), []float64{3. / 7, 3. / 7, 1. / 7})
		}},
		{"a finite posterior for likelihoods as small as exp(-1000)",
			"take the largest logarithm out before you use exp",
			func(f bayes) bool {
				return near(f([]float64{.5, .5}, []float64{-1000, -1000 + math.Log(3)}),
					[]float64{.25, .75})
			}},
		{"a finite posterior for any order of logarithms far apart",
			"take the largest logarithm out, not the first", func(f bayes) bool {
				return near(f([]float64{.5, .5}, []float64{-1000, -10}), []float64{0, 1}) &&
					near(f([]float64{.5, .5}, []float64{-10, -1000}), []float64{1, 0})
			}},
	}),
	"one-dimension.2": exerciseOf([]property[division]{
		{"the mean of the variances as the data's part", "divide the sum by the number of draws",
			func(f division) bool {
				data, _ := f([]float64{1, 1}, []float64{.5, 1.5})
				return near1(data, 1)
			}},
		{"no part of ours if all means agree", "the variance of equal numbers is zero",
			func(f division) bool {
				_, ours := f([]float64{3, 3, 3}, []float64{1, 2, 3})
				return math.Abs(ours) < 1e-9
			}},
		{"the variance of the means, around their own mean", "the mean of the squares, minus the " +
			"square of the mean", func(f division) bool {
			data, three := f([]float64{5, 7, 12}, []float64{.3, .6, .9})
			_, four := f([]float64{5, 7, 12, 8}, []float64{1, 1, 1, 1})
			return near1(data, .6) && near1(three, 26./3) && near1(four, 6.5)
		}},
	}),
	"0.1": exerciseOf([]property[noisyLayer]{
		{"W f + b for factors of 1", "the sum of a row times the input, and the bias",
			func(f noisyLayer) bool {
				return near(f([][]float64{{1, 2}}, []float64{3}, []float64{1}, []float64{4, 5}),
					[]float64{17})
			}},
		{"h = (W f + b) s with the factor s of each node", "a factor multiplies the bias, too",
			func(f noisyLayer) bool {
				weights, bias := [][]float64{{1, 2, 0}, {3, 4, 1}}, []float64{5, 6}
				return near(f(weights, bias, []float64{2, -1}, []float64{1, -1, 7}),
					[]float64{8, -12})
			}},
	}),
	"0.2": like(func(mu, sigma, prior float64) float64 {
		return (sigma*sigma+(mu-1)*(mu-1))/(2*prior*prior) + math.Log(prior/sigma) - 0.5
	}, "H[q, p] - H[q] of one node", "both have a log 2π, which cancels"),
	"1.1": exerciseOf([]property[calibration]{
		{"0 for a forecaster that is right as often as it is sure", "compare the sums of a bin, " +
			"not single predictions",
			func(f calibration) bool {
				return near1(f([]float64{.5, .5}, []bool{true, false}, 10), 0)
			}},
		{"with one bin, the mean confidence minus the share of right answers",
			"divide by the number of all predictions",
			func(f calibration) bool {
				return near1(f([]float64{.9, .3, .6}, []bool{false, true, false}, 1), .8/3)
			}},
		{"no cancelling between bins", "take the absolute value in each bin, then add",
			func(f calibration) bool {
				return near1(f([]float64{.9, .1}, []bool{false, true}, 2), .9)
			}},
		{"bins that count by their answers", "a bin with three answers weighs three times as " +
			"much as one with one",
			func(f calibration) bool {
				return near1(f([]float64{.9, .9, .9, .1}, make([]bool, 4), 2), .7)
			}},
		{"a bin for a confidence of 1", "it belongs to the last bin",
			func(f calibration) bool {
				return near1(f([]float64{1, .91}, []bool{false, true}, 10), .455)
			}},
	}),
	"1.2": like(func(p, temperature float64) float64 {
		return 1 / (1 + math.Pow((1-p)/p, 1/temperature))
	}, "p to the power 1/T, divided by the sum of both classes",
		"divide both logarithms by T, then take the softmax"),
	"2.1": exerciseOf([]property[relative]{
		{"an easy corruption that counts as much as a hard one", "divide for each corruption, " +
			"then take the mean",
			func(f relative) bool {
				return near1(f([][]float64{{.02}, {.8}}, [][]float64{{.01}, {.8}}), 1.5)
			}},
		{"the sum over the severities before the division", "a severity without errors must not " +
			"divide by zero",
			func(f relative) bool {
				return near1(f([][]float64{{.1, .3}}, [][]float64{{0, .2}}), 2)
			}},
	}),
	"2.2": like(func(value, more float64) float64 { return min(1, value+more) },
		"the sum, at most 1", "brighter than white is white"),
	"3.1": exerciseOf([]property[dropout]{
		{"factors with the mean 1", "a kept node is multiplied by more than one",
			func(f dropout) bool {
				mean := 0.0
				for _, x := range factors(f, 0.8) {
					mean += x / 20000
				}
				return math.Abs(mean-1) < 0.03
			}},
		{"factors of 0 and 1/keep", "a node is kept and scaled, or it is zero, with the " +
			"probability that is given", func(f dropout) bool {
			keep := 0.3 + 0.6*rand.Float64()
			return !slices.ContainsFunc(factors(f, keep), func(x float64) bool {
				return x != 0 && !near1(x, 1/keep)
			})
		}},
	}),
	"3.2": like(func(keep float64) float64 { return math.Sqrt((1 - keep) / keep) },
		"the root of dropout's variance", "the mean square of the factor is 1/keep, its mean 1"),
	"4.1": like(func(curvature, prior, gamma float64) float64 {
		return math.Sqrt((gamma + 1) / (curvature + 1/(prior*prior)))
	}, "a minimum of the objective", "set the derivative by σ to zero"),
	"4.2": like(func(curvature, prior, gamma, beta float64) float64 {
		return math.Sqrt(beta * (gamma + 1) / (curvature + beta/(prior*prior)))
	}, "a minimum with both forces weighed", "β multiplies the prior's force and the entropy's"),
	"5.1": exerciseOf([]property[mixture]{
		{"the entropy of one Gaussian where all means are equal", "the mean of -log q(x) over " +
			"draws x of q; the density q divides its sum by K",
			func(f mixture) bool {
				return math.Abs(f([]float64{3, 3, 3}, 2000, seeded())-gaussian) < 0.1
			}},
		{"0.6365 more where two of three means are equal and one is far away",
			"draw a component for each x, and divide the density by K",
			func(f mixture) bool {
				return math.Abs(f([]float64{0, 0, 50}, 2000, seeded())-gaussian-0.6365) < 0.1
			}},
	}),
	"5.2": like(func(w float64) float64 { return -w*math.Log(w) - (1-w)*math.Log(1-w) },
		"the entropy of the choice", "it's -w log w, and as much for the other component"),
	"6.1": exerciseOf([]property[search]{
		{"a slope of zero at the solution", "set the derivative by each g_i to zero: g is a " +
			"multiple of w", func(f search) bool {
			g := f([]float64{3, 4}, 2, 5)
			left := 2 - 3*g[0] - 4*g[1]
			return math.Abs(5*g[0]-left*3) < 1e-6 && math.Abs(5*g[1]-left*4) < 1e-6
		}},
	}),
	"6.2": like(func(w, lambda float64) float64 { return 2 / (w*w + lambda) },
		"the rate at which a step leads to the other side, as far away",
		"a step multiplies the distance by 1 - rate (w² + λ)"),
	"7.1": exerciseOf([]property[ranking]{
		{"the share of ordered pairs in between", "divide by the number of pairs of a wrong and " +
			"a right label",
			func(f ranking) bool {
				return near1(f([]float64{3, 1, 2, 4, 5}, []bool{true, false, false, false, true}),
					5./6)
			}},
		{"half a pair for equal losses", "count it with 0.5",
			func(f ranking) bool {
				return near1(f([]float64{1, 1, 0}, []bool{true, false, false}), .75)
			}},
	}),
	"7.2": like(func(r float64) float64 {
		return -(1-r)*math.Log(1-r) - r*math.Log(r/9)
	}, "the mean over right and wrong labels", "a share of 1 - r pays -log(1 - r)"),
	"8.1": exerciseOf([]property[ensemble]{
		{"the mean of the probabilities", "not the mean of their logarithms",
			func(f ensemble) bool {
				logs := [][]float64{{math.Log(.9), math.Log(.1)}, {math.Log(.5), math.Log(.5)}}
				return near(f(logs), []float64{math.Log(.7), math.Log(.3)})
			}},
		{"a finite result for probabilities as small as exp(-1000)",
			"take the largest logarithm out before you use exp",
			func(f ensemble) bool {
				return near(f([][]float64{{-1000, 0}, {-1000, 0}}), []float64{-1000, 0})
			}},
	}),
	"8.2": like(func(p, q float64) float64 {
		return math.Log((p+q)/2) - (math.Log(p)+math.Log(q))/2
	}, "the mean of the NLLs minus the NLL of the mean", "the NLL of p is -log p"),
	"9.1": exerciseOf([]property[verdict]{
		{"at most 3 % of confirmations without an effect, by five seeds and by two",
			"a t-interval of few seeds is wider than two standard errors, its quantile depends " +
				"on how many they are, and the variance divides by one less",
			func(f verdict) bool {
				return confirmations(f, 5, 0) <= 120 && confirmations(f, 2, 0) <= 120
			}},
		{"most effects of three standard deviations confirmed by five seeds",
			"an interval that is too wide confirms nothing: a standard error divides by the root " +
				"of the number of seeds",
			func(f verdict) bool { return confirmations(f, 5, -3) > 3200 }},
		{"effects of forty standard deviations confirmed by two seeds",
			"two seeds have a t-interval, too, with the quantile 12.706",
			func(f verdict) bool { return confirmations(f, 2, -40) > 2000 }},
	}),
	"9.2": like(func(alarm float64) float64 { return 1 - math.Pow(1-alarm, 6) },
		"the chance of at least one alarm", "none of six has the chance (1 - alarm)⁶"),
	"10.1": exerciseOf([]property[corruption]{
		{"as many values, from 0 to 1", "clip with min and max", func(f corruption) bool {
			out := f(grey(), 1)
			return len(out) == len(grey()) && slices.Min(out) >= 0 && slices.Max(out) <= 1
		}},
		{"another image at strength 1, not the one at 0.5", "add or multiply by something that " +
			"depends on the strength", func(f corruption) bool {
			strong := f(grey(), 1)
			return !near(strong, grey()) && !near(strong, f(grey(), 0.5))
		}},
		{"the image itself at strength 0", "nothing is added at this strength",
			func(f corruption) bool { return near(f(grey(), 0), grey()) }},
		{"an image that is left as it was", "write into a new slice: others use the image, too",
			func(f corruption) bool { image := grey(); f(image, 1); return near(image, grey()) }},
	}),
	"10.2": like(func(share, images float64) float64 {
		return math.Sqrt(share * (1 - share) / images)
	}, "the standard error of a share", "one image has the variance share (1 - share)"),
	"11.1": exerciseOf([]property[pricing]{
		{"the price for each answer that is less sure than 1 - price", "compare the confidence " +
			"with 1 - price, not with the price", func(f pricing) bool {
			return near1(f([]float64{.5, .7}, []bool{true, false}, .2), .2)
		}},
		{"1 for a wrong answer and 0 for a right one that are given", "divide by the number of " +
			"all answers", func(f pricing) bool {
			return near1(f([]float64{.95, .9, .99, .4}, []bool{true, false, true, true}, .1+1e-9),
				1.1/4)
		}},
	}),
	"11.2": exerciseOf([]property[distance]{
		{"the squares of all distances", "each class counts, not the right one alone: for a half " +
			"and a half it's 0.5", func(f distance) bool {
			return near1(f([]float64{.5, .2, .3}, 0), .25+.04+.09)
		}},
	}),
}

// The types of the submissions.
type (
	bayes       = func(prior, logs []float64) []float64
	division    = func(means, variances []float64) (data, ours float64)
	noisyLayer  = func(weights [][]float64, bias, factors, x []float64) []float64
	calibration = func(confidence []float64, right []bool, bins int) float64
	relative    = func(errors, baseline [][]float64) float64 // [corruptions][severities]
	dropout     = func(keep float64, random *rand.Rand) float64
	mixture     = func(means []float64, draws int, random *rand.Rand) float64
	search      = func(a []float64, target, lambda float64) []float64
	ranking     = func(loss []float64, wrong []bool) float64
	ensemble    = func(logs [][]float64) []float64 // [networks][classes]
	verdict     = func(differences []float64) bool
	corruption  = func(image []float64, strength float64) []float64
	pricing     = func(confidence []float64, right []bool, price float64) float64
	distance    = func(probabilities []float64, label int) float64
)

var gaussian = 0.5 * math.Log(2*math.Pi*math.E) // entropy of N(0, 1), nats

// near reports whether two lists are equal except for rounding.
func near(got, want []float64) bool { return slices.EqualFunc(got, want, near1) }
func near1(got, want float64) bool  { return math.Abs(got-want) < 1e-9*max(1, math.Abs(want)) }
func seeded() *rand.Rand            { return rand.New(rand.NewPCG(1, 0)) }
func grey() []float64               { return []float64{0, 0.25, 0.5, 0.75, 1} } // an image

// factors returns 20,000 factors of nodes that are kept with a probability.
func factors(f dropout, keep float64) []float64 {
	drawn, random := make([]float64, 20000), seeded()
	for i := range drawn {
		drawn[i] = f(keep, random)
	}
	return drawn
}

// confirmations returns the number of confirmed sets of 4,000 with one difference for each seed and
// the given effect, in standard deviations.
func confirmations(f verdict, seeds int, effect float64) (count int) {
	random := seeded()
	for range 4000 {
		differences := make([]float64, seeds)
		for i := range differences {
			differences[i] = effect + random.NormFloat64()
		}
		if f(differences) {
			count++
		}
	}
	return count
}
