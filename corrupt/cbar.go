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

// levelShare returns the share of the highest value that a strength of 0 to 10 stands for.
func levelShare(strength, highest float64) float64 { return strength * highest / 10 }

// longerSide is the length that the published code calls the size of an image.
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
		upper := m.at(int(top), int(left), channel)*(1-right) + m.at(int(top), int(left)+1, channel)*right
		lower := m.at(int(top)+1, int(left), channel)*(1-right) + m.at(int(top)+1, int(left)+1, channel)*right
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
