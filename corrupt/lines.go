package corrupt

import (
	"math"
	"math/rand/v2"
)

// lines draws grey lines through random points, s/10 for each pixel of the longer side at strength
// s. Each reaches one longer side to both sides of its point. Their directions spread around a
// common one, by a random share, 0.1 to 1, of a full turn.
//
// A line covers pixels that are nearer than one pixel to it, the less the farther they are. The
// published code gets this coverage from an integer algorithm with rounded ends; we compute the
// distance.
var lines = Corruption{
	Name: "lines", Version: "1",
	Severities: [5]float64{.5, 1, 1.5, 2, 2.5},
	Draw: func(rng *rand.Rand, image Image, strength float64) (draws []float64) {
		direction, spread := rng.Float64()*2*math.Pi, uniform(rng.Float64(), .1, 1)
		for range int(levelShare(strength, 1) * image.longerSide()) {
			angle := direction + 2*math.Pi*spread*(rng.Float64()-.5)
			draws = append(append(draws, place(rng, image.Size)...), angle)
		}
		return draws
	},
	Apply: func(image Image, _ float64, draws, out []float64) {
		const grey = 128. / 255
		length := image.longerSide()
		for ; len(draws) > 0; draws = draws[3:] {
			sine, cosine := math.Sincos(draws[2])
			eachPixel(image.Size, out, func(y, x int, pixel []float64) {
				dy, dx := float64(y)-draws[0], float64(x)-draws[1]
				if math.Abs(dy*sine+dx*cosine) > length {
					return
				}
				covered := max(0, 1-math.Abs(dy*cosine-dx*sine))
				for channel, v := range pixel {
					pixel[channel] = v + covered*(grey-v)
				}
			})
		}
	},
}
