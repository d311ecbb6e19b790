package viz_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/viz"
)

func TestLinesRefuseWhatCannotBeDrawn(t *testing.T) {
	for want, lines := range map[string][]viz.Line{
		"0 curves":          nil,
		"2 values and 1 of": {{Name: "a", X: []float64{1}, Y: []float64{1, 2}}},
		"the mean NaN":      {{Name: "a", X: []float64{1}, Y: []float64{math.NaN()}}},
		"has no name":       {{X: []float64{1}, Y: []float64{1}}},
	} {
		if _, err := viz.Lines("x", "y", lines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}

func TestStripsRefuseWhatCannotBeDrawn(t *testing.T) {
	for want, plot := range map[string]viz.StripPlot{
		"0 strips":        {},
		`"a" has no valu`: {Strips: []viz.Strip{{Name: "a"}}},
		"the value +Inf":  {Strips: []viz.Strip{{Name: "a", Values: []float64{math.Inf(1)}}}},
	} {
		if _, err := viz.Strips(plot); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
