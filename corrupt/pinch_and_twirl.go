package corrupt

import (
	"math"
	"math/rand/v2"
)

// pinchAndTwirl cuts the image into 3x3 cells, 5x5 for more than 128 pixels, and in the circle
// inside each cell pulls the content to the centre and turns it, left or right at random, by up to
// 9 s degrees for strength s. Pixels outside the circles stay unchanged. All cells read the
// original image; in the published code a cell may read a changed pixel at its edge.
var pinchAndTwirl = Corruption{
	Name: "pinch_and_twirl", Version: "1",
	Severities: [5]float64{5.5, 6, 6.5, 8.5, 10},
	Draw: func(rng *rand.Rand, image Image, _ float64) []float64 {
		cells := pinchCells(image.Size)
		signs := make([]float64, cells*cells)
		for i := range signs {
			signs[i] = float64(2*rng.IntN(2) - 1)
		}
		return signs
	},
	Apply: func(image Image, strength float64, draws, out []float64) {
		cells, pinch := pinchCells(image.Size), levelShare(strength, .4)+.1
		height, width := image.Height/cells, image.Width/cells
		radius := float64(min(height, width)) / 2
		eachPixel(image.Size, out, func(y, x int, pixel []float64) {
			if y >= cells*height || x >= cells*width {
				return
			}
			row, column := y/height, x/width
			centreY, centreX := (float64(row)+.5)*float64(height),
				(float64(column)+.5)*float64(width)
			dy, dx := float64(y)-centreY, float64(x)-centreX
			distance := math.Hypot(dy, dx) / radius
			if distance > 1 || distance*radius < .0005 {
				return
			}
			stretch := math.Pow(math.Sin(math.Pi/2*distance), -pinch)
			angle := draws[row*cells+column] * levelShare(strength, math.Pi/2) *
				(1 - distance) * (1 - distance)
			sine, cosine := math.Sincos(angle)
			image.bilinear(pixel, centreY+stretch*(dy*cosine-dx*sine),
				centreX+stretch*(dy*sine+dx*cosine))
		})
	},
}

// pinchCells returns the number of cells along each side.
func pinchCells(size Size) int {
	if TableFor(size) == ImageNet {
		return 5
	}
	return 3
}
