package corrupt

import "math/rand/v2"

// blueNoiseSample makes pixels black where a random field is low. The field's amplitude grows with
// the frequency, so that the black pixels keep apart. The strength s sets the threshold 0.3 s -
// 2.5, in standard deviations of the field. An odd side has no published rule: ours puts frequency
// 0 at amplitude 0, as an even side does.
var blueNoiseSample = Corruption{
	Name: "blue_noise_sample", Version: "1",
	Severities: [5]float64{.7, 1.4, 2.1, 3.5, 4.2},
	ByTable:    map[Table][5]float64{ImageNet: {.8, 1.6, 2.4, 4, 5.6}},
	Draw: func(rng *rand.Rand, image Image, _ float64) []float64 {
		return phases(rng, image.Size)
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		threshold := levelShare(strength, 3) - 2.5
		field := spectralNoise(image.Size, func(frequency float64) float64 {
			return frequency
		}, draws)
		eachPixel(image.Size, out, func(y, x int, pixel []float64) {
			if field[y*image.Width+x] <= threshold {
				clear(pixel)
			}
		})
	},
}
