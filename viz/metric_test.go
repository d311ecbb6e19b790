package viz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// metricOf returns a metric by its name.
func metricOf(t *testing.T, name string) score.Metric {
	t.Helper()
	m := testkit.Must(score.MetricByName(name))(t)
	return m
}

// Each picture calls the better one of two values of each metric better, and neither
// where none is.
func TestEveryPictureKnowsWhatIsBetter(t *testing.T) {
	more := []string{"Top2", "Top3"}
	none := []string{"SignedECE", "Total", "Aleatoric", "Epistemic", "Coverage", "SetSize"}
	for _, m := range score.Metrics() {
		better := 0 // of the values 0.2 and 0.6
		if slices.Contains(more, m.Name) {
			better = 1
		} else if slices.Contains(none, m.Name) {
			better = -1
		}
		for picture, got := range map[string]int{
			"rings": ringPlace(t, m), "front": frontPlace(m), "map": betterOnMap(t, m),
		} {
			if got != better {
				t.Errorf("%s: the %s say that value %d of 0.2 and 0.6 is the better one, want %d "+
					"(-1: neither)", m.Name, picture, got, better)
			}
		}
	}
}

// ringPlace returns which of the two means of a gamma curve has a ring.
func ringPlace(t *testing.T, m score.Metric) int {
	c := testkit.Must(newGammaChart(m.Name,
		[]Series{{Name: "a", X: []float64{0, 1}, Mean: []float64{0.2, 0.6}}}))(t)
	if len(c.above) == 0 {
		return -1
	}
	return int(c.above[0].(rings)[0].x)
}

// frontPlace returns which of two methods with equal cost is on the Pareto front.
func frontPlace(m score.Metric) int {
	return slices.Index(onFront(m, []Series{{X: []float64{1}, Mean: []float64{0.2}},
		{X: []float64{1}, Mean: []float64{0.6}}}), true)
}

// betterOnMap returns which of two maps a map of their difference calls better, by its title, or -2
// if its colour says otherwise: blue is better, and lower where neither is.
func betterOnMap(t *testing.T, m score.Metric) int {
	low := CellMap{Name: "a", Metric: m.Name, Rows: []string{"fog"}, Columns: []string{"1"},
		Mean: [][]float64{{0.2}}}
	high := low
	high.Name, high.Mean = "b", [][]float64{{0.6}}
	h := testkit.Must(newDifferenceMap(high, low))(t)
	said := slices.IndexFunc([]string{", below 0 is better", ", above 0 is better"},
		func(end string) bool { return strings.HasSuffix(h.title(), end) })
	if blue := h.colours.at(h.place(40)).B > h.colours.at(h.place(40)).R; blue != (said == 1) {
		return -2
	}
	return said
}

// The axis of a metric shows noise as small, and doesn't go below zero for it.
func TestLeastSpanOfAnAxis(t *testing.T) {
	for _, c := range []struct{ values, want span }{
		{span{2.302, 2.304}, span{2.253, 2.353}}, {span{0.01, 0.02}, span{0, 0.1}},
		{span{-0.01, 0.01}, span{-0.05, 0.05}},
		{span{1, 3}, span{1, 3}}, {span{0.5, 0.5}, span{0.45, 0.55}}, {nothing(), nothing()},
	} {
		got := c.values.atLeast(leastSpan(metricOf(t, "NLL")))
		if got != c.want && !(math.Abs(got.low-c.want.low) < 1e-12 &&
			math.Abs(got.high-c.want.high) < 1e-12) {
			t.Errorf("values %v have the span %v, want %v", c.values, got, c.want)
		}
	}
	c, err := newEpochChart("training NLL (nats)",
		[]Series{{Name: "a", Mean: []float64{2.30266, 2.30258}, First: 1}})
	if err != nil || c.y.high-c.y.low < leastNats {
		t.Errorf("an axis of %v for a fall of 0.0001 nats, error %v, want %g nats", c.y, err,
			leastNats)
	}
	entropy := testkit.Must(EntropyCurves([]Series{{Name: "a", Mean: []float64{100, 99.9},
		Latents: 100}}))(t)
	if y := entropy.Plots()[0].Y; math.Abs(y.Max-y.Min-100*math.Log(1.1)) > 1e-9 {
		t.Errorf("an axis from %g to %g for a fall of 0.1 nats of 100 latents, want standard "+
			"deviations that differ by 10 %%", y.Min, y.Max)
	}
	strips := testkit.Must(
		Strips(StripPlot{Quantity: "σ",
			Strips: []Strip{{Name: "conv1", Values: []float64{0.156, 0.158}}}}))(t)
	if y := strips.Plots()[0].Y; y.Max-y.Min < 0.0158 {
		t.Errorf("an axis from %g to %g for 0.156 and 0.158, want a tenth of them or more", y.Min,
			y.Max)
	}
}

// A dotted line shows what guessing gives where the axis holds it.
func TestLineOfGuessing(t *testing.T) {
	for _, c := range []struct {
		metric  string
		mean    []float64
		classes int
		want    float64 // -1: none
	}{
		{"NLL", []float64{0.5, 2.5}, 10, math.Log(10)}, {"NLL", []float64{0.5, 2.5}, 0, -1},
		{"NLL", []float64{0.5, 1.5}, 10, -1},
		{"Error", []float64{0.1, 0.9}, 10, 90}, {"Brier", []float64{0.1, 0.8}, 4, 0.75},
		{"Top2", []float64{0.1, 0.3}, 10, 20}, {"ECE", []float64{0, 0.9}, 10, -1},
	} {
		chart := testkit.Must(LevelPanel{Metric: c.metric,
			Curves: []LevelCurve{{Name: "a", Mean: c.mean, Classes: c.classes}}}.chart())(t)
		got, named := -1.0, slices.ContainsFunc(chart.entries, func(e entry) bool {
			return e.name == "guessing"
		})
		if len(chart.curves) > 1 {
			got = chart.curves[0].y[0]
		}
		if math.Abs(got-c.want) > 1e-12 || named != (c.want > 0) {
			t.Errorf("%s of %v with %d classes: guessing is %g, in the legend %t, want %g",
				c.metric, c.mean, c.classes, got, named, c.want)
		}
	}
}

// One or two seeds have no best gamma, and two no mean.
func TestFewSeedsDecideNothing(t *testing.T) {
	for seeds, want := range []int{1, 0, 0, 1, 1} {
		c, err := newGammaChart("NLL",
			[]Series{{Name: "a", X: []float64{0, 1}, Mean: []float64{2, 1}, Seeds: seeds}})
		if err != nil || len(c.above) != want || strings.Contains(c.caption, "ring") != (want > 0) {
			t.Errorf("%d seeds have %d rings and the caption %q, error %v, want %d", seeds,
				len(c.above), c.caption, err, want)
		}
	}
	two := dotMark(Series{Name: "SAM", Mean: []float64{0.485}, Seeds: 2,
		Each: [][]float64{{0.19}, {0.78}}}, metricOf(t, "Error"), 0, style{})
	if !slices.Equal(two.means, []float64{19, 78}) {
		t.Errorf("two seeds have marks at %v, want 19 and 78", two.means)
	}
}

// A point is on the front unless another one is at least as good in both passes and mean, and
// better in one of them. Equal points are both on it.
func TestParetoFront(t *testing.T) {
	points := []Series{
		{Name: "cheapest", X: []float64{1}, Mean: []float64{0.5}},
		{Name: "as cheap, worse", X: []float64{1}, Mean: []float64{0.6}},
		{Name: "better", X: []float64{4}, Mean: []float64{0.4}},
		{Name: "as good, dearer", X: []float64{8}, Mean: []float64{0.4}},
		{Name: "best", X: []float64{16}, Mean: []float64{0.3}},
		{Name: "equal to the best", X: []float64{16}, Mean: []float64{0.3}},
		{Name: "dear and bad", X: []float64{32}, Mean: []float64{0.9}},
	}
	want := []bool{true, false, true, false, true, true, false}
	if got := onFront(metricOf(t, "NLL"), points); !slices.Equal(got, want) {
		t.Errorf("on the front are %v, want %v", got, want)
	}
}

// Points with equal passes stand side by side, evenly around their place.
func TestEqualPassesStandApart(t *testing.T) {
	places := apart([]Series{{X: []float64{4}}, {X: []float64{1}}, {X: []float64{4}},
		{X: []float64{4}}})
	want := []float64{2 - besideStep, 0, 2, 2 + besideStep}
	if !slices.Equal(places, want) {
		t.Errorf("places are %v, want %v", places, want)
	}
}
