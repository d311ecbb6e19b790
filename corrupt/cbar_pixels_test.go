package corrupt

import (
	"fmt"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/random"
)

// A single frequency, in cycles over the longer side, gives a cosine of standard deviation 1 along
// each side of that length.
func TestSpectralNoiseOfOneFrequency(t *testing.T) {
	for _, size := range []Size{{8, 8}, {7, 9}, {9, 6}, {5, 12}} {
		only := func(f float64) float64 { return map[bool]float64{true: 1}[math.Abs(f-1) < 1e-9] }
		field := spectralNoise(size, only, make([]float64, phaseCount(size)))
		longer := size.longerSide()
		for i, v := range field {
			want, sides := 0., 0.
			for place, length := range map[int]int{i / size.Width: size.Height,
				-1 - i%size.Width: size.Width} {
				if float64(length) == longer {
					want, sides = want+math.Cos(2*math.Pi*float64(max(place, -1-place))/longer),
						sides+1
				}
			}
			near(t, fmt.Sprint(size, " value ", i), v, want*math.Sqrt(2/sides), 1e-9)
		}
	}
}

// The share of black pixels is that of a normal distribution below the threshold.
func TestBlueNoiseSampleShare(t *testing.T) {
	size := Size{32, 32}
	white := make([]uint8, size.Values())
	for i := range white {
		white[i] = 255
	}
	for severity := 1; severity <= 5; severity++ {
		black, out := 0., cbarApply(t, "blue_noise_sample", severity, size, white, 40)
		for i := 0; i < len(out); i += 3 {
			if out[i] == 0 && out[i+1] == 0 && out[i+2] == 0 {
				black++
			} else if out[i] != 255 || out[i+1] != 255 || out[i+2] != 255 {
				t.Fatalf("pixel %d is %v, want black or white", i/3, out[i:i+3])
			}
		}
		threshold := .3*blueNoiseSample.Severities[severity-1] - 2.5
		near(t, fmt.Sprint("severity ", severity), 3*black/float64(len(out)),
			.5*math.Erfc(-threshold/math.Sqrt2), .004)
	}
}

// The noise's standard deviation is the stated one, in each channel.
func TestBrownishNoiseDeviation(t *testing.T) {
	size := Size{16, 16}
	image := slope(size)
	draws := brownishNoise.Draw(random.New(1, "test"), image, 0)
	out := applied(brownishNoise, image, 2.5, draws...)
	for channel := range 3 {
		mean, square, count := 0., 0., float64(size.Height*size.Width)
		for i := channel; i < len(out.Values); i += 3 {
			change := out.Values[i] - image.Values[i]
			mean, square = mean+change/count, square+change*change/count
		}
		near(t, fmt.Sprint("channel ", channel), math.Sqrt(square-mean*mean), 16./255, 1e-9)
	}
}

// Without a turn a pixel comes from farther out on the same ray; a turn keeps the distance.
func TestPinchAndTwirlClosedForm(t *testing.T) {
	size := Size{60, 60}
	image := slope(size) // bilinear reading gives its exact value at any position
	straight, turned := make([]float64, 9), make([]float64, 9)
	turned[0] = 1
	distance := 4. / 10
	stretched := 4 * math.Pow(math.Sin(math.Pi/2*distance), -.3)
	out := applied(pinchAndTwirl, image, 5, straight...)
	near(t, "pinch", out.at(14, 10, 0), .2+.3*(10+stretched)/60+.3*10/60, 1e-12)
	angle := math.Pi / 4 * .6 * .6
	out = applied(pinchAndTwirl, image, 5, turned...)
	want := .2 + .3*(10+stretched*math.Cos(angle))/60 + .3*(10+stretched*math.Sin(angle))/60
	near(t, "twirl", out.at(14, 10, 0), want, 1e-12)
}

// On a ramp each pixel shows how far it was moved.
func TestRipple(t *testing.T) {
	size := Size{40, 20}
	image := slope(size)
	out := applied(ripple, image, 8, .25, .2, .5, 1.5)
	for _, p := range [][2]int{{20, 10}, {7, 9}, {31, 12}} {
		y := float64(p[0]) + .8*math.Sin(2*math.Pi*float64(p[0])/10+.5)
		x := float64(p[1]) + .4*math.Sin(2*math.Pi*float64(p[1])/4+1.5)
		near(t, fmt.Sprint(p), out.at(p[0], p[1], 2), .2+.3*y/40+.3*x/20, 1e-12)
	}
}

// The spline passes through the values, and is exact between them for a parabola away from the
// border.
func TestSplineInterpolates(t *testing.T) {
	size := Size{24, 30}
	image, pixel := slope(size), make([]float64, 3)
	eachPixel(size, image.Values, func(y, x int, pixel []float64) { pixel[1] = float64(x*x) / 900 })
	coefficients := image.splineCoefficients()
	for _, p := range [][2]float64{{0, 0}, {23, 29}, {5, 17}, {12, 0}} {
		coefficients.spline(pixel, p[0], p[1])
		near(t, fmt.Sprint(p), pixel[0], image.at(int(p[0]), int(p[1]), 0), 1e-12)
		near(t, fmt.Sprint(p), pixel[1], p[1]*p[1]/900, 1e-12)
	}
	coefficients.spline(pixel, 12.3, 15.6)
	near(t, "ramp", pixel[0], .2+.3*12.3/24+.3*15.6/30, 1e-6)
	near(t, "parabola", pixel[1], 15.6*15.6/900, 1e-6)
	line := []float64{3, 7}
	solveSpline(line, 1, 2)
	near(t, "two values", line[0]*4/6+line[1]*2/6, 3, 1e-12)
}

// Strength 0 turns by nothing; rings around the centre stay, apart from the corners.
func TestCircularMotionBlur(t *testing.T) {
	size := Size{32, 32}
	image := slope(size)
	still := applied(circularMotionBlur, image, 0)
	for i, v := range still.Values {
		near(t, fmt.Sprint("strength 0, value ", i), v, image.Values[i], 1e-12)
	}
	radius := func(y, x int) float64 { return math.Hypot(float64(y)-15.5, float64(x)-15.5) }
	eachPixel(size, image.Values, func(y, x int, pixel []float64) {
		pixel[0] = .5 + .4*math.Cos(radius(y, x)/3)
	})
	blurred := applied(circularMotionBlur, image, 6)
	eachPixel(size, blurred.Values, func(y, x int, pixel []float64) {
		if r := radius(y, x); r > 2 && r < 14 {
			near(t, fmt.Sprint(y, x), pixel[0], .5+.4*math.Cos(r/3), .004)
		}
	})
	if corner := blurred.at(0, 0, 1); corner > .8*image.at(0, 0, 1) {
		t.Errorf("the corner has %v of %v, want darkness from outside", corner, image.at(0, 0, 1))
	}
}

// A channel that keeps its size is smoothed with 1/6, 4/6, 1/6; the others grow around the middle.
func TestTransverseChromaticAbberation(t *testing.T) {
	size := Size{20, 20}
	impulse := Image{size, make([]float64, size.Values())}
	for channel := range 3 {
		impulse.Values[3*(10*20+10)+channel] = 1
	}
	out := applied(transverseChromaticAbberation, impulse, 10, 0, .5, 1)
	const half = .5 / 255
	near(t, "centre", out.at(10, 10, 0), 4./9+half, 1e-12)
	near(t, "next to it", out.at(10, 11, 0), 1./9+half, 1e-12)
	near(t, "diagonal", out.at(9, 11, 0), 1./36+half, 1e-12)

	image := slope(size)
	out = applied(transverseChromaticAbberation, image, 10, 0, .5, 1)
	for channel, enlarged := range []float64{20, 25, 30} {
		start := math.Floor((enlarged - 20) / 2)
		source := func(pixel float64) float64 { return (start + pixel) * 19 / (enlarged - 1) }
		near(t, fmt.Sprint("channel ", channel), out.at(8, 12, channel), .2+half+.3*source(8)/20+
			.3*source(12)/20, 1e-9)
	}
}
