package dataset

import "math/rand/v2"

// canvas is an image of Shapes10, [32, 32, 3], with values about in 0..1.
type canvas [side * side * channels]float64

// at returns the colour of the scene at a point.
func (s *scene) at(p vector) colour {
	c := s.background.at(p)
	for i := range s.behind {
		c = s.behind[i].over(c, p)
	}
	c = c.scaled(s.light.shade(&s.subject.placed, p))
	distance := s.subject.distance(p)
	if cover := coverage(distance, outline); cover > 0 {
		c = c.blend(s.subject.surface.at(p).scaled(s.light.rim(&s.subject.placed, p, distance)), cover)
	}
	for i := range s.front {
		c = s.front[i].over(c, p)
	}
	return c.scaled(s.light.brightness(p))
}

// render draws the scene into the pixels of one image, [32, 32, 3].
func (s *scene) render(rng *rand.Rand, pixels []uint8) {
	var sharp canvas
	for i := range side * side {
		c := s.at(vector{float64(i%side) + 0.5, float64(i/side) + 0.5})
		copy(sharp[channels*i:], c[:])
	}
	s.finish.develop(rng, &sharp, pixels)
}

// finish is what the camera does to a scene.
type finish struct {
	blur  float64 // share of the 3x3 binomial filter in the result
	grain float64 // standard deviation of the noise of each channel
}

// drawFinish draws a camera.
func drawFinish(rng *rand.Rand) finish {
	return finish{blur: uniform(rng, 0, strongestBlur), grain: uniform(rng, 0, strongestGrain)}
}

// develop blurs the canvas, adds grain and writes bytes, [32, 32, 3].
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

// filtered returns the canvas under a 3x3 binomial filter that repeats the border.
func (c *canvas) filtered() *canvas {
	var across, result canvas
	const row = side * channels
	for i := range c {
		column := i / channels % side
		left, right := channels*min(column, 1), channels*min(side-1-column, 1)
		across[i] = binomial(c[i-left], c[i], c[i+right])
	}
	for i := range across {
		up, down := row*min(i/row, 1), row*min(side-1-i/row, 1)
		result[i] = binomial(across[i-up], across[i], across[i+down])
	}
	return &result
}

// binomial weighs three neighbours 1:2:1.
func binomial(before, here, after float64) float64 {
	return float64((before + here + here + after) * 0.25)
}

// grain draws three almost normal numbers with mean 0 and standard deviation 1: each is a sum of four uniform integers
// from 0 to 31, cut from one draw, and so the same on every processor.
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

// Mean and standard deviation of a sum of four uniform integers from 0 to 31: 4*31/2 and sqrt(4*(32*32-1)/12).
const (
	grainMean      = 62
	grainDeviation = 18.466185312619388
)

// toByte rounds a value in 0..1 to a byte and clips it.
func toByte(value float64) uint8 { return uint8(clamp(float64(value*255)+0.5, 255)) }
