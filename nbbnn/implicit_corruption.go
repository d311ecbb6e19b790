package nbbnn

import (
	"math"

	"github.com/nbbnn/workbench/dataset"
)

// ImplicitCorruption is what has to be added to one image so that the network without noise says what it says about the image
// under one draw of its latents (METHOD.md section 7).
type ImplicitCorruption struct {
	Image, Draw   int // the test image and the draw of the latents, counted from 0
	Lambda        float64
	Height, Width int
	Clean         []uint8   // [height, width, 3], the image
	Change        []float32 // [height, width, 3], g in pixels of 0 to 1; together with the image it may leave that range
	Target        []float32 // [classes], f_Z(x): the logits under the draw
	Reached       []float32 // [classes], f(x + g)
	Norm          float64   // |g| in the space of the search
	Steps         int       // of the descent
}

// Images is the image without the change, as images of a data set.
func (c ImplicitCorruption) Images() dataset.Images {
	return dataset.Images{Height: c.Height, Width: c.Width, Pixels: c.Clean}
}

// RMS is the root mean square of the change in pixels of 0 to 1.
func (c ImplicitCorruption) RMS() float64 {
	return math.Sqrt(squares(c.Change) / float64(len(c.Change)))
}

// Distance is how far the logits reached are from their target.
func (c ImplicitCorruption) Distance() float64 {
	sum := 0.0
	for i, target := range c.Target {
		sum += math.Pow(float64(target-c.Reached[i]), 2)
	}
	return math.Sqrt(sum)
}

// Objective is 1/2 Distance^2 + Lambda/2 Norm^2, which the search made small.
func (c ImplicitCorruption) Objective() float64 {
	return (math.Pow(c.Distance(), 2) + c.Lambda*math.Pow(c.Norm, 2)) / 2
}

// Corrupted is the image with the change, [height, width, 3]: 0 to 1 where it isn't beyond.
func (c ImplicitCorruption) Corrupted() []float32 {
	values := make([]float32, len(c.Change))
	for i, change := range c.Change {
		values[i] = float32(c.Clean[i])/255 + change
	}
	return values
}

func squares(values []float32) (sum float64) {
	for _, value := range values {
		sum += float64(value) * float64(value)
	}
	return sum
}

// lengthIn is the length of a change of pixels in a space.
func (s Space) length(change []float32, std [3]float64) float64 {
	sum := 0.0
	for i, value := range change {
		sum += math.Pow(float64(value), 2) * s.unit(std)[i%3]
	}
	return math.Sqrt(sum)
}

// unit is what the square of a change in pixels of 0 to 1 counts in each channel.
func (s Space) unit(std [3]float64) (unit [3]float64) {
	for i := range unit {
		unit[i] = 1
		if s == NormalisedSpace {
			unit[i] = 1 / (std[i] * std[i])
		}
	}
	return unit
}

// weight is what the square of a change in normalised pixels counts in each channel.
func (s Space) weight(std [3]float64) [][][][]float32 {
	unit, weight := s.unit(std), make([]float32, 3)
	for i := range weight {
		weight[i] = float32(unit[i] * std[i] * std[i])
	}
	return [][][][]float32{{{weight}}}
}
