package viz

import (
	"image/color"
	"math"
	"testing"
)

// leastDistance is the smallest distance of two hues in CIE Lab. A just noticeable difference is
// 2.3; small areas and lines need several of them.
const leastDistance = 16

// sights are the linear RGB that readers see of a linear RGB: Machado, Oliveira and Fernandes 2009,
// table 1 at severity 1.0.
var sights = map[string][3][3]float64{
	"normal sight": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
}

func TestHuesAreApartForEverySight(t *testing.T) {
	for sight, matrix := range sights {
		least, pair := math.Inf(1), [2]int{}
		for i, a := range hues {
			for j, b := range hues[:i] {
				if d := distance(seen(matrix, a), seen(matrix, b)); d < least {
					least, pair = d, [2]int{j, i}
				}
			}
		}
		t.Logf("%s: hues %d and %d are nearest, %.1f apart", sight, pair[0], pair[1], least)
		if least < leastDistance {
			t.Errorf("with %s hues %d and %d are %.1f apart, want at least %d", sight, pair[0],
				pair[1], least, leastDistance)
		}
	}
}

// Curves of γ are apart from MAP's, which is drawn with them.
func TestRampIsApartFromGrey(t *testing.T) {
	for sight, matrix := range sights {
		for place := range 11 {
			c := rising.at(float64(place) / 10)
			if d := distance(seen(matrix, c), seen(matrix, hues[controlHue])); d < leastDistance {
				t.Errorf("with %s the ramp at %d/10 is %.1f from grey, want at least %d", sight,
					place, d, leastDistance)
			}
		}
	}
}

// Distances are those of published values: white and black are 100 apart, and red and green of a
// screen 170.6 (Lab 53.24, 80.09, 67.20 and 87.73, -86.18, 83.18).
func TestDistanceInLab(t *testing.T) {
	identity := sights["normal sight"]
	for _, test := range []struct {
		a, b uint32
		want float64
	}{{0xffffff, 0, 100}, {0xff0000, 0x00ff00, 170.6}, {0x123456, 0x123456, 0}} {
		got := distance(seen(identity, rgb(test.a)), seen(identity, rgb(test.b)))
		if math.Abs(got-test.want) > 0.1 {
			t.Errorf("%06x and %06x are %.2f apart, want %.1f", test.a, test.b, got, test.want)
		}
	}
	for sight, matrix := range sights { // greys look the same to everybody
		for _, row := range matrix {
			if sum := row[0] + row[1] + row[2]; math.Abs(sum-1) > 1e-5 {
				t.Errorf("%s has a row with the sum %g, want 1", sight, sum)
			}
		}
	}
}

// seen returns what a sight makes of a colour, in CIE Lab under the white of a screen (D65).
func seen(sight [3][3]float64, c color.NRGBA) [3]float64 {
	light := product(sight, [3]float64{linear(c.R), linear(c.G), linear(c.B)})
	for i := range light {
		light[i] = math.Max(0, math.Min(1, light[i]))
	}
	xyz := product([3][3]float64{{0.4124564, 0.3575761, 0.1804375},
		{0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}, light)
	for i, white := range [3]float64{0.95047, 1, 1.08883} {
		if xyz[i] /= white; xyz[i] > 216.0/24389 {
			xyz[i] = math.Cbrt(xyz[i])
		} else {
			xyz[i] = (24389.0/27*xyz[i] + 16) / 116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func product(matrix [3][3]float64, v [3]float64) (result [3]float64) {
	for i, row := range matrix {
		result[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return result
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}
