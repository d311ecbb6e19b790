package corrupt

import (
	"math"
	"math/rand/v2"
)

// cbar lists the ten corruptions of CIFAR-10-C-bar in the order of the published list: Mintun,
// Kirillov and Xie, "On Interaction Between Data Augmentations and Corruptions in Natural Image
// Corruption Robustness", NeurIPS 2021. They were chosen to look unlike the nineteen.
//
// Names, strengths and formulas are the published ones; the code is ours. The random numbers come
// from our streams and some filters differ in detail, so that the images have the published
// distribution but not the published bytes; each corruption says what differs. The published code
// makes square images of 32 and 224 pixels; here lengths are shares of the height and the width, or
// of the longer side.
var cbar = []Corruption{
	blueNoiseSample, checkerboardCutout, inverseSparkles, pinchAndTwirl, ripple,
	brownishNoise, circularMotionBlur, lines, sparkles, transverseChromaticAbberation,
}

// init registers the suite through the same door as everybody's. Its values are constants, so an
// error is a mistake in this package.
func init() {
	suite := Suite{Name: "cbar10"}
	for _, corruption := range cbar {
		if err := Register(corruption); err != nil {
			panic(err)
		}
		suite.Corruptions = append(suite.Corruptions, corruption.Name)
	}
	if err := RegisterSuite(suite); err != nil {
		panic(err)
	}
}

// levelShare returns the share of the highest value for a strength of 0 to 10.
func levelShare(strength, highest float64) float64 { return strength * highest / 10 }

// longerSide returns the length that the published code calls the size of an image.
func (s Size) longerSide() float64 { return float64(max(s.Height, s.Width)) }

// uniforms returns count random numbers in low..high.
func uniforms(rng *rand.Rand, count int, low, high float64) []float64 {
	numbers := make([]float64, count)
	for i := range numbers {
		numbers[i] = uniform(rng.Float64(), low, high)
	}
	return numbers
}

// place returns a random position, row first.
func place(rng *rand.Rand, size Size) []float64 {
	return []float64{rng.Float64() * float64(size.Height), rng.Float64() * float64(size.Width)}
}

// eachPixel calls a function with the row, the column and the three values of each pixel.
func eachPixel(size Size, values []float64, visit func(y, x int, pixel []float64)) {
	for y := range size.Height {
		for x := range size.Width {
			i := 3 * (y*size.Width + x)
			visit(y, x, values[i:i+3:i+3])
		}
	}
}

// bilinear writes the pixel at a position between pixels, black outside the image.
func (m Image) bilinear(pixel []float64, y, x float64) {
	top, left := math.Floor(y), math.Floor(x)
	down, right := y-top, x-left
	for channel := range pixel {
		upper := m.at(int(top), int(left), channel)*(1-right) + m.at(int(top), int(left)+1,
			channel)*right
		lower := m.at(int(top)+1, int(left), channel)*(1-right) + m.at(int(top)+1, int(left)+1,
			channel)*right
		pixel[channel] = upper*(1-down) + lower*down
	}
}

// at returns a value, 0 outside the image.
func (m Image) at(y, x, channel int) float64 {
	if uint(y) >= uint(m.Height) || uint(x) >= uint(m.Width) {
		return 0
	}
	return m.Values[3*(y*m.Width+x)+channel]
}

// splineTaps returns the indexes and weights with which a cubic B-spline reads an axis at a
// position from 0 to length-1. Indexes outside are mirrored at the outermost pixel.
func splineTaps(position float64, length int) (indexes [4]int, weights [4]float64) {
	first := math.Floor(position)
	t := position - first
	weights[0] = (1 - t) * (1 - t) * (1 - t) / 6
	weights[1] = (4 - 6*t*t + 3*t*t*t) / 6
	weights[3] = t * t * t / 6
	weights[2] = 1 - weights[0] - weights[1] - weights[3]
	for i := range indexes {
		indexes[i] = mirrorBorder(int(first)-1+i, length)
	}
	return indexes, weights
}

// spline writes a pixel of the cubic B-spline with the image's values as coefficients.
func (m Image) spline(pixel []float64, y, x float64) {
	rows, down := splineTaps(y, m.Height)
	columns, across := splineTaps(x, m.Width)
	clear(pixel)
	for i, row := range rows {
		for j, column := range columns {
			weight, source := down[i]*across[j], m.Values[3*(row*m.Width+column):]
			for channel := range pixel {
				pixel[channel] += weight * source[channel]
			}
		}
	}
}

// splineCoefficients returns the image whose cubic B-spline passes through the values of this one.
func (m Image) splineCoefficients() Image {
	values := make([]float64, len(m.Values))
	copy(values, m.Values)
	for y := range m.Height {
		for channel := range 3 {
			solveSpline(values[3*y*m.Width+channel:], 3, m.Width)
		}
	}
	for i := range 3 * m.Width {
		solveSpline(values[i:], 3*m.Width, m.Height)
	}
	return Image{m.Size, values}
}

// solveSpline replaces values, stride apart, by the coefficients of the spline through them: the
// recursive filter with the pole sqrt(3)-2, forwards and backwards, for a border mirrored at the
// outermost value.
func solveSpline(values []float64, stride, count int) {
	if count == 1 {
		return
	}
	pole := math.Sqrt(3) - 2
	last := (count - 1) * stride
	first, power := 0., 1.
	// one period of the mirrored values
	for k := 0; k < 2*(count-1) && math.Abs(power) > 1e-20; k++ {
		first += power * values[mirrorBorder(k, count)*stride]
		power *= pole
	}
	values[0] = first / (1 - power)
	for i := stride; i <= last; i += stride {
		values[i] += pole * values[i-stride]
	}
	values[last] = pole / (pole*pole - 1) * (values[last] + pole*values[last-stride])
	for i := last - stride; i >= 0; i -= stride {
		values[i] = pole * (values[i+stride] - values[i])
	}
	for i := 0; i <= last; i += stride {
		values[i] *= 6
	}
}
