package viz

import (
	"fmt"
	"reflect"
	"testing"
)

func TestReservedNamesKeepTheirColour(t *testing.T) {
	for _, test := range []struct {
		name string
		hue  int // -1: neither of the reserved ones
	}{
		{"M16", 0},
		{"M32", 1},
		{"M16, K = 4", 0},
		{"ensemble of M32", 1},
		{"M160", -1},
		{"m16", -1},
		{"", -1},
	} {
		got := hueOf(test.name, make([]int, len(hues)))
		if got >= len(reserved) {
			got = -1
		}
		if got != test.hue {
			t.Errorf("%q has hue %d, want %d", test.name, got, test.hue)
		}
	}
}

func TestOrderDoesNotChangeReservedColours(t *testing.T) {
	forward, backward := styles([]string{"M16", "M32", "SWAG"}), styles([]string{"SWAG", "M32", "M16"})
	for i := range forward {
		if got, want := backward[len(backward)-1-i].colour, forward[i].colour; got != want {
			t.Errorf("curve %d has colour %v in the other order, want %v", i, got, want)
		}
	}
}

func TestColoursRepeatOnlyWhenAllAreTaken(t *testing.T) {
	free := len(hues) - len(reserved)
	for trial := range 50 {
		seen := map[any]bool{}
		var all []string
		for i := range free {
			all = append(all, fmt.Sprintf("method %d of %d", i, trial))
		}
		for _, s := range styles(all) {
			seen[s.colour] = true
		}
		if len(seen) != free {
			t.Errorf("trial %d: %d colours for %d curves, want all different", trial, len(seen), free)
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

// The reserved pair is told apart without colour: its luminances differ by a fifth of the whole range.
func TestReservedPairDiffersInGrey(t *testing.T) {
	grey := func(hue int) float64 {
		c := hues[hue]
		return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
	}
	if difference := grey(0) - grey(1); difference < 0.2 {
		t.Errorf("greys %.2f and %.2f differ by %.2f, want at least 0.2", grey(0), grey(1), difference)
	}
}
