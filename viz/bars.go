package viz

import (
	"errors"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barShare is the part of its place that a group of bars takes.
const barShare = 0.75

// Bars draws a bar chart of shares, from 0 to 1: for each name a bar of every group, as a prior and
// a posterior. Mean has a value for each name.
func Bars(y string, names []string, groups []Series) (*Figure, error) {
	groups, err := checked(groups)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("viz: a bar chart of no names: give one for each value")
	}
	result := chart{yLabel: y, x: span{-0.6, float64(len(names)) - 0.4}, y: span{0, 1.02}}
	for g, look := range stylesOf(groups) {
		if err := checkBars(groups[g], names); err != nil {
			return nil, err
		}
		result.below = append(result.below, barsOf(groups[g].Mean, g, len(groups), look.colour))
		result.entries = append(result.entries,
			entry{name: groups[g].Name, style: style{colour: look.colour, marker: draw.BoxGlyph{}}})
	}
	var ticks plot.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
	}
	result.xTicks = ticks
	return result.figure(), nil
}

func checkBars(group Series, names []string) error {
	if err := optional(group.owner(), "names", len(names), "values", group.Mean); err != nil {
		return err
	}
	return within(group.owner(), "value", group.Mean, shares)
}

// barsOf draws the bars of one of several groups side by side.
func barsOf(values []float64, group, groups int, fill color.Color) painter {
	return func(canvas draw.Canvas, axes *plot.Plot) {
		toX, toY := axes.Transforms(&canvas)
		width := barShare / float64(groups)
		for i, value := range values {
			left := float64(i) - barShare/2 + width*float64(group)
			low, high := xy(toX(left), toY(0)), xy(toX(left+width), toY(value))
			canvas.FillPolygon(fill, []vg.Point{low, xy(low.X, high.Y), high, xy(high.X, low.Y)})
		}
	}
}
