package shapes10

import "math/rand/v2"

// canvas is an image, [Side, Side, 3], with values approximately in 0..1.
type canvas [Side * Side * channels]float64

// at returns the colour of the scene at a point.
func (s *scene) at(p vector) colour {
	c := s.background.at(p)
	for i := range s.behind {
		c = s.behind[i].over(c, p)
	}
	c = c.scaled(s.light.shade(&s.subject.placed, p))
	distance := s.subject.distance(p)
	if cover := coverage(distance, outline); cover > 0 {
		c = c.blend(s.subject.surface.at(p).scaled(s.light.rim(&s.subject.placed, p, distance)),
			cover)
	}
	for i := range s.front {
		c = s.front[i].over(c, p)
	}
	return c.scaled(s.light.brightness(p))
}

// render writes the scene to the pixels of one image, [Side, Side, 3].
func (s *scene) render(rng *rand.Rand, pixels []uint8) {
	var sharp canvas
	for i := range Side * Side {
		c := s.at(vector{float64(i%Side) + 0.5, float64(i/Side) + 0.5})
		copy(sharp[channels*i:], c[:])
	}
	s.finish.develop(rng, &sharp, pixels)
}

// finish is the blur and noise of the camera.
type finish struct {
	blur  float64 // weight of the 3x3 binomial filter in the result
	grain float64 // standard deviation of the noise of each channel
}

// drawFinish draws the blur and noise of a camera.
func drawFinish(rng *rand.Rand) finish {
	return finish{blur: uniform(rng, 0, strongestBlur), grain: uniform(rng, 0, strongestGrain)}
}

// develop blurs the canvas, adds noise and writes the bytes, [Side, Side, 3].
func (f finish) develop(rng *rand.Rand, sharp *canvas, pixels []uint8) {
	soft := sharp.filtered()
	for i := 0; i < len(sharp); i += channels {
		noise := grain(rng)
		for channel := range channels {
			value := mix(sharp[i+channel], soft[i+channel], f.blur)
			pixels[i+channel] = toByte(value + float64(f.grain*noise[channel]))
		}
	}
}

// filtered returns the canvas after a 3x3 binomial filter with repeated borders.
func (c *canvas) filtered() *canvas {
	var across, result canvas
	const row = Side * channels
	for i := range c {
		column := i / channels % Side
		left, right := channels*min(column, 1), channels*min(Side-1-column, 1)
		across[i] = binomial(c[i-left], c[i], c[i+right])
	}
	for i := range across {
		up, down := row*min(i/row, 1), row*min(Side-1-i/row, 1)
		result[i] = binomial(across[i-up], across[i], across[i+down])
	}
	return &result
}

// binomial returns the mean of three neighbours with weights 1:2:1.
func binomial(before, here, after float64) float64 {
	return float64((before + here + here + after) * 0.25)
}

// grain draws three approximately normal numbers with mean 0 and standard deviation 1. Each is a
// sum of four uniform integers from 0 to 31 taken from the bits of one draw, so every processor
// gives the same.
func grain(rng *rand.Rand) (noise [channels]float64) {
	bits := rng.Uint64()
	for channel := range noise {
		sum := 0
		for range 4 {
			sum += int(bits & 31)
			bits >>= 5
		}
		noise[channel] = (float64(sum) - grainMean) / grainDeviation
	}
	return noise
}

// Mean and standard deviation of a sum of four uniform integers from 0 to 31: 4*31/2 and
// sqrt(4*(32*32-1)/12).
const (
	grainMean      = 62
	grainDeviation = 18.466185312619388
)

// toByte converts a value in 0..1 to a byte, rounded and clipped.
func toByte(value float64) uint8 { return uint8(clamp(float64(value*255)+0.5, 255)) }
