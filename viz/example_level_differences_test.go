package viz_test

import (
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/viz"
)

// levelDifferences are made-up differences of three seeds at six levels: those from M16 next to the
// paper's, and those from a control.
func levelDifferences() viz.LevelDifferencePlot {
	fromM16, fromControl := viz.LevelDifference{Name: "M32 − M16"}, viz.LevelDifference{Name: "M32 − fixed σ"}
	for level, paper := range []float64{-0.0525, -0.0822, -0.1078, -0.1329, -0.2099, -0.3080} {
		mean, half := 0.02+0.01*float64(level), 0.015+0.002*math.Pow(float64(level), 2.5)
		d := viz.Difference{Mean: mean, Interval: &[2]float64{mean - half, mean + half}, Each: []float64{mean - half/3, mean, mean + half/2}, Paper: &paper}
		fromM16.Levels = append(fromM16.Levels, d)
		d = viz.Difference{Mean: mean / 4, Interval: &[2]float64{mean/4 - half, mean/4 + half}, Each: []float64{mean/4 - half/2, mean / 4, mean/4 + half/3}}
		fromControl.Levels = append(fromControl.Levels, d)
	}
	return viz.LevelDifferencePlot{
		Quantity: "difference in NLL (nats)", Above: "M32 worse", Below: "M32 better",
		Series: []viz.LevelDifference{fromM16, fromControl},
	}
}

// A lead that the paper has and three made-up seeds don't have.
func ExampleLevelDifferences() {
	figure, err := viz.LevelDifferences(levelDifferences())
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/level_differences.png"); err != nil {
		log.Fatal(err)
	}
}

func TestLevelDifferences(t *testing.T) {
	p := levelDifferences()
	for _, want := range []string{">M32 − M16<", ">M32 − fixed σ<", ">paper<", ">M32 worse<", ">M32 better<", ">undecided<", ">bars: 95 % intervals of the mean; dots: 3 seeds<"} {
		if !strings.Contains(levelDifferencesSVG(t, p), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}

// Two seeds have no interval, so nothing is drawn or named but their dots.
func TestLevelDifferencesWithoutIntervals(t *testing.T) {
	p := levelDifferences()
	p.Series = p.Series[:1]
	for level := range p.Series[0].Levels {
		d := &p.Series[0].Levels[level]
		d.Interval, d.Each, d.Paper = nil, d.Each[:2], nil
	}
	text := levelDifferencesSVG(t, p)
	if !strings.Contains(text, ">dots: 2 seeds<") {
		t.Error("the caption doesn't name the seeds")
	}
	for _, absent := range []string{"undecided", "interval", ">paper<"} {
		if strings.Contains(text, absent) {
			t.Errorf("the picture has %q", absent)
		}
	}
}

// Filled and hollow marks of one colour: a hollow one has a white middle.
func TestLevelDifferencesTellUndecidedOnes(t *testing.T) {
	p := levelDifferences()
	p.Series = p.Series[:1]
	whites := func(low float64) int {
		for level := range p.Series[0].Levels {
			p.Series[0].Levels[level].Interval = &[2]float64{low, 0.2}
		}
		return strings.Count(levelDifferencesSVG(t, p), "fill:#FFFFFF")
	}
	if filled, hollow := whites(0.01), whites(-0.01); hollow-filled != len(p.Series[0].Levels) {
		t.Errorf("%d white areas with undecided differences and %d with decided ones, want one more for each of %d levels", hollow, filled, len(p.Series[0].Levels))
	}
}

func TestWrongLevelDifferences(t *testing.T) {
	one := []viz.Difference{{Mean: 1}}
	for want, series := range map[string][]viz.LevelDifference{
		"a plot of 0 differences":         nil,
		`are called "a"`:                  {{Name: "a", Levels: one}, {Name: "a", Levels: one}},
		`"b" has 2 levels and "a" has 1`:  {{Name: "a", Levels: one}, {Name: "b", Levels: append(one, one...)}},
		`"a, level 0" has the difference`: {{Name: "a", Levels: []viz.Difference{{Mean: math.NaN()}}}},
		"ends at 1 before it begins":      {{Name: "a", Levels: []viz.Difference{{Interval: &[2]float64{2, 1}}}}},
	} {
		if _, err := viz.LevelDifferences(viz.LevelDifferencePlot{Series: series}); err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// levelDifferencesSVG draws a plot as text.
func levelDifferencesSVG(t *testing.T, p viz.LevelDifferencePlot) string {
	t.Helper()
	figure, err := viz.LevelDifferences(p)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := figure.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return string(svg)
}
