package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Line is a function of one variable, given by its values at some places.
type Line struct {
	Name   string    // it decides the colour, unless Colour does
	X      []float64 // [points], rising
	Y      []float64 // [points]
	Points bool      // markers at the places instead of a line
	Dashed bool      // as where a line is extrapolated; its name is in the legend
	Half   []float64 // [points], half of an interval around Y, shaded; nil draws none
	Colour string    // as "#0067a8"; "" means the colour of the name
}

// Lines draws functions of one variable on one pair of axes, whose labels are x and y, with units
// as in "entropy (nats)". The lines may have different places, and bands around them.
func Lines(x, y string, lines []Line) (*Figure, error) {
	all := make([]Series, len(lines))
	for i, line := range lines {
		all[i] = Series{Name: line.Name, Mean: line.Y, Colour: line.Colour}
	}
	all, err := checked(all)
	if err != nil {
		return nil, err
	}
	result := chart{xLabel: x, yLabel: y, x: nothing()}
	for i, look := range stylesOf(all) {
		at := slices.Clone(lines[i].X)
		owner, half := all[i].owner(), lines[i].Half
		if err := cmp.Or(checkPlaces(owner, "place", at, len(all[i].Mean), numbers),
			optional(owner, "places", len(at), "halves of intervals", half),
			within(owner, "half of an interval", half, zeroOrUp)); err != nil {
			return nil, err
		}
		if lines[i].Points {
			look.width = 0
		} else {
			look.marker = nil
		}
		if lines[i].Dashed {
			look.dashes = dashes[1]
		}
		one := all[i].curve(score.Metric{}, at, look)
		if !lines[i].Points {
			one.deviation, one.spread = half, band
		}
		if !lines[i].Points && !lines[i].Dashed {
			one.name = all[i].Name // at its end, if there is room
		}
		result.add(one, all[i].Name)
		result.x = result.x.include(at...)
	}
	result.x, result.y = result.x.widen(0.03), reach(result.curves).widen(0.06)
	return result.figure(), nil
}

// EntropyCurves draws the entropy of the node posterior q(Z) against the epoch, as EpochCurves
// does. An axis on the right translates the entropy into a typical standard deviation of a node,
// exp(H/D - 1.419).
func EntropyCurves(curves []Series) (*Figure, error) {
	for _, c := range curves {
		if c.Latents < 0 {
			return nil, fmt.Errorf("viz: curve %q has %d latent variables: give 1 or more, or 0 "+
				"for no axis", c.Name, c.Latents)
		}
		if err := within(c.owner(), "prior's entropy", []float64{c.Prior}, numbers); err != nil {
			return nil, err
		}
	}
	result, err := newEpochChart("entropy of q(Z) (nats)", curves)
	if err != nil {
		return nil, err
	}
	addPriors(&result, curves)
	latents := curves[0].Latents
	if latents > 0 && !slices.ContainsFunc(curves, func(s Series) bool {
		return s.Latents != latents
	}) {
		result.right = sigmaAxis(latents)
		result.y = result.y.atLeast(float64(latents) * math.Log(1+leastSigma))
	}
	return result.figure(), nil
}

// addPriors draws the entropies of the priors, in the colours of their methods, or once in grey if
// they are all the same.
func addPriors(c *chart, curves []Series) {
	same := !slices.ContainsFunc(curves, func(s Series) bool { return s.Prior != curves[0].Prior })
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

// EpochCurves draws a quantity of training, named with its unit as in "KL (nats)", against the
// epoch, with a band of one standard deviation from five seeds on and a thin line for each of fewer
// seeds. The curves may have different numbers of epochs.
func EpochCurves(quantity string, curves []Series) (*Figure, error) {
	return drawn(newEpochChart(quantity, curves))
}

// newEpochChart checks the curves, places and names them.
func newEpochChart(quantity string, curves []Series) (chart, error) {
	methods, err := checked(curves)
	if err != nil {
		return chart{}, err
	}
	result, last := chart{xLabel: "epoch", yLabel: quantity, caption: measured("", "bands",
		methods)}, 1
	for i, look := range stylesOf(methods) {
		s := methods[i]
		if s.First < 0 {
			return chart{}, fmt.Errorf("viz: curve %q begins at epoch %d: give the epoch of its "+
				"first value, or 0 for the state before training", s.Name, s.First)
		}
		last = max(last, s.First+len(s.Mean)-1)
		look.marker = nil // the epochs are too many to mark, and a few of them mean nothing
		one := s.curve(score.Metric{}, places(len(s.Mean), float64(s.First)), look)
		one.spread, one.name = band, s.Name
		result.add(one, s.Name)
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

// sigmaAxis is a second vertical axis, on the right: the standard deviation that nodes have on
// (geometric) average, exp(H/D - 1.419), for an entropy H of D latent variables on the left axis.
// 0 draws none.
type sigmaAxis int

// sigmaRoom is the width that the axis takes, in points.
const sigmaRoom vg.Length = 58

func (latents sigmaAxis) room() vg.Length {
	if latents == 0 {
		return 0
	}
	return sigmaRoom
}

func (latents sigmaAxis) paint(canvas, inside draw.Canvas, axes *plot.Plot) {
	if latents == 0 {
		return
	}
	_, toY := axes.Transforms(&inside)
	look := pen(softInk, axisWidth)
	canvas.StrokeLine2(look, inside.Max.X, inside.Min.Y, inside.Max.X, inside.Max.Y)
	for _, tick := range latents.ticks(span{axes.Y.Min, axes.Y.Max}) {
		y := toY(tick.Value)
		canvas.StrokeLine2(look, inside.Max.X, y, inside.Max.X+tickLength, y)
		write(canvas, tick.Label, tickSize, softInk, draw.XLeft,
			xy(inside.Max.X+tickLength+3, y))
	}
	style := textStyle(tickSize, softInk, draw.XCenter, draw.YTop)
	style.Rotation = math.Pi / 2
	at := xy(inside.Max.X+sigmaRoom-tickSize-3, inside.Center().Y)
	canvas.FillText(style, at, letters("typical sigma of a node"))
}

// nodeEntropy is the entropy of a Gaussian with a standard deviation of one, in nats: half of log(2
// pi e).
var nodeEntropy = 0.5 * math.Log(2*math.Pi*math.E)

// ticks returns ticks at standard deviations, at their places on the left axis.
func (latents sigmaAxis) ticks(left span) (ticks []plot.Tick) {
	least := math.Exp(left.low/float64(latents) - nodeEntropy)
	most := math.Exp(left.high/float64(latents) - nodeEntropy)
	step := niceStep((most - least) / 5)
	for k := math.Ceil(least / step); k*step <= most; k++ {
		if sigma := k * step; sigma > 0 {
			entropy := float64(latents) * (math.Log(sigma) + nodeEntropy)
			ticks = append(ticks, plot.Tick{Value: entropy, Label: strconv.FormatFloat(sigma, 'g',
				3, 64)})
		}
	}
	return ticks
}
