package corrupt

import (
	"math"
	"math/rand/v2"
)

// motionBlurLine is the radius and the standard deviation of the blur in pixels.
var motionBlurLine = levels[struct{ radius, sigma float64 }]{
	CIFAR:    {{6, 1}, {6, 1.5}, {6, 2}, {8, 2}, {9, 2.5}},
	Tiny:     {{10, 1}, {10, 1.5}, {10, 2}, {10, 2.5}, {12, 3}},
	ImageNet: {{10, 3}, {15, 5}, {15, 8}, {15, 12}, {20, 15}},
}

// motionBlur smears the image in a random direction within 45 degrees of the horizontal (CORRUPT.md
// 2).
type motionBlur struct{ motion *motion }

func newMotionBlur(setup setup) operator {
	line := motionBlurLine.at(setup)
	return &motionBlur{newMotion(line.radius, line.sigma, setup.size, 3)}
}

func (c *motionBlur) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.angle = uniform(rng.Float64(), -45, 45)
}

func (c *motionBlur) apply(image []uint8, draws *draws, out []uint8) {
	c.motion.blur(out, image, draws.angle)
}

// motion smears a byte image along a line (CORRUPT.md 0.2, MotionBlur): the weights are one half of
// a Gaussian that starts at the pixel itself, the sums are rounded to 16 bits and then cut to 8.
type motion struct {
	size     Size
	channels int
	weights  []float64 // by distance, with sum 1
	taps     []tap
	padded   []float64 // 16-bit samples with a border
	sums     []float64 // one row
}

// newMotion makes the filter of a radius and a standard deviation in pixels.
func newMotion(radius, sigma float64, size Size, channels int) *motion {
	weights := make([]float64, 2*int(math.Ceil(radius))+1)
	for i := range weights {
		weights[i] = math.Exp(-float64(i*i) / (2 * sigma * sigma))
	}
	return &motion{
		size: size, channels: channels,
		weights: normalised(weights),
		taps:    make([]tap, len(weights)),
		sums:    make([]float64, size.Width*channels),
	}
}

// shift is a distance in pixels.
type shift struct{ x, y int }

// shifts returns the place of each weight's pixel for a direction in degrees, clockwise from the
// right.
func (m *motion) shifts(angle float64) []shift {
	length := float64(len(m.weights))
	sine, cosine := math.Sincos(angle * (math.Pi / 180))
	down, right := length*sine, length*cosine
	norm := math.Hypot(down, right)
	shifts := make([]shift, len(m.weights))
	for i := range shifts {
		shifts[i] = shift{
			x: int(math.Ceil(float64(i)*right/norm - .5)),
			y: int(math.Ceil(float64(i)*down/norm - .5)),
		}
	}
	return shifts
}

// margins are the distances that the shifts reach beyond each edge.
type margins struct{ top, bottom, left, right int }

func marginsOf(shifts []shift) (m margins) {
	for _, s := range shifts {
		m.top, m.bottom = max(m.top, -s.y), max(m.bottom, s.y)
		m.left, m.right = max(m.left, -s.x), max(m.right, s.x)
	}
	return m
}

// blur writes the image [height, width, channels] smeared in a direction to out, which may be the
// image itself.
func (m *motion) blur(out, image []uint8, angle float64) {
	shifts := m.shifts(angle)
	margins := marginsOf(shifts)
	m.pad(image, margins)
	stride := (margins.left + m.size.Width + margins.right) * m.channels
	for i, s := range shifts {
		m.taps[i] = tap{m.weights[i], (margins.top+s.y)*stride + (margins.left+s.x)*m.channels}
	}
	length := m.size.Width * m.channels
	for y := range m.size.Height {
		sumTaps(m.sums, m.padded[y*stride:], m.taps)
		for i, sum := range m.sums {
			out[y*length+i] = uint8(uint32(sum+.5) / 257)
		}
	}
}

// pad widens the samples to 16 bits and repeats the edges.
func (m *motion) pad(image []uint8, margins margins) {
	width, length := margins.left+m.size.Width+margins.right, m.size.Width*m.channels
	stride := width * m.channels
	m.padded = resize(m.padded, (margins.top+m.size.Height+margins.bottom)*stride)
	for y := range margins.top + m.size.Height + margins.bottom {
		source := nearestBorder(y-margins.top, m.size.Height)
		row := m.padded[y*stride : (y+1)*stride]
		if y > 0 && source == nearestBorder(y-1-margins.top, m.size.Height) {
			copy(row, m.padded[(y-1)*stride:])
			continue
		}
		m.padLine(row, image[source*length:(source+1)*length], margins.left)
	}
}

func (m *motion) padLine(row []float64, line []uint8, left int) {
	start := left * m.channels
	for i, v := range line {
		row[start+i] = float64(257 * int(v))
	}
	for i := start - 1; i >= 0; i-- {
		row[i] = row[i+m.channels]
	}
	for i := start + len(line); i < len(row); i++ {
		row[i] = row[i-m.channels]
	}
}
