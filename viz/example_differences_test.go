package viz_test

import (
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/viz"
)

// paperDifferences are the paper's leads of M32 at the levels of its Figure 3, with made-up ones of
// three seeds on the other side of zero.
func paperDifferences() viz.DifferencePlot {
	p := viz.DifferencePlot{Quantity: "M32 - M16, NLL (nats)", Claimed: -1, Caption: "small dots: 3 seeds; bars: 95 % intervals; shaded: the claim's side"}
	for level, paper := range []float64{-0.0525, -0.0822, -0.1078, -0.1329, -0.2099, -0.3080} {
		mean := 0.02 + 0.01*float64(level)
		p.Differences = append(p.Differences, viz.Difference{
			Name: fmt.Sprintf("level %d", level), Mean: mean, Interval: &[2]float64{mean - 0.03, mean + 0.03},
			Each: []float64{mean - 0.01, mean, mean + 0.01}, Paper: &paper,
		})
	}
	return p
}

// A claim that holds in the paper, drawn as dots, and fails in three made-up seeds.
func ExampleDifferences() {
	figure, err := viz.Differences(paperDifferences())
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/differences.png"); err != nil {
		log.Fatal(err)
	}
}

func TestDifferences(t *testing.T) {
	figure, err := viz.Differences(paperDifferences())
	if err != nil {
		t.Fatal(err)
	}
	svg, err := figure.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">level 0<", ">level 5<", ">paper<", ">ours<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	axes := figure.Plots()[0]
	if axes.X.Min > -0.308 || axes.X.Max < 0.1 {
		t.Errorf("the axis reaches from %g to %g, want all differences and their intervals on it", axes.X.Min, axes.X.Max)
	}
}

func TestWrongDifferences(t *testing.T) {
	for want, p := range map[string]viz.DifferencePlot{
		"a plot of 0 differences":    {},
		"has the difference NaN":     {Differences: []viz.Difference{{Name: "a", Mean: math.NaN()}}},
		"ends at 1 before it begins": {Differences: []viz.Difference{{Name: "a", Interval: &[2]float64{2, 1}}}},
	} {
		if _, err := viz.Differences(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
