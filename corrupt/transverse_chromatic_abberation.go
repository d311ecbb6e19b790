package corrupt

import "math/rand/v2"

// transverseChromaticAbberation enlarges the three channels by 1, 1 + 0.025 s and 1 + 0.05 s for
// strength s, in random order, and keeps the middle. The name is spelled as published. Each channel
// is read with a cubic B-spline that has the values themselves as coefficients, which smooths even
// the unscaled channel; the results are rounded, not cut.
var transverseChromaticAbberation = Corruption{
	Name: "transverse_chromatic_abberation", Version: "1",
	Severities: [5]float64{1, 2, 5, 9, 10},
	Draw: func(rng *rand.Rand, _ Image, _ float64) []float64 {
		steps := []float64{0, .5, 1}
		rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		return steps
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		const half = .5 / 255
		sample := make([]float64, 3)
		for channel, step := range draws {
			scale := 1 + step*levelShare(strength, .5)
			eachPixel(image.Size, out, func(y, x int, pixel []float64) {
				image.spline(sample, enlargedSource(y, image.Height, scale),
					enlargedSource(x, image.Width, scale))
				pixel[channel] = sample[channel] + half
			})
		}
	},
}

// enlargedSource returns which position of a side appears at a pixel when the side is enlarged,
// first pixel onto first and last onto last, and its middle is kept.
func enlargedSource(pixel, length int, scale float64) float64 {
	enlarged := roundEven(float64(length) * scale)
	if enlarged == 1 {
		return 0
	}
	start := (enlarged - length) / 2
	return min(float64(start+pixel)*float64(length-1)/float64(enlarged-1), float64(length-1))
}
