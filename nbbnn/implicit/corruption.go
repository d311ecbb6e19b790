package implicit

import "math"

// Corruption is the change of one image that makes the network without noise give the logits of one
// draw of its latents (METHOD.md section 7).
type Corruption struct {
	Image, Draw   int // the image and the draw of the latents, counted from 0
	Lambda        float64
	Height, Width int
	Clean         []uint8 // [height, width, 3], the image
	// [height, width, 3], g in pixels of 0 to 1; the sum with the image may leave that range
	Change  []float32
	Target  []float32 // [classes], f_Z(x): the logits under the draw
	Reached []float32 // [classes], f(x + g)
	Norm    float64   // |g| in the space of the search
	Steps   int       // of the search

	// Gradient is the norm of the objective's gradient at the change, relative to that without a
	// change. At a kink of the ReLUs it needn't be small at a minimiser. Subgradient is the
	// relative norm of the shortest mean of gradients within 1 % of the change. Both are 0 if
	// Descent found the corruption.
	Gradient, Subgradient float64
}

// RMS returns the root mean square of the change in pixels of 0 to 1.
func (c Corruption) RMS() float64 {
	return math.Sqrt(squares(c.Change) / float64(len(c.Change)))
}

// Distance returns the distance of the logits reached from their target.
func (c Corruption) Distance() float64 {
	sum := 0.0
	for i, target := range c.Target {
		sum += math.Pow(float64(target-c.Reached[i]), 2)
	}
	return math.Sqrt(sum)
}

// Corrupted returns the image with the change, [height, width, 3], where 0 to 1 is the range of
// pixels.
func (c Corruption) Corrupted() []float32 {
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

// length returns the length of a change of pixels in a space.
func (s Space) length(change []float32, std [3]float64) float64 {
	sum := 0.0
	for i, value := range change {
		sum += math.Pow(float64(value), 2) * s.unit(std)[i%3]
	}
	return math.Sqrt(sum)
}

// unit returns, for each channel, the weight of a squared change in pixels of 0 to 1.
func (s Space) unit(std [3]float64) (unit [3]float64) {
	for i := range unit {
		unit[i] = 1
		if s == NormalisedSpace {
			unit[i] = 1 / (std[i] * std[i])
		}
	}
	return unit
}

// units returns, for each channel, the normalised pixels of one unit of the search, in which the
// size of a change is its length.
func (s Space) units(std [3]float64) []float64 {
	unit, units := s.unit(std), make([]float64, 3)
	for i := range units {
		units[i] = 1 / math.Sqrt(float64(float32(unit[i]*std[i]*std[i])))
	}
	return units
}

// corruptions returns one image's.
func (s *search) corruptions(image int, v values) (all []Corruption) {
	clean, lambdas := s.images.Slice(image, image+1), s.settings.Lambda
	for draw := range s.settings.Draws {
		for i, lambda := range lambdas {
			own := v.part(draw*len(lambdas)+i, s.settings.perImage())
			c := Corruption{
				Image: image, Draw: draw, Lambda: lambda, Height: clean.Height, Width: clean.Width,
				Clean:  clean.Pixels,
				Change: own.change, Reached: own.reached, Steps: int(own.steps[0]),
				Target: v.part(draw, s.settings.Draws).target,
			}
			if len(own.gradient) > 0 {
				c.Gradient, c.Subgradient = float64(own.gradient[0]), float64(own.subgradient[0])
			}
			c.Norm = s.settings.Space.length(c.Change, s.model.Std)
			all = append(all, c)
		}
	}
	return all
}
