package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// figure08 is Figure 8 of the paper: ResNet18 on CIFAR-10 with 20, 40 and 80 % of wrong training
// labels, the negative log-likelihood of training images with clean and with wrong labels against
// gamma.
var figure08 = Figure{
	Number: 8,
	Title:  "With entropy a network doesn't memorise wrong labels",
	headline: headline{
		Shows:    "NLL of clean and wrong labels against γ",
		Claimed:  "Entropy raises the NLL of wrong labels more than that of clean ones",
		Opposite: "Entropy doesn't raise the NLL of wrong labels more than that of clean ones",
		Between:  "in how γ acts on clean and on wrong labels",
	},
	Runs:    labelNoiseRuns,
	collect: labelTests(cleanLabels, wrongLabels),
	draw:    drawLabelNoise(cleanLabels, wrongLabels),
	claims: append(labelClaims(wrongLabelsRise, 1.908, (sweep).wrongRiseMore),
		wrongLearntClaims()...),
}

// figure09 is Figure 9 of the paper: the same runs on clean test images.
var figure09 = Figure{
	Number: 9,
	Title:  "With wrong labels a suitable entropy coefficient is best on clean test images",
	headline: headline{
		Shows:    "NLL of clean test images against γ, with wrong training labels",
		Claimed:  "With wrong labels entropy lowers the test NLL",
		Opposite: "With wrong labels entropy raises the test NLL",
		Between:  "in test NLL between γ = 0 and a suitable γ",
	},
	Runs:    labelNoiseRuns,
	collect: labelTests(cleanTest),
	draw:    drawLabelNoise(cleanTest),
	claims: slices.Concat(suitableGammaClaims(),
		labelClaims(tooMuchEntropy, 0, func(s sweep) contrast {
			return s.interior("largest γ", true)
		}),
		lastGammaClaims("scaled NLL", ScaledNLL), lastGammaClaims("error", Error)),
}

// suitableGammaClaims returns the paper's, the primary one with the same contrast in other scores.
// It's on clean images itself.
func suitableGammaClaims() []claim {
	suitable := func(s sweep) contrast { return s.interior("γ 0", false) }
	claims := labelClaims(noiseNeedsEntropy, -0.065, suitable)
	for i := range claims {
		if claims[i].Primary {
			claims[i] = claims[i].beside(func(metric string, clean bool) contrast {
				if clean {
					return nothing
				}
				return suitable(labelSweeps[i].in(metric))
			})
		}
	}
	return claims
}

// lastGammaClaims ask whether the largest gamma, which no claim of the paper compares with none,
// helps clean test images in a score that a temperature hardly changes. The first numbers were seen
// before.
func lastGammaClaims(name, metric string) (claims []claim) {
	claims = labelClaims("the largest γ lowers the test "+name, 0, func(s sweep) contrast {
		return s.in(metric).lastBelowFirst()
	})
	for i := range claims {
		claims[i] = claims[i].exploratory().needing(metric)
		claims[i].Source = ours
	}
	return claims
}

// The claims of Figures 8 and 9, each made for every share of wrong labels. With 40 % they are the
// primary ones: that share's numbers are public.
const (
	wrongLabelsRise   = "NLL of wrong labels rises with γ more than that of clean labels"
	noiseNeedsEntropy = "a suitable γ has a lower test NLL than γ = 0"
	tooMuchEntropy    = "the largest γ has a higher test NLL than a suitable one"
	wrongLabelsLearnt = "most wrong labels are learnt at γ = 64"
	wrongLabelsLeft   = "most wrong labels aren't learnt at the largest γ"
)

var labelShares = []float64{0.2, 0.4, 0.8}

// labelRow names the runs with a share of wrong labels.
func labelRow(share float64) string { return percent(share) + " wrong" }

// The sweeps of Figures 8 and 9, one for each share, and the images of their splits.
var (
	labelSweeps = newLabelSweeps()
	cleanLabels = split{name: "clean labels", part: nbbnn.CleanLabels}
	wrongLabels = split{name: "wrong labels", part: nbbnn.NoisyLabels}
	cleanTest   = split{name: "test", part: nbbnn.CleanPart}
)

func newLabelSweeps() (sweeps []sweep) {
	for _, share := range labelShares {
		sweeps = append(sweeps, sweep{group: ofComponents, title: labelRow(share),
			row: labelRow(share), published: published.Figure8})
	}
	return sweeps
}

// labelClaims returns a claim for each share of wrong labels. theirs is the paper's effect with 40
// %, of a primary claim.
func labelClaims(text string, theirs float64, effects func(sweep) contrast) (claims []claim) {
	for i, share := range labelShares {
		claim := paperSays(text, effects(labelSweeps[i]))
		if claim.Row = labelRow(share); share == 0.4 && theirs != 0 {
			claim = claim.asPrimary(theirs)
		}
		claims = append(claims, claim)
	}
	return claims
}

// labelNoiseRuns has four components with noise on the outputs, as the paper.
func labelNoiseRuns(scale Scale) Setup {
	published := nbbnn.Paper("resnet18", dataset.CIFAR10)
	setup, grid := sweepRuns(scale, published), []float64{0, 4, 16, 40}
	switch scale {
	case Smoke:
		grid = []float64{0, 4, 16}
	case Quick:
		setup.Config = memorised(setup.Config, 2000, 30, 20)
	case Desk:
		setup.Config = memorised(setup.Config, 10_000, 40, 27)
	case Paper:
		grid = everyStep(40)
	}
	setup.Config.Data.Validation = 0 // nothing is chosen
	if setup.OwnImages {
		setup.Evaluation.Images = setup.dataSize().Test / len(setup.Seeds)
	}
	for _, share := range labelShares {
		for _, method := range gammaGrid(4, outputs, grid...) {
			setup.Methods = append(setup.Methods, method.inRow(labelRow(share),
				func(c *nbbnn.Config) { c.Data.LabelNoise = share }))
		}
	}
	return setup
}

// memorised returns a configuration in which a network without extra entropy memorises wrong
// labels: few images of CIFAR-10, or 500 of Shapes10, without crops.
func memorised(config nbbnn.Config, images, epochs, betaEpochs int) nbbnn.Config {
	config.Data.Train, config.Training.NoAugmentation = images, true
	if config.Data.Name == dataset.Shapes10 {
		config.Data.Train = 500
	}
	return shortened(config, nbbnn.Paper("resnet18", dataset.CIFAR10), epochs, betaEpochs)
}

// labelTests returns both figures' tests, each with some splits.
func labelTests(splits ...split) tests {
	return tests{sweeps: labelSweeps, parts: []nbbnn.Part{nbbnn.CleanLabels, nbbnn.NoisyLabels,
		nbbnn.CleanPart}, splits: splits, noLevels: true}
}

// drawLabelNoise draws a panel for each share of wrong labels, with a curve for each split.
func drawLabelNoise(splits ...split) func(*Result) (*viz.Figure, error) {
	return func(r *Result) (*viz.Figure, error) {
		var b board
		b.row()
		for _, s := range labelSweeps {
			var curves []viz.Series
			for _, on := range splits {
				for _, curve := range s.drawn(r, on) {
					curve.Name = on.name
					curves = append(curves, curve)
				}
			}
			if len(curves) > 0 {
				b.add(viz.GammaCurves(NLL, curves))
				b.title(s.title + " labels")
			}
		}
		return b.arranged(viz.SharedGrid)
	}
}

// wrongRiseMore compares how far the negative log-likelihoods of the training images rise from
// gamma 0 to 64, or the scale's nearest gamma, given in the name: images with wrong labels rise
// more than others. In the paper, with 40 %, they rise by 1.9 nats, the others by 0.04.
func (s sweep) wrongRiseMore() contrast {
	return func(r *Result) []Effect {
		name := "rise of wrong labels - rise of clean labels"
		for _, c := range s.groups(r.row(s.row)) {
			name = fmt.Sprintf("%s, γ %g - γ 0", name, c.gamma[c.nearest(64)])
		}
		return s.compare(name, func(on func(string, split) sweepCurve) (wrong, clean []float64) {
			rise := func(images split) []float64 {
				c := on("", images)
				return differences(c.values[c.nearest(64)], c.values[0])
			}
			return rise(wrongLabels), rise(cleanLabels)
		}).claimed(aboveZero, 0)(r)
	}
}

// interior compares the test images at the best gamma between the ends of the sweep, which the
// other seeds choose, with its first or its last. The ends are no candidates: if one of them is the
// best, the claim has to fail.
func (s sweep) interior(name string, withLast bool) contrast {
	return s.compare("test NLL, best γ - "+name, func(on func(string, split) sweepCurve) (best,
		end []float64) {
		c := on("", cleanTest)
		if !c.startsAtZero() || len(c.gamma) < 3 {
			return nil, nil
		}
		end = c.values[0]
		if withLast {
			end = c.values[len(c.gamma)-1]
		}
		return c.at(c.bestOfOthers(func(place, _ int) bool {
			return place > 0 && !c.isLast(place)
		})), end
	})
}

// wrongLearntClaims ask how many wrong labels are learnt, which the paper doesn't.
func wrongLearntClaims() []claim {
	claims := append(labelClaims(wrongLabelsLearnt, 0, func(s sweep) contrast {
		return s.wrongLearnt(64)
	}),
		labelClaims(wrongLabelsLeft, 0, func(s sweep) contrast {
			return s.wrongLearnt(math.Inf(1)).claimed(belowZero, 0)
		})...)
	for i := range claims {
		claims[i].Source = ours
	}
	return claims
}

// wrongLearnt compares the share of wrong training labels that a network repeats, at the gamma of
// the scale that is nearest to one, with a half.
func (s sweep) wrongLearnt(gamma float64) contrast {
	return func(r *Result) (effects []Effect) {
		for _, c := range s.groups(r.row(s.row)) {
			at := c.nearest(min(gamma, c.gamma[len(c.gamma)-1]))
			shares := slices.Clone(c.on(r.row(s.row), Error, wrongLabels).values[at])
			for i, wrong := range shares {
				shares[i] = 100 * (0.5 - wrong)
			}
			name := fmt.Sprintf("%s, share learnt at γ %g - a half", s.named(c.group), c.gamma[at])
			effects = append(effects, newEffect(name, "points", aboveZero, shares))
		}
		return effects
	}
}

// lastBelowFirst compares the test images at the largest gamma with gamma 0.
func (s sweep) lastBelowFirst() contrast {
	return s.compare("test, largest γ - γ 0", func(on func(string, split) sweepCurve) (last,
		first []float64) {
		c := on("", cleanTest)
		if !c.startsAtZero() {
			return nil, nil
		}
		return c.values[len(c.values)-1], c.values[0]
	})
}

func nothing(*Result) []Effect { return nil }
