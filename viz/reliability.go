package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// ReliabilityCurve is a method's accuracy by confidence: the bins of its expected calibration error
// that hold predictions, the least confident first.
type ReliabilityCurve struct {
	Name       string    // of the method; it decides the colour, unless Colour does
	Confidence []float64 // [bins], mean confidence of the bin's predictions, rising, 0 to 1
	Accuracy   []float64 // [bins], share of them that is right, 0 to 1
	Seeds      int       // number of runs behind Accuracy; 0 means not known
	// [bins], predictions; nil leaves the curve out of the strip and draws all points alike
	Count []int
	Bins  int // of equal width, over which the strip spreads Count; 0 means 15
	// mean of the runs' calibration errors for the legend; 0 computes the curve's from Count, if
	// given
	ECE float64

	// the test, for the caption, for example "first8, 16 samples, 1000 images"; "" leaves it out
	Test   string
	Colour string // as "#0067a8"; "" means the colour of the name
}

// Reliability draws the reliability diagram of one or many methods: accuracy against confidence,
// which of a calibrated method lies on the diagonal; above it the method is too unsure, below it
// too sure. The fewer predictions a bin holds, the paler its point. A strip above shows how the
// predictions are spread over the confidences.
func Reliability(curves []ReliabilityCurve) (*Figure, error) {
	methods := make([]Series, len(curves))
	for i, c := range curves {
		methods[i] = Series{Name: c.Name, Mean: c.Accuracy, Seeds: c.Seeds, Test: c.Test,
			Colour: c.Colour}
	}
	methods, err := checked(methods)
	if err != nil {
		return nil, err
	}
	for _, c := range curves {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	return reliabilityChart(methods, curves).figure(), nil
}

// check returns an error for the first thing that isn't a bin.
func (c ReliabilityCurve) check() error {
	owner, bins := fmt.Sprintf("curve %q", c.Name), len(c.Accuracy)
	for bin, count := range c.Count {
		if count < 1 {
			return fmt.Errorf("viz: %s has %d predictions in bin %d: leave empty bins out", owner,
				count, bin)
		}
	}
	return cmp.Or(
		checkPlaces(owner, "confidence", c.Confidence, bins, shares),
		within(owner, "accuracy", c.Accuracy, shares),
		within(owner, "ECE", []float64{c.ECE}, shares), optional(owner, "bins", bins, "counts",
			c.Count),
	)
}

// reliabilityChart places the curves over the diagonal.
func reliabilityChart(methods []Series, curves []ReliabilityCurve) chart {
	looks := stylesOf(methods)
	c := chart{
		xLabel: "confidence", yLabel: "accuracy", x: span{-0.02, 1.02}, y: span{-0.02, 1.02},
		below: []plot.Plotter{painter(paintDiagonal)}, strip: confidenceStrip(curves, looks),
		caption: measured(testOf(methods), "error bars", methods), height: squareHeight,
	}
	for i, s := range methods {
		one := s.curve(score.Metric{}, slices.Clone(curves[i].Confidence), looks[i])
		one.weight = curves[i].weights()
		c.curves = append(c.curves, one)
		c.entries = append(c.entries, entry{name: s.Name, style: looks[i], note: curves[i].note()})
	}
	c.entries = append(c.entries, entry{name: "calibrated", style: diagonalStyle})
	return c
}

// fullShare is the share of the predictions from which on a bin's point has its full colour.
const fullShare = 0.03

// weights returns how full the colour of each bin's point is, or nil if the predictions aren't
// counted.
func (c ReliabilityCurve) weights() []float64 {
	if c.Count == nil {
		return nil
	}
	weights := make([]float64, len(c.Count))
	for bin, count := range c.Count {
		weights[bin] = min(1, float64(count)/(fullShare*float64(c.predictions())))
	}
	return weights
}

// note returns the expected calibration error for the legend if it is known.
func (c ReliabilityCurve) note() string {
	name, ece := "ECE", c.ECE
	switch {
	case ece != 0 && c.Seeds != 1:
		name = "mean ECE"
	case ece == 0 && c.Count == nil:
		return ""
	case ece == 0:
		for bin, count := range c.Count {
			ece += float64(count) * math.Abs(c.Confidence[bin]-c.Accuracy[bin])
		}
		ece /= float64(c.predictions())
	}
	return fmt.Sprintf(", %s %.3f", name, ece)
}

func (c ReliabilityCurve) predictions() (sum int) {
	for _, count := range c.Count {
		sum += count
	}
	return sum
}

// confidenceStrip spreads the counts of every curve over bins of equal width.
func confidenceStrip(curves []ReliabilityCurve, looks []style) (s strip) {
	for i, c := range curves {
		if c.Count != nil {
			s.bins, s.looks = append(s.bins, c.shares()), append(s.looks, looks[i])
		}
	}
	return s
}

// shares returns the share of the predictions in each bin of the strip.
func (c ReliabilityCurve) shares() []float64 {
	bins := cmp.Or(c.Bins, 15)
	shares := make([]float64, bins)
	for i, count := range c.Count {
		bin := min(max(0, int(math.Ceil(c.Confidence[i]*float64(bins)-1e-9))-1), bins-1)
		shares[bin] += float64(count) / float64(c.predictions())
	}
	return shares
}

// diagonalStyle is the style of the line of calibrated predictions.
var diagonalStyle = style{colour: softInk, width: paperWidth, dashes: dottedDashes}

func paintDiagonal(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	canvas.StrokeLine2(diagonalStyle.line(), toX(0), toY(0), toX(1), toY(1))
}

// RiskCoverage draws the error among the answered images against their share, from 5 % on: the
// error of fewer images is chance. A method that knows when it errs has a curve that falls far to
// the left. The curves may have different coverages; long ones are drawn at a few hundred of their
// points.
func RiskCoverage(curves []Series) (*Figure, error) {
	methods, err := checked(curves)
	if err != nil {
		return nil, err
	}
	for i, s := range methods {
		if err := cmp.Or(within(s.owner(), "risk", s.Mean, shares),
			checkPlaces(s.owner(), "coverage", s.X, len(s.Mean),
				span{positives.low, 1})); err != nil {
			return nil, err
		}
		methods[i] = s.answered()
	}
	return riskChart(methods).figure(), nil
}

// leastCoverage is the coverage at which the curves begin.
const leastCoverage = 0.05

// riskPoints is the largest number of points of a drawn curve.
const riskPoints = 400

// answered returns the curve from leastCoverage on, or as it is if it has no point there, at
// riskPoints of its places at most, evenly spread, the last one among them.
func (s Series) answered() Series {
	first, _ := slices.BinarySearch(s.X, leastCoverage)
	if first == len(s.X) {
		first = 0
	}
	count := len(s.X) - first
	drawn := func(values []float64) []float64 {
		some := make([]float64, min(count, riskPoints))
		for k := range some {
			some[k] = values[first+(k+1)*count/len(some)-1]
		}
		return some
	}
	s.X, s.Mean, s.Each = drawn(s.X), drawn(s.Mean), slices.Clone(s.Each)
	if s.Std != nil {
		s.Std = drawn(s.Std)
	}
	for seed, values := range s.Each {
		s.Each[seed] = drawn(values)
	}
	return s
}

// riskChart places the curves, both axes in percent.
func riskChart(methods []Series) chart {
	looks := stylesOf(methods)
	c := chart{xLabel: "coverage (% of the images answered)", yLabel: "error of the answers (%)",
		x: span{0, 102}, caption: measured(testOf(methods), "bands", methods)}
	for i, s := range methods {
		look := looks[i]
		look.marker = nil
		one := s.curve(percent, shown(percent, s.X), look)
		one.spread = band
		c.add(one, s.Name)
	}
	c.y = reach(c.curves).include(0).fromZero(0.05)
	return c
}

var percent = score.Metric{Unit: "%"}
