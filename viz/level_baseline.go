package viz

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// beside returns a chart of levels with the mean of one curve, the baseline, subtracted from all, so
// that many methods that rise alike can be told apart. The paper's curves go: they have another
// baseline.
func (c chart) beside(baseline string, quantity score.Metric) (chart, error) {
	var names []string
	curves := slices.DeleteFunc(slices.Clone(c.curves), func(one curve) bool { return one.name == "" })
	for _, one := range curves {
		names = append(names, one.name)
	}
	at := slices.Index(names, baseline)
	if at < 0 {
		return chart{}, fmt.Errorf("viz: no curve %q to subtract: choose of %q", baseline, names)
	}
	zero := curves[at].y
	for i, one := range curves {
		curves[i].y = difference(one.y, zero)
		curves[i].each = nil
		for _, values := range one.each {
			curves[i].each = append(curves[i].each, difference(values, zero))
		}
	}
	c.curves, c.entries = curves, slices.DeleteFunc(slices.Clone(c.entries), func(e entry) bool { return !slices.Contains(names, e.name) })
	c.yLabel = besideLabel(quantity.Label(), baseline)
	c.y = reach(c.curves).include(0).widen(panelSideRoom)
	line := sides(quantity, baseline)
	line.aboveRight, line.belowRight = free(curves)
	c.below = append([]plot.Plotter{line}, c.below...)
	return c, nil
}

// panelSideRoom is sideRoom in panels, which are lower.
const panelSideRoom = 0.17

// difference returns the differences of values.
func difference(values, from []float64) []float64 {
	differences := slices.Clone(values)
	for i := range differences {
		differences[i] -= from[i]
	}
	return differences
}

// besideLabel is the label of an axis of differences, such as "NLL − MAP (nats)".
func besideLabel(label, baseline string) string {
	name, unit, found := strings.Cut(label, " (")
	if found {
		unit = " (" + unit
	}
	return name + " − " + baseline + unit
}

// free reports whether the right half has more room than the left one above all curves, and below
// them.
func free(curves []curve) (above, below bool) {
	left, right := nothing(), nothing()
	for _, one := range curves {
		half := len(one.y) / 2
		left, right = left.include(one.y[:half]...), right.include(one.y[half:]...)
	}
	return right.high < left.high, right.low > left.low
}

// sides is the line at zero with what its sides mean, if one of them is better.
func sides(quantity score.Metric, baseline string) zeroLine {
	if !quantity.HasBest() {
		return zeroLine{}
	}
	line := zeroLine{above: "worse than " + baseline, below: "better than " + baseline}
	if quantity.HigherIsBetter {
		line.above, line.below = line.below, line.above
	}
	return line
}
