package corrupt

import (
	"math"
	"math/rand/v2"
)

// checkerboardCutout lays a turned checkerboard over the image and makes some of its black squares
// grey: a share s/10 of them, so s/20 of the image, for strength s. A square's side is 0.1 to 0.25
// of the longer side. The published code cuts square numbers towards 0 and so joins the squares
// next to an edge in pairs; here each square has its own random number.
var checkerboardCutout = Corruption{
	Name: "checkerboard_cutout", Version: "1",
	Severities: [5]float64{1, 2, 3, 4, 5},
	ByTable:    map[Table][5]float64{ImageNet: {2, 3, 4, 5, 6}},
	Draw: func(rng *rand.Rand, image Image, _ float64) []float64 {
		angle, side := rng.Float64()*2*math.Pi, uniform(rng.Float64(), .1, .25)
		draws := []float64{angle, max(1, side*image.longerSide())}
		reach := checkerboardReach(image.Size, draws[1])
		return append(draws, uniforms(rng, 4*reach*reach, 0, 1)...)
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		const grey = 128. / 255
		sine, cosine := math.Sincos(draws[0])
		side, chances := draws[1], draws[2:]
		reach := checkerboardReach(image.Size, side)
		eachPixel(image.Size, out, func(y, x int, pixel []float64) {
			row := int(math.Floor((cosine*float64(y) + sine*float64(x)) / side))
			column := int(math.Floor((cosine*float64(x) - sine*float64(y)) / side))
			chance := chances[(row+reach)*2*reach+column+reach]
			if (row+column)%2 == 0 && chance < levelShare(strength, 1) {
				pixel[0], pixel[1], pixel[2] = grey, grey, grey
			}
		})
	},
}

// checkerboardReach returns the largest number of squares between the image's first corner and a
// pixel.
func checkerboardReach(size Size, side float64) int {
	return int(math.Hypot(float64(size.Height), float64(size.Width))/side) + 1
}
