package viz

import (
	"bytes"
	"image/png"
	"math"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestOneSeedHasNoDeviation(t *testing.T) {
	one, err := checked([]Series{{Name: "M16", Mean: []float64{1}, Std: []float64{math.NaN()},
		Seeds: 1}})
	if err != nil || one[0].Std != nil {
		t.Errorf("deviation is %v and error %v, want none", one[0].Std, err)
	}
}

func TestValuesAreCopied(t *testing.T) {
	mean := []float64{1, 2}
	c := Series{Mean: mean, Std: mean, Seeds: 5}.curve(score.Metric{}, mean, style{})
	each := Series{Mean: mean, Seeds: 2, Each: [][]float64{mean, mean}}.curve(score.Metric{}, mean,
		style{}).each
	if mean[0] = 7; c.y[0] != 1 || c.deviation[0] != 1 || each[1][0] != 1 {
		t.Errorf("the curve is %v with seeds %v after the caller's change, want 1 first", c, each)
	}
}

func TestSeedCaption(t *testing.T) {
	over := func(seeds int) Series {
		return Series{Name: "M16", Mean: []float64{1}, Std: []float64{1}, Seeds: seeds}
	}
	one, plain, lines := over(1), Series{Name: "plain", Mean: []float64{1}}, over(2)
	one.Each, one.Std, lines.Each = [][]float64{{1}}, nil, [][]float64{{0}, {2}}
	for _, test := range []struct {
		all  []Series
		want string
	}{
		{[]Series{over(5), over(5)}, "error bars: one standard deviation over 5 seeds"},
		{[]Series{over(3), over(5)}, "3 to 5 seeds; error bars: one standard deviation, from 5 " +
			"seeds on"},
		{[]Series{over(5), plain}, "error bars: one standard deviation over 5 seeds"},
		{[]Series{over(2), over(2)}, "mean of 2 seeds"},
		{[]Series{lines}, "thin lines: 2 seeds"},
		{[]Series{over(1)}, "one seed"},
		{[]Series{one}, "one seed"},
		{[]Series{plain}, ""},
	} {
		if got := measured("", "error bars", test.all); got != test.want {
			t.Errorf("caption is %q, want %q", got, test.want)
		}
	}
}

// A narrowed range leaves out what lies beyond it: nothing is drawn above the axes.
func TestNarrowedRange(t *testing.T) {
	curve := LevelCurve{
		Name: "M16", Mean: []float64{0.5, 0.8, 1.2, 1.7, 2.4, 3}, Std: []float64{0.1, 0.1, 0.2, 0.2,
			0.3, 0.3}, Seeds: 5,
	}
	figure := testkit.Must(LevelCurves("NLL", []LevelCurve{curve}))(t)
	figure.Plots()[0].Y.Max = 1
	data := testkit.Must(figure.Encode("png"))(t)
	picture := testkit.Must(png.Decode(bytes.NewReader(data)))(t)
	bounds := picture.Bounds()
	ink := 0
	for y := bounds.Min.Y; y < bounds.Min.Y+4; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); r != g || g != b {
				ink++
			}
		}
	}
	if ink > 0 {
		t.Errorf("%d coloured pixels above the axes, want none", ink)
	}
}

// The error of two bins by hand: 0.25 |0.3 - 0.1| + 0.75 |0.7 - 0.9| = 0.2.
func TestReliabilityNamesItsError(t *testing.T) {
	curve := ReliabilityCurve{Name: "M16", Confidence: []float64{0.3, 0.7},
		Accuracy: []float64{0.1, 0.9}, Count: []int{1, 3}}
	if got, want := curve.note(), ", ECE 0.200"; got != want {
		t.Errorf("note is %q, want %q", got, want)
	}
	curve.ECE = 0.3
	if got, want := curve.note(), ", mean ECE 0.300"; got != want {
		t.Errorf("note is %q where the ECE is given, want %q", got, want)
	}
	shares := curve.shares()
	testkit.Near(t, "share of the bin of 0.3", shares[4], 0.25, 1e-15)
	testkit.Near(t, "share of the bin of 0.7", shares[10], 0.75, 1e-15)
}

// A long curve, its deviations and its seeds have the same few points, from the least coverage to
// the last one.
func TestLongRiskCurveKeepsItsEnd(t *testing.T) {
	long := make([]float64, 4000)
	for i := range long {
		long[i] = float64(i+1) / 4000
	}
	s := Series{X: long, Mean: long, Std: long, Each: [][]float64{long, long}}.answered()
	for _, got := range append(s.Each, s.X, s.Mean, s.Std) {
		if len(got) != riskPoints || got[0] < leastCoverage || got[0] > 0.053 ||
			got[riskPoints-1] != 1 {
			t.Errorf("%d points from %g to %g, want %d from 0.05 to 1", len(got), got[0],
				got[len(got)-1], riskPoints)
		}
	}
}

// Curves whose best places are one share a label there, and the lowest is the nearest to the axis.
func TestRingsShareTheirLabels(t *testing.T) {
	x := []float64{0, 1, 2}
	c := testkit.Must(newGammaChart("NLL", []Series{
		{Name: "severe", X: x, Mean: []float64{5, 3, 4}},
		{Name: "mild", X: x, Mean: []float64{3, 2, 1}},
		{Name: "test", X: x, Mean: []float64{2, 0.5, 2}},
	}))(t)
	all := c.above[0].(rings)
	var labels []string
	for _, r := range all.labelled() {
		labels = append(labels, r.label)
	}
	if len(all) != 3 || !slices.Equal(labels, []string{"1", "2"}) {
		t.Errorf("%d rings have the labels %q from the axis up, want those of 1 and 2", len(all),
			labels)
	}
}

// Every histogram has markers, on bins that aren't empty and that no other histogram's marker is
// on.
func TestStripMarks(t *testing.T) {
	wide := []float64{0, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2}
	narrow := []float64{0, 0, 0, 0, 0, 0, 0, 1}
	for _, c := range []struct {
		name string
		bins [][]float64
		want [][]int
	}{
		{"one", [][]float64{wide}, [][]int{{7, 4, 1}}},
		{"two", [][]float64{wide, wide}, [][]int{{7, 4, 1}, {6, 3}}},
		{"four", [][]float64{wide, wide, wide, wide}, [][]int{{7, 3}, {6, 2}, {5, 1}, {4}}},
		{"all in the last bin", [][]float64{wide, narrow}, [][]int{{7, 4, 1}, {7}}},
	} {
		s := strip{bins: c.bins}
		for i, want := range c.want {
			if got := s.marked(i); !slices.Equal(got, want) {
				t.Errorf("%s, histogram %d: markers on %v, want %v", c.name, i, got, want)
			}
		}
	}
}
