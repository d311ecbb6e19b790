package viz

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Line is a function of one variable, given by its values at some places.
type Line struct {
	Name   string    // it decides the colour, unless Colour does
	X      []float64 // [points], rising
	Y      []float64 // [points]
	Points bool      // markers at the places instead of a line
	Half   []float64 // [points], half of an interval around Y, shaded; nil draws none
	Colour string    // such as "#0067a8"; "" means the colour of the name
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
		if err := checkPlaces(all[i].Name, "place", at, len(all[i].Mean), span{math.Inf(-1), math.Inf(1)}); err != nil {
			return nil, err
		}
		if half := lines[i].Half; half != nil && len(half) != len(at) {
			return nil, fmt.Errorf("viz: line %q has %d places and %d halves of intervals: give as many of both", all[i].Name, len(at), len(half))
		}
		if err := finite(all[i].Name, "half of an interval", lines[i].Half, 0); err != nil {
			return nil, err
		}
		if lines[i].Points {
			look.width = 0
			result.add(all[i].curve(score.Metric{}, at, look), all[i].Name)
		} else {
			look.marker = nil
			one := all[i].curve(score.Metric{}, at, look)
			one.deviation, one.spread = lines[i].Half, band
			result.addNamed(one, all[i].Name)
		}
		result.x = result.x.include(at...)
	}
	result.x, result.y = result.x.widen(0.03), reach(result.curves).widen(0.06)
	return result.figure(), nil
}
