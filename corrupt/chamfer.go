package corrupt

// chamfer computes distances to the nearest edge by two passes over a 5x5 neighbourhood, as OpenCV's distance transform does
// (CORRUPT.md 3, spatter).
type chamfer struct {
	size      Size
	distances []int // with 16 fractional bits, [height+4, width+4]
	steps     []chamferStep
}

// chamferStep is a way to a neighbour that the forward pass has already seen; the backward pass goes the other way.
type chamferStep struct{ offset, length int }

// The lengths of a step along an axis, across a corner, and of a knight's move, times 2^16.
const (
	straightStep = 65536
	cornerStep   = 91750
	knightStep   = 143976
	farAway      = 1 << 29
)

func newChamfer(size Size) *chamfer {
	stride := size.Width + 4
	c := &chamfer{size: size, distances: make([]int, (size.Height+4)*stride)}
	for i := range c.distances {
		c.distances[i] = farAway
	}
	c.steps = []chamferStep{
		{1, straightStep}, {stride, straightStep}, {stride - 1, cornerStep}, {stride + 1, cornerStep},
		{stride - 2, knightStep}, {stride + 2, knightStep}, {2*stride - 1, knightStep}, {2*stride + 1, knightStep},
	}
	return c
}

// transform writes the distance in pixels to the nearest edge.
func (c *chamfer) transform(out []float32, edges []bool) {
	c.forward(edges)
	c.backward()
	for y := range c.size.Height {
		for x := range c.size.Width {
			out[y*c.size.Width+x] = float32(float32(c.distances[c.at(y, x)]) * 0x1p-16)
		}
	}
}

// at is where a pixel lies inside the border.
func (c *chamfer) at(y, x int) int { return (y+2)*(c.size.Width+4) + x + 2 }

func (c *chamfer) forward(edges []bool) {
	for y := range c.size.Height {
		for x := range c.size.Width {
			at := c.at(y, x)
			c.distances[at] = 0
			if edges[y*c.size.Width+x] {
				continue
			}
			nearest := c.distances[at-1] + straightStep
			for _, step := range c.steps {
				nearest = min(nearest, c.distances[at-step.offset]+step.length)
			}
			c.distances[at] = nearest
		}
	}
}

func (c *chamfer) backward() {
	for y := c.size.Height - 1; y >= 0; y-- {
		for x := c.size.Width - 1; x >= 0; x-- {
			at := c.at(y, x)
			nearest := c.distances[at]
			if nearest <= straightStep {
				continue
			}
			for _, step := range c.steps {
				nearest = min(nearest, c.distances[at+step.offset]+step.length)
			}
			c.distances[at] = nearest
		}
	}
}
