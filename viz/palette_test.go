package viz

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// contrast returns the contrast of a colour with white, 1 to 21, as the web's guidelines for
// accessible content define it.
func contrast(c color.NRGBA) float64 {
	return 1.05 / (luminance(c) + 0.05)
}

// Lines and points on white have a contrast of at least 3:1, which graphics should have.
func TestContrastWithWhite(t *testing.T) {
	colours := append([]color.NRGBA{}, hues...)
	for place := range 11 {
		colours = append(colours, rising.at(float64(place)/10), severe.at(float64(place)/10))
	}
	for _, c := range colours {
		if got := contrast(c); got < 3 {
			t.Errorf("colour %v has the contrast %.2f, want at least 3", c, got)
		}
	}
}

func TestNamedMethodsKeepTheirColour(t *testing.T) {
	for _, test := range []struct {
		name string
		hue  int // -1: none of its own
	}{
		{"M16", 1},
		{"M32", 0},
		{"M16, K = 4", 1},
		{"ensemble of M32", 0},
		{"node-BNN (K = 4)", 0},
		{"M16 on M32's", 1},
		{"M32 on M16's", 0},
		{"SAM", 5},
		{"ASAM", 4},
		{"out", 0},
		{"in", 2},
		{"both", 4},
		{"in conv8", -1},
		{"M160", -1},
		{"XM16", -1},
		{"m16", -1},
		{"", -1},
	} {
		if got := namedHue(test.name); got != test.hue {
			t.Errorf("%q has hue %d, want %d", test.name, got, test.hue)
		}
	}
	for name, hue := range named {
		for _, others := range [][]string{nil, {"stranger", "M160"}, {"K = 2"}} {
			all := append(slices.Clone(others), name)
			if got := styles(all)[len(others)].colour; got != hues[hue] {
				t.Errorf("%s with %q has colour %v, want %v", name, others, got, hues[hue])
			}
		}
	}
}

// What hardly learnt keeps its colour, also on a ramp.
func TestMarkedMethodsKeepTheirColour(t *testing.T) {
	for _, names := range [][]string{{"γ = 0", "γ = 16"}, {"MAP", "noise"}, {"ours", "theirs"}} {
		plain := styles(names)
		names[1] += " † hardly learnt (1 of 3)"
		if marked := styles(names); marked[1].colour != plain[1].colour {
			t.Errorf("%q has colour %v, without its mark %v", names[1], marked[1].colour,
				plain[1].colour)
		}
	}
}

func TestColoursRepeatOnlyWhenAllAreTaken(t *testing.T) {
	for trial := range 50 {
		seen := map[any]bool{}
		var all []string
		for i := range hues {
			all = append(all, fmt.Sprintf("method %d of %d", i, trial))
		}
		for _, s := range styles(all) {
			seen[s.colour] = true
		}
		if len(seen) != len(hues) {
			t.Errorf("trial %d: %d colours for %d curves, want all different", trial, len(seen),
				len(hues))
		}
	}
}

func TestCurvesOfOneColourDifferOtherwise(t *testing.T) {
	all := styles([]string{"M16 a", "M16 b", "M16 c", "M16 d"})
	for i, a := range all {
		for j, b := range all[:i] {
			if reflect.DeepEqual(a.dashes, b.dashes) || reflect.DeepEqual(a.marker, b.marker) {
				t.Errorf("curves %d and %d share dashes or marker: %v and %v", j, i, a, b)
			}
		}
	}
}

// A method that has a hue has a marker that no method with another hue has.
func TestNamedMethodsDifferInTheirMarkers(t *testing.T) {
	for a := range named {
		for b := range named {
			looks := styles([]string{a, b})
			if named[a] != named[b] && reflect.DeepEqual(looks[0].marker, looks[1].marker) {
				t.Errorf("%s and %s share a marker", a, b)
			}
		}
	}
}

// Values of one quantity darken with their number, in whatever order they come.
func TestOrderedNamesTakeTheRamp(t *testing.T) {
	one := 1 / math.Log2(17) // the place of γ = 1
	for _, test := range []struct {
		names []string
		want  []float64 // nil: no ramp
	}{
		{[]string{"gamma 3", "gamma 0", "gamma 16", "gamma 1"}, []float64{2 * one, 0, 1, one}},
		{[]string{"γ = 0", "γ = 30"}, []float64{0, 1}},
		{[]string{"γ = 64", "γ = 0", "γ = 160"}, []float64{0.5, 0, 1}},
		{[]string{"γ = 1, batches", "γ = 1"}, []float64{one, one}},
		{[]string{"K = 1", "K = 4"}, []float64{0, 2.0 / 3}},
		{[]string{"K = 1", "K = 16"}, []float64{0, 1}},
		{[]string{"std 0.16", "std 0.32"}, []float64{0, 1}},
		{[]string{"K = 2, out", "K = 1, out"}, []float64{1.0 / 3, 0}},
		{[]string{"K = 1, out", "K = 4, in", "K = 4, out"}, []float64{0, 2.0 / 3, 2.0 / 3}},
		{[]string{"gamma 0", "gamma 16", "gamma 16, gamma schedule cosine"}, []float64{0, 1, 1}},
		{[]string{"gamma 0", "gamma 3", "gamma 16", "gamma 0, cosine", "gamma 16, cosine"},
			[]float64{0, 2 * one, 1, 0, 1}},
		{[]string{"K = 1, in", "K = 1, out"}, nil},
		{[]string{"K = 1, M16", "K = 2, M16"}, nil},
		{[]string{"K = 1", "gamma 4"}, nil},
		{[]string{"K = 1", "K = 1.0"}, nil},
		{[]string{"K = 4"}, []float64{2.0 / 3}},
		{[]string{"gamma 1"}, []float64{one}},
		{nil, []float64{}},
		{[]string{"M16", "M32"}, nil},
	} {
		if got := ordered(test.names); !slices.Equal(got, test.want) {
			t.Errorf("%q have the places %v, want %v", test.names, got, test.want)
		}
		if test.want == nil {
			continue
		}
		looks := styles(test.names)
		for i, s := range looks {
			// of the endings
			isFirst := !strings.HasSuffix(test.names[i], ", in") &&
				!strings.HasSuffix(test.names[i], "cosine") &&
				!strings.HasSuffix(test.names[i], "batches")
			if isFirst && s.colour != rising.at(test.want[i]) {
				t.Errorf("%q has colour %v, want that of the ramp at %g", test.names[i], s.colour,
					test.want[i])
			}
			if slices.ContainsFunc(looks[:i], func(other style) bool {
				return other.colour == s.colour || reflect.DeepEqual(other.marker, s.marker)
			}) {
				t.Errorf("%q has the colour or the mark of another one of %q", test.names[i],
					test.names)
			}
		}
	}
}

// A γ has its colour whatever curves are next to it.
func TestOneColourPerGamma(t *testing.T) {
	for _, names := range [][]string{{"γ = 0"}, {"γ = 0", "yours"}, {"γ = 0", "γ = 10, yours"},
		{"γ = 0", "γ = 0, yours"}, {"entropy, γ = 0", "data and prior", "entropy, γ = 4"},
		{"q at γ = 0", "exact"}, {"gamma 0", "M16", "K = 2"}, {"γ = 0", "γ = 64", "γ = 160"}} {
		if got := styles(names)[0].colour; got != rising.at(0) {
			t.Errorf("%q: γ = 0 has the colour %v, want %v", names, got, rising.at(0))
		}
	}
}

// Values of γ have the ramp beside MAP, too, also in a difference.
func TestRampBesideMAP(t *testing.T) {
	for _, names := range [][]string{{"noise, γ = 16", "MAP", "noise, γ = 0"},
		{"noise, γ = 16 − γ = 0", "noise, γ = 0 − MAP"}} {
		looks := styles(names)
		if looks[0].colour != rising.at(1) || looks[1].colour != hues[controlHue] ||
			len(looks) == 3 && looks[2].colour != rising.at(0) {
			t.Errorf("%q have the looks %v", names, looks)
		}
	}
}

// The paper's pair is told apart without colour: its luminances differ by a fifth of the whole
// range.
func TestPairDiffersInGrey(t *testing.T) {
	if m16, m32 := grey(hues[1]), grey(hues[0]); m16-m32 < 0.2 {
		t.Errorf("greys %.2f and %.2f differ by %.2f, want at least 0.2", m16, m32, m16-m32)
	}
}

// grey returns how light a colour is without its hue, 0 to 1.
func grey(c color.NRGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}

// A curve has its own colour, the others keep theirs, and markers and dashes stay.
func TestCurvesHaveTheirOwnColour(t *testing.T) {
	all := []Series{{Name: "M16"}, {Name: "M32"}, {Name: "ours"}}
	plain := stylesOf(all)
	all[1].Colour = "#7b3fa0"
	coloured := stylesOf(all)
	if want, _ := parseColour("#7b3fa0"); coloured[1].colour != want || want.G != 0x3f {
		t.Errorf("the colour is %v, want %v", coloured[1].colour, want)
	}
	coloured[1].colour = plain[1].colour
	for i := range all {
		if !reflect.DeepEqual(coloured[i], plain[i]) {
			t.Errorf("%s looks different", all[i].Name)
		}
	}
	line := Line{Name: "a line", X: []float64{0, 1}, Y: []float64{0, 1}, Colour: "blue"}
	_, err := Lines("x", "y", []Line{line})
	testkit.Error(t, `curve "a line"`, err, `curve "a line"`)
}
