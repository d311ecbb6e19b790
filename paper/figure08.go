package paper

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Figure08 is the paper's figure of label noise with 40 % of wrong labels: the negative
// log-likelihood of training images with clean and with wrong labels, and of test images, against
// gamma.
var Figure08 = labelNoiseFigure(8, 0.4)

// Figure09 is Figure08 with 80 % of wrong labels.
var Figure09 = labelNoiseFigure(9, 0.8)

// The sweep of Figures 8 and 9, and the training images of which they draw the splits.
var (
	noiseSweep  = sweep{group: ofComponents, published: figure08Curves}
	cleanLabels = split{"clean labels", onPart(nbbnn.CleanLabels)}
	wrongLabels = split{"wrong labels", onPart(nbbnn.NoisyLabels)}
)

// labelNoiseFigure returns the figure with a share of wrong labels: ResNet18 on CIFAR-10 with four
// components and noise on the outputs. Which shares the paper draws in which of the two figures
// isn't known to us.
func labelNoiseFigure(number int, share float64) Figure {
	splits := []split{cleanLabels, wrongLabels, testSplit}
	return Figure{
		Number: number,
		Title:  fmt.Sprintf("With entropy a network doesn't memorise wrong labels (%s of them)", percent(share)),
		Headline: Headline{
			Shows:   fmt.Sprintf("NLL of clean and wrong labels against γ, %s wrong", percent(share)),
			Claim:   "NLL of wrong labels rises with γ, more than that of clean labels",
			Claimed: "Entropy keeps a network from memorising wrong labels", Opposite: "Entropy doesn't keep a network from memorising wrong labels",
			Between: "in how γ acts on clean and on wrong labels", Each: "comparisons",
		},
		Runs: func(scale Scale) Setup { return labelNoiseRuns(scale, share) },
		Collect: sweepTests{
			sweeps: []sweep{noiseSweep}, parts: []nbbnn.Part{nbbnn.CleanLabels, nbbnn.NoisyLabels}, splits: splits,
		},
		Draw: func(r *Result) (*viz.Figure, error) {
			return drawSweeps(r, noiseSweep.withControls(r), splits...)
		},
		Claims: []Claim{
			{Text: "NLL of wrong labels rises with γ, more than that of clean labels", Source: FromPaper, Levels: true, Effects: wrongLabelsRise},
			{Text: "the best γ on test images is neither 0 nor the largest", Source: FromPaper, Levels: true, Effects: noiseSweep.interiorMinimum},
			{Text: "the same after temperature scaling", Source: Ours, Levels: true, Needs: temperature, Effects: noiseSweep.in(ScaledNLL).interiorMinimum},
		},
	}
}

// labelNoiseRuns has the steps of gamma of the paper at its scale, and the part around the
// published minimum at the desk.
func labelNoiseRuns(scale Scale, share float64) Setup {
	published := nbbnn.PaperResNet18(dataset.CIFAR10)
	published.Data.LabelNoise = share
	switch scale {
	case Smoke:
		config := smokeConfig(published)
		config.Data.LabelNoise = share
		return Setup{
			Methods: gammaGrid([]int{2}, outputs, 0, 4, 16), Config: config, Seeds: FirstSeeds(1),
			Evaluation: nbbnn.Evaluation{Suite: "first8", Samples: 4, Images: 32},
		}
	case Desk:
		return Setup{
			Methods: gammaGrid([]int{4}, outputs, 0, 8, 16, 40), Config: deskConfig(published), Seeds: FirstSeeds(3),
			Evaluation: nbbnn.Evaluation{Suite: "first8", Images: 1000, Samples: 16},
		}
	case Paper:
		return Setup{
			Methods: gammaGrid([]int{4}, outputs, everyStep(publishedStep, 40)...), Config: published, Seeds: FirstSeeds(5),
			Evaluation: nbbnn.Evaluation{Suite: "all19", Samples: 32},
		}
	}
	return Setup{}
}

// wrongLabelsRise compares the negative log-likelihoods of the training images at gamma 64, or the
// nearest gamma of the scale, with those at gamma 0. In the paper that of the wrong labels rises by
// 1.9 nats, that of the clean ones by 0.04.
func wrongLabelsRise(r *Result) []Effect {
	const gamma = 64
	var rise [2][]float64
	var reached float64
	for i, on := range []split{wrongLabels, cleanLabels} {
		curves, err := noiseSweep.curves(r, on)
		if err != nil {
			return nil
		}
		at := curves[0].near(gamma)
		reached, rise[i] = curves[0].gamma[at], differences(curves[0].values[at], curves[0].values[0])
	}
	return []Effect{
		newEffect(fmt.Sprintf("wrong labels, γ %g - γ 0", reached), "nats", AboveZero, rise[0]),
		newEffect("rise of wrong labels - rise of clean labels", "nats", AboveZero, differences(rise[0], rise[1])),
	}
}

// near returns the place of the gamma that is nearest to the given one.
func (c sweepCurve) near(gamma float64) int {
	best := 0
	for i := range c.gamma {
		if math.Abs(c.gamma[i]-gamma) < math.Abs(c.gamma[best]-gamma) {
			best = i
		}
	}
	return best
}

// interiorMinimum compares the metric of the test images at the best gamma between both ends of the
// sweep, which the other seeds choose, with those at the ends. The ends are no candidates: if one
// of them is the best, the claim has to fail.
func (s sweep) interiorMinimum(r *Result) []Effect {
	curves, err := s.curves(r, testSplit)
	if err != nil {
		return nil
	}
	c := curves[0]
	if !c.startsAtZero() || len(c.gamma) < 3 {
		return nil
	}
	best := c.between(1, len(c.gamma)-1).atBest()
	return []Effect{
		s.effect("test "+s.measure().Name+", best γ - γ 0", best, c.values[0]),
		s.effect("test "+s.measure().Name+", best γ - largest γ", best, c.values[len(c.values)-1]),
	}
}
