package viz

import "math"

// Line is a function of one variable, given by its values at some places.
type Line struct {
	Name   string    // it decides the colour, unless Colour does
	X      []float64 // [points], rising
	Y      []float64 // [points]
	Colour string    // such as "#0067a8"; "" means the colour of the name
}

// Lines draws functions of one variable on one pair of axes, whose labels are x and y, with units
// as in "entropy (nats)". The lines may have different places.
func Lines(x, y string, lines []Line) (*Figure, error) {
	all := make([]series, len(lines))
	for i, line := range lines {
		var err error
		if all[i], err = newSeries(line.Name, line.Y, nil, 0); err != nil {
			return nil, err
		}
		all[i].colour = line.Colour
		if err := checkPlaces(line.Name, "place", line.X, len(line.Y), span{math.Inf(-1), math.Inf(1)}); err != nil {
			return nil, err
		}
	}
	if err := checkNames(all); err != nil {
		return nil, err
	}
	result := chart{xLabel: x, yLabel: y, x: nothing(), xTicks: ticker{6, false}, yTicks: ticker{6, false}}
	for i, look := range stylesOf(all) {
		look.marker = nil
		result.x = result.x.include(lines[i].X...)
		result.curves = append(result.curves, curve{
			name: all[i].name, x: append([]float64(nil), lines[i].X...), y: all[i].mean, style: look,
		})
		result.entries = append(result.entries, entry{name: all[i].name, style: look})
	}
	result.x, result.y = result.x.widen(0.03), reach(result.curves).widen(0.06)
	return result.figure(), nil
}
