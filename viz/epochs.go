package viz

import (
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// EntropyCurves draws the entropy of the node posterior q(Z) against the epoch, as EpochCurves
// does. An axis on the right translates the entropy into a typical standard deviation of a node,
// exp(H/D - 1.419).
func EntropyCurves(curves []EntropyCurve) (*Figure, error) {
	for _, c := range curves {
		if c.Latents < 0 {
			return nil, fmt.Errorf("viz: curve %q has %d latent variables: give 1 or more, or 0 for no axis", c.Name, c.Latents)
		}
		if err := finite(c.Name, "prior's entropy", []float64{c.Prior}, -1e300); err != nil {
			return nil, err
		}
	}
	result, err := newEpochChart("entropy of q(Z) (nats)", curves)
	if err != nil {
		return nil, err
	}
	result.addPriors(curves)
	if latents := commonLatents(curves); latents > 0 {
		result.right = sigmaAxis(latents)
		result.y = result.y.atLeast(float64(latents) * math.Log(1+leastSigma))
	}
	return result.figure(), nil
}

// addPriors draws the entropies of the priors, in the colours of their methods, or once in grey if
// they are all the same.
func (c *chart) addPriors(curves []EntropyCurve) {
	same := true
	for _, curve := range curves {
		same = same && curve.Prior == curves[0].Prior
	}
	var priors []curve
	for i, of := range curves {
		if of.Prior == 0 || same && i > 0 {
			continue
		}
		prior := referenceLine(c.x, of.Prior)
		if !same {
			prior.style.colour = c.entries[i].style.colour
		}
		priors = append(priors, prior)
	}
	if len(priors) > 0 {
		c.entries = append(c.entries, entry{name: "prior", style: paperSample(priors)})
		c.curves = append(priors, c.curves...)
		c.y = reach(c.curves).widen(0.06)
	}
}

// commonLatents returns the number of latent variables that all curves have, or 0.
func commonLatents(curves []EntropyCurve) int {
	for _, c := range curves {
		if c.Latents != curves[0].Latents {
			return 0
		}
	}
	return curves[0].Latents
}

// EpochCurves draws a quantity of training, named with its unit as in "KL (nats)", against the epoch,
// with a band of one standard deviation from five seeds on and a thin line for each of fewer seeds. The
// curves may have different numbers of epochs.
func EpochCurves(quantity string, curves []EpochCurve) (*Figure, error) {
	return drawn(newEpochChart(quantity, curves))
}

// newEpochChart checks the curves, places and names them.
func newEpochChart(quantity string, curves []EpochCurve) (chart, error) {
	methods, err := checked(curves)
	if err != nil {
		return chart{}, err
	}
	result, last := chart{xLabel: "epoch", yLabel: quantity, caption: measured("", "bands", methods)}, 1
	for i, look := range stylesOf(methods) {
		s := methods[i]
		if s.First < 0 {
			return chart{}, fmt.Errorf("viz: curve %q begins at epoch %d: give the epoch of its first value, or 0 for the state before training", s.Name, s.First)
		}
		last = max(last, s.First+len(s.Mean)-1)
		look.marker = nil // the epochs are too many to mark, and a few of them mean nothing
		one := s.curve(score.Metric{}, places(len(s.Mean), float64(s.First)), look)
		one.spread = band
		result.addNamed(one, s.Name)
	}
	least := 0.0
	if strings.HasSuffix(quantity, "(nats)") {
		least = leastNats
	}
	result.x = span{0, float64(last)}.widen(0.03)
	result.y = reach(result.curves).atLeast(least).widen(0.06)
	result.xTicks = ticker{6, true}
	return result, nil
}
