package corrupt

import "math/rand/v2"

// brownishNoise adds a smooth random field to each channel: its amplitude at frequency f is
// 1 / (f^2 + 1). The strength s is its standard deviation, 6.4 s of 255.
var brownishNoise = Corruption{
	Name: "brownish_noise", Version: "1",
	Severities: [5]float64{2.5, 4, 5.5, 6.5, 7},
	ByTable:    map[Table][5]float64{ImageNet: {1, 2, 3, 4, 5}},
	Draw: func(rng *rand.Rand, image Image, _ float64) (draws []float64) {
		for range 3 {
			draws = append(draws, phases(rng, image.Size)...)
		}
		return draws
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		deviation := levelShare(strength, 64) / 255
		count := phaseCount(image.Size)
		for channel := range 3 {
			field := spectralNoise(image.Size, brownishAmplitude, draws[channel*count:][:count])
			for i, v := range field {
				out[3*i+channel] += deviation * v
			}
		}
	},
}

func brownishAmplitude(frequency float64) float64 { return 1 / (frequency*frequency + 1) }
