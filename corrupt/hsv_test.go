package corrupt

import (
	"math"
	"testing"
)

func TestHSVOfKnownColours(t *testing.T) {
	tests := []struct {
		name                   string
		r, g, b                float64
		hue, saturation, value float64
	}{
		{"black", 0, 0, 0, 0, 0, 0},
		{"grey", .5, .5, .5, 0, 0, .5},
		{"red", 1, 0, 0, 0, 1, 1},
		{"yellow", 1, 1, 0, 1. / 6, 1, 1},
		{"green", 0, 1, 0, 2. / 6, 1, 1},
		{"cyan", 0, .5, .5, 3. / 6, 1, .5},
		{"blue", 0, 0, 1, 4. / 6, 1, 1},
		{"purple", 1, 0, 1, 5. / 6, 1, 1},
		{"pink", 1, .5, .75, 5.5 / 6, .5, 1},
	}
	for _, test := range tests {
		h, s, v := toHSV(test.r, test.g, test.b)
		if d := math.Abs(h-test.hue) + math.Abs(s-test.saturation) + math.Abs(v-test.value); d > 1e-15 {
			t.Errorf("%s: got %g %g %g, want %g %g %g", test.name, h, s, v, test.hue, test.saturation, test.value)
		}
	}
}

func TestHSVAndBack(t *testing.T) {
	for i := range 1 << 12 {
		r, g, b := unit[i&15*17], unit[i>>4&15*17], unit[i>>8*17]
		gotR, gotG, gotB := fromHSV(toHSV(r, g, b))
		if d := max(math.Abs(gotR-r), math.Abs(gotG-g), math.Abs(gotB-b)); d > 1e-15 {
			t.Errorf("%g %g %g becomes %g %g %g: off by %g, tolerance 1e-15", r, g, b, gotR, gotG, gotB, d)
		}
	}
}
