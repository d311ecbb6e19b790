package corrupt

import (
	"math"
	"math/rand/v2"
)

// ripple moves each row and each column by a sine wave of its position: the amplitude is 0.0025 s
// of the side for strength s, the wavelength 0.1 to 0.3 of it. What comes from outside is black.
var ripple = Corruption{
	Name: "ripple", Version: "1",
	Severities: [5]float64{5.5, 6, 6.5, 7.5, 8},
	Draw: func(rng *rand.Rand, _ Image, _ float64) []float64 {
		wavelengths, phases := uniforms(rng, 2, .1, .3), uniforms(rng, 2, 0, 2*math.Pi)
		return append(wavelengths, phases...)
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		move := func(position, length int, wavelength, phase float64) float64 {
			amplitude := levelShare(strength, .025) * float64(length)
			turns := float64(position) / (wavelength * float64(length))
			return float64(position) + amplitude*math.Sin(2*math.Pi*turns+phase)
		}
		eachPixel(image.Size, out, func(y, x int, pixel []float64) {
			image.bilinear(pixel, move(y, image.Height, draws[0], draws[2]),
				move(x, image.Width, draws[1], draws[3]))
		})
	},
}
