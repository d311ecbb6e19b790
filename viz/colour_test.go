package viz

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestContrast(t *testing.T) {
	for _, test := range []struct {
		colour string
		want   float64
	}{
		{"#ffffff", 1}, {"#000000", 21}, {"#767676", 4.54}, {"#FF0000", 4.00}, {"#ffff00", 1.07},
	} {
		if got, err := Contrast(test.colour); err != nil || math.Abs(got-test.want) > 0.005 {
			t.Errorf("%s has the contrast %.3f (%v), want %.2f", test.colour, got, err, test.want)
		}
	}
	for _, wrong := range []string{"", "red", "#12345", "#1234567", "0067a8", "#00gg00"} {
		if _, err := Contrast(wrong); err == nil || !strings.Contains(err.Error(), "is no colour") {
			t.Errorf("%q: error %v, want that it is no colour", wrong, err)
		}
	}
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
	if _, err := Lines("x", "y", []Line{line}); err == nil || !strings.Contains(err.Error(), `curve "a line"`) {
		t.Errorf("error %v, want one that names the curve", err)
	}
}
