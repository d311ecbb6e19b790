package viz

import (
	"math"
	"strings"
	"testing"
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
		{"ragged paper", []LevelCurve{{Name: "M16", Mean: six, Paper: six[:4]}}, "6 levels and the paper's has 4"},
		{"one name twice", []LevelCurve{good, good}, `two curves are called "M16"`},
		{"deviation without seeds", []LevelCurve{{Name: "M16", Mean: six, Std: six}}, "over 0 seeds"},
		{"negative seeds", []LevelCurve{{Name: "M16", Mean: six, Seeds: -1}}, "-1 seeds"},
		{"NaN", []LevelCurve{{Name: "M16", Mean: []float64{1, math.NaN()}}}, "mean NaN at place 1"},
		{"infinity", []LevelCurve{{Name: "M16", Mean: six, Paper: []float64{1, 2, math.Inf(1), 4, 5, 6}}}, "paper's value +Inf at place 2"},
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

func TestEntropyCurvesThatCannotBeDrawn(t *testing.T) {
	for _, test := range []struct {
		name   string
		curves []EntropyCurve
		want   string
	}{
		{"no curve", nil, "0 curves"},
		{"NaN", []EntropyCurve{{Name: "M32", Mean: []float64{74, math.NaN()}}}, "mean NaN at place 1"},
		{"ragged deviation", []EntropyCurve{{Name: "M32", Mean: []float64{74, 70}, Std: []float64{1}, Seeds: 2}}, "2 means and 1"},
	} {
		figure, err := EntropyCurves(test.curves)
		checkError(t, test.name, figure, err, test.want)
	}
}

// checkError demands no figure and a message of this package, of one line, that holds want.
func checkError(t *testing.T, name string, figure *Figure, err error, want string) {
	t.Helper()
	if err == nil || figure != nil {
		t.Errorf("%s: figure %v and error %v, want an error with %q", name, figure, err, want)
		return
	}
	message := err.Error()
	if !strings.HasPrefix(message, "viz: ") || !strings.Contains(message, want) || strings.Contains(message, "\n") {
		t.Errorf("%s: error is %q, want one line that starts with \"viz: \" and holds %q", name, message, want)
	}
}

func TestOneSeedHasNoDeviation(t *testing.T) {
	nan := []float64{math.NaN()}
	one, err := newSeries("M16", []float64{1}, nan, 1)
	if err != nil || one.deviation != nil {
		t.Errorf("deviation is %v and error %v, want none", one.deviation, err)
	}
}

func TestValuesAreCopied(t *testing.T) {
	mean := []float64{1, 2}
	s, err := newSeries("M16", mean, mean, 3)
	if err != nil {
		t.Fatal(err)
	}
	mean[0] = 7
	if s.mean[0] != 1 || s.deviation[0] != 1 {
		t.Errorf("series holds mean %g and deviation %g after the caller's change, want 1", s.mean[0], s.deviation[0])
	}
}

func TestSeedCaption(t *testing.T) {
	over := func(seeds int) series {
		s, _ := newSeries("M16", []float64{1}, []float64{1}, seeds)
		return s
	}
	plain := series{name: "plain", mean: []float64{1}}
	lines := over(2)
	if err := lines.addSeeds([][]float64{{0}, {2}}); err != nil {
		t.Fatal(err)
	}
	single := over(1)
	if err := single.addSeeds([][]float64{{1}}); err != nil {
		t.Fatal(err)
	}
	checkError(t, "one of two seeds", nil, lines.addSeeds([][]float64{{0}}), "has 2 seeds and the values of 1")
	checkError(t, "short seed", nil, lines.addSeeds([][]float64{{0}, {}}), "a seed with 0 values")
	for _, test := range []struct {
		all  []series
		want string
	}{
		{[]series{over(5), over(5)}, "error bars: one standard deviation over 5 seeds"},
		{[]series{over(3), over(5)}, "3 to 5 seeds; error bars: one standard deviation, from 5 seeds on"},
		{[]series{over(5), plain}, "error bars: one standard deviation over 5 seeds"},
		{[]series{over(2), over(2)}, "mean of 2 seeds"},
		{[]series{lines}, "thin lines: 2 seeds"},
		{[]series{over(1)}, "one seed"},
		{[]series{single}, "one seed"},
		{[]series{plain}, ""},
	} {
		if got := seedCaption("error bars", test.all); got != test.want {
			t.Errorf("caption is %q, want %q", got, test.want)
		}
	}
}
