package viz

import (
	"bytes"
	"image/png"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestCurvesThatCannotBeDrawn(t *testing.T) {
	six := []float64{1, 2, 3, 4, 5, 6}
	good := LevelCurve{Name: "M16", Mean: six}
	for _, test := range []struct {
		name   string
		curves []LevelCurve
		want   string // part of the message
	}{
		{"no curve", nil, "0 curves"},
		{"no name", []LevelCurve{{Mean: six}}, "no name"},
		{"no value", []LevelCurve{{Name: "M16"}}, `"M16" has no values`},
		{"ragged deviation", []LevelCurve{{Name: "M16", Mean: six, Std: six[:5], Seeds: 2}}, "6 means and 5 standard deviations"},
		{"empty deviation", []LevelCurve{{Name: "M16", Mean: six, Std: []float64{}, Seeds: 2}}, "6 means and 0 standard deviations"},
		{"ragged levels", []LevelCurve{good, {Name: "M32", Mean: six[:5]}}, `"M32" has 5 levels and "M16" has 6`},
		{"ragged paper", []LevelCurve{{Name: "M16", Mean: six, Paper: six[:4]}}, "6 values and the paper's has 4"},
		{"one name twice", []LevelCurve{good, good}, `two curves are called "M16"`},
		{"deviation without seeds", []LevelCurve{{Name: "M16", Mean: six, Std: six}}, "over 0 seeds"},
		{"negative seeds", []LevelCurve{{Name: "M16", Mean: six, Seeds: -1}}, "-1 seeds"},
		{"NaN", []LevelCurve{{Name: "M16", Mean: []float64{1, math.NaN()}}}, "mean NaN at place 1"},
		{"infinity", []LevelCurve{{Name: "M16", Mean: six, Paper: []float64{1, 2, math.Inf(1), 4, 5, 6}}}, "paper's value +Inf at place 2"},
		{"one of two seeds", []LevelCurve{{Name: "M16", Mean: six, Seeds: 2, Each: [][]float64{six}}}, "has 2 seeds and the values of 1"},
		{"short seed", []LevelCurve{{Name: "M16", Mean: six, Seeds: 2, Each: [][]float64{six, {}}}}, "a seed with 0 values"},
		{"negative deviation", []LevelCurve{{Name: "M16", Mean: []float64{1}, Std: []float64{-1}, Seeds: 2}}, "standard deviation -1 at place 0"},
	} {
		figure, err := LevelCurves("NLL", test.curves)
		checkError(t, test.name, figure, err, test.want)
	}
}

func TestMetricsThatCannotBeDrawn(t *testing.T) {
	curves := []LevelCurve{{Name: "M16", Mean: []float64{9.1}}}
	for _, test := range []struct{ metric, want string }{
		{"NNL", `did you mean "NLL"?`},
		{"Error", "Error 9.1 at place 0: give fractions"},
	} {
		figure, err := LevelCurves(test.metric, curves)
		checkError(t, test.metric, figure, err, test.want)
	}
}

// checkError demands no figure and a message of this package, of one line, that holds want.
func checkError(t *testing.T, name string, figure *Figure, err error, want string) {
	t.Helper()
	testkit.ErrorOf(t, name, err, want, "viz")
	if figure != nil {
		t.Errorf("%s: figure %v with the error %v", name, figure, err)
	}
}

func TestOneSeedHasNoDeviation(t *testing.T) {
	one, err := checked([]Series{{Name: "M16", Mean: []float64{1}, Std: []float64{math.NaN()}, Seeds: 1}})
	if err != nil || one[0].Std != nil {
		t.Errorf("deviation is %v and error %v, want none", one[0].Std, err)
	}
}

func TestValuesAreCopied(t *testing.T) {
	mean := []float64{1, 2}
	c := Series{Mean: mean, Std: mean, Seeds: 5}.curve(score.Metric{}, mean, style{})
	each := Series{Mean: mean, Seeds: 2, Each: [][]float64{mean, mean}}.curve(score.Metric{}, mean, style{}).each
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
		{[]Series{over(3), over(5)}, "3 to 5 seeds; error bars: one standard deviation, from 5 seeds on"},
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
		Name: "M16", Mean: []float64{0.5, 0.8, 1.2, 1.7, 2.4, 3}, Std: []float64{0.1, 0.1, 0.2, 0.2, 0.3, 0.3}, Seeds: 5,
	}
	figure := testkit.Must(LevelCurves("NLL", []LevelCurve{curve}))(t)
	figure.Plots()[0].Y.Max = 1
	data := testkit.Must(figure.PNG())(t)
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
