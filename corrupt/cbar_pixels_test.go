package corrupt

import (
	"fmt"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/random"
)

// lowShare returns the share of a field's power at frequencies up to a limit, without frequency 0.
func lowShare(size Size, field []float64, limit float64) float64 {
	low, all := 0., 0.
	for ky := range size.Height {
		for kx := range size.Width {
			fy, fx := size.frequency(ky, size.Height), size.frequency(kx, size.Width)
			if fy == 0 && fx == 0 {
				continue
			}
			re, im := 0., 0.
			for i, v := range field {
				turn := fy*float64(i/size.Width)/size.longerSide() + fx*float64(i%size.Width)/size.longerSide()
				sine, cosine := math.Sincos(-2 * math.Pi * turn)
				re, im = re+v*cosine, im+v*sine
			}
			power := re*re + im*im
			all += power
			if math.Hypot(fy, fx) <= limit {
				low += power
			}
		}
	}
	return low / all
}

// A field's power has the shape of its squared amplitudes: blue noise has little at low
// frequencies, brownish noise has most of it there.
func TestSpectraOfNoise(t *testing.T) {
	tests := []struct {
		name      string
		amplitude func(float64) float64
		low, high float64 // bounds of the expected share, to state what the names mean
	}{
		{"blue", func(f float64) float64 { return f }, 0, .02}, {"brownish", brownishAmplitude, .7, 1},
	}
	for _, size := range []Size{{16, 16}, {15, 17}, {12, 20}} {
		for _, test := range tests {
			limit := size.longerSide() / 8
			want := expectedShare(size, test.amplitude, limit)
			if want < test.low || want > test.high {
				t.Errorf("%s noise at %v: expected share %v of low frequencies, want %v to %v", test.name, size, want, test.low, test.high)
			}
			got := 0.
			for seed := range uint64(30) {
				rng := random.New(seed, "test")
				got += lowShare(size, spectralNoise(size, test.amplitude, phases(rng, size)), limit) / 30
			}
			near(t, fmt.Sprint(test.name, size), got, want, .15*min(want, 1-want)+.002)
		}
	}
}

// expectedShare is the share of the squared amplitudes up to a frequency.
func expectedShare(size Size, amplitude func(float64) float64, limit float64) float64 {
	low, all := 0., 0.
	for ky := range size.Height {
		for kx := range size.Width {
			frequency := math.Hypot(size.frequency(ky, size.Height), size.frequency(kx, size.Width))
			if frequency == 0 {
				continue
			}
			power := amplitude(frequency) * amplitude(frequency)
			all += power
			if frequency <= limit {
				low += power
			}
		}
	}
	return low / all
}

func TestSpectralNoiseHasStandardDeviationOne(t *testing.T) {
	for _, size := range []Size{{32, 32}, {5, 8}} {
		field := spectralNoise(size, brownishAmplitude, phases(random.New(1, "test"), size))
		mean, square := 0., 0.
		for _, v := range field {
			mean += v / float64(len(field))
			square += v * v / float64(len(field))
		}
		near(t, size.String(), math.Sqrt(square-mean*mean), 1, 1e-9)
	}
}

// A single frequency with a known phase gives a cosine.
func TestSpectralNoiseOfOneFrequency(t *testing.T) {
	size := Size{8, 8}
	angles := make([]float64, phaseCount(size))
	only := func(f float64) float64 { return map[bool]float64{true: 1}[math.Abs(f-1) < 1e-9] }
	field := spectralNoise(size, only, angles) // cos y + cos x, each from two frequencies
	for i, v := range field {
		y, x := 2*math.Pi*float64(i/8)/8, 2*math.Pi*float64(i%8)/8
		near(t, fmt.Sprint("value ", i), v, math.Cos(y)+math.Cos(x), 1e-9)
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
		near(t, fmt.Sprint("severity ", severity), 3*black/float64(len(out)), .5*math.Erfc(-threshold/math.Sqrt2), .004)
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

// The corners of each cell stay, the middle of a circle stays, and the rest of the circle moves.
func TestPinchAndTwirl(t *testing.T) {
	size := Size{30, 30}
	image := Image{size, make([]float64, size.Values())}
	for i, v := range photograph(size, 1) {
		image.Values[i] = unit[v]
	}
	out := applied(pinchAndTwirl, image, 10, 1, -1, 1, -1, 1, -1, 1, -1, 1)
	for _, corner := range []int{0, 9, 10, 19, 20, 29} {
		near(t, fmt.Sprint("corner ", corner), out.at(corner, corner, 1), image.at(corner, corner, 1), 0)
	}
	near(t, "centre", out.at(15, 5, 0), image.at(15, 5, 0), 0)
	moved := 0
	for i, v := range out.Values {
		if v != image.Values[i] {
			moved++
		}
	}
	if share := float64(moved) / float64(len(out.Values)); share < .6 || share > math.Pi/4 {
		t.Errorf("%v of the values change, want most inside the circles, which are %v", share, math.Pi/4)
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
	eachPixel(size, image.Values, func(y, x int, pixel []float64) { pixel[0] = .5 + .4*math.Cos(radius(y, x)/3) })
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
		near(t, fmt.Sprint("channel ", channel), out.at(8, 12, channel), .2+half+.3*source(8)/20+.3*source(12)/20, 1e-9)
	}
}
