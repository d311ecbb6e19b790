package corrupt

// canny finds edges in grey images as OpenCV's Canny does (CORRUPT.md 3, spatter): Sobel gradients,
// thinning to ridges, and weak edges kept where they touch strong ones.
type canny struct {
	size      Size
	low, high int
	grey      *frame
	x, y      *frame  // gradients
	magnitude *frame  // |x|+|y|, zero outside
	marks     []uint8 // of each pixel, with the frames' border
	found     []bool
	stack     []int // strong edges whose neighbours haven't been looked at
}

// The states of a pixel.
const (
	noEdge uint8 = iota
	weakEdge
	strongEdge
)

func newCanny(size Size, low, high int) *canny {
	c := &canny{
		size: size, low: low, high: high,
		grey: newFrame(size), x: newFrame(size), y: newFrame(size), magnitude: newFrame(size),
		found: make([]bool, size.Height*size.Width),
	}
	c.marks = make([]uint8, len(c.grey.values))
	return c
}

// edges returns, per pixel of the grey image, whether it's an edge. The result is valid until the
// next call.
func (c *canny) edges(grey []uint8) []bool {
	c.fillGradients(grey)
	c.mark()
	c.grow()
	for y := range c.size.Height {
		marks := c.marks[(y+1)*c.grey.stride+1:]
		for x := range c.size.Width {
			c.found[y*c.size.Width+x] = marks[x] == strongEdge
		}
	}
	return c.found
}

// fillGradients applies the Sobel filters with the edge repeated.
func (c *canny) fillGradients(grey []uint8) {
	c.grey.load(grey)
	c.grey.fillBorder(nearestBorder)
	for y := range c.size.Height {
		above, here, below := c.grey.around(y)
		rights, downs, magnitudes := c.x.row(y)[1:], c.y.row(y)[1:], c.magnitude.row(y)[1:]
		for x := range c.size.Width {
			a, h, b := (*[3]int)(above[x:]), (*[3]int)(here[x:]), (*[3]int)(below[x:])
			right := a[2] - a[0] + 2*(h[2]-h[0]) + b[2] - b[0]
			down := b[0] + 2*b[1] + b[2] - a[0] - 2*a[1] - a[2]
			rights[x], downs[x], magnitudes[x] = right, down, abs(right)+abs(down)
		}
	}
}

// mark decides about each pixel by itself.
func (c *canny) mark() {
	clear(c.marks)
	c.stack = c.stack[:0]
	for at, magnitude := range c.magnitude.values {
		if magnitude <= c.low || !c.ridge(at, c.x.values[at], c.y.values[at]) {
			continue
		}
		c.marks[at] = weakEdge
		if magnitude > c.high {
			c.marks[at] = strongEdge
			c.stack = append(c.stack, at)
		}
	}
}

// ridge reports whether the magnitude is the largest across the edge. 13573 is the tangent of 22.5
// degrees times 2^15.
func (c *canny) ridge(at, gradientX, gradientY int) bool {
	stride, values := c.magnitude.stride, c.magnitude.values
	magnitude := values[at]
	ax, ay := abs(gradientX), abs(gradientY)<<15
	flat := ax * 13573
	switch {
	case ay < flat:
		return magnitude > values[at-1] && magnitude >= values[at+1]
	case ay > flat+ax<<16:
		return magnitude > values[at-stride] && magnitude >= values[at+stride]
	}
	slant := 1
	if gradientX^gradientY < 0 {
		slant = -1
	}
	return magnitude > values[at-stride-slant] && magnitude > values[at+stride+slant]
}

// grow makes weak edges strong that touch a strong one, also across a corner.
func (c *canny) grow() {
	stride := c.grey.stride
	for len(c.stack) > 0 {
		at := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		for row := at - stride; row <= at+stride; row += stride {
			for k, mark := range c.marks[row-1 : row+2] {
				if mark == weakEdge {
					c.marks[row-1+k] = strongEdge
					c.stack = append(c.stack, row-1+k)
				}
			}
		}
	}
}

func abs(x int) int { return max(x, -x) }

// chamfer computes distances to the nearest edge by two passes over a 5x5 neighbourhood, as
// OpenCV's distance transform does (CORRUPT.md 3, spatter).
type chamfer struct {
	size      Size
	stride    int
	distances []int // with 16 fractional bits, [height+4, width+4]
}

// The lengths of a step along an axis, across a corner, and of a knight's move, times 2^16.
const (
	straightStep = 65536
	cornerStep   = 91750
	knightStep   = 143976
	farAway      = 1 << 29
)

func newChamfer(size Size) *chamfer {
	stride := size.Width + 4
	c := &chamfer{size, stride, make([]int, (size.Height+4)*stride)}
	for i := range c.distances {
		c.distances[i] = farAway
	}
	return c
}

// transform writes the distances, with 16 fractional bits, to the pixels of a frame.
func (c *chamfer) transform(out *frame, edges []bool) {
	c.forward(edges)
	c.backward()
	for y := range c.size.Height {
		copy(out.row(y)[1:c.size.Width+1], c.distances[c.start(y):])
	}
}

func (c *chamfer) start(y int) int { return (y+2)*c.stride + 2 }

// throughNeighbours returns the shortest distance over the five values each of the next row and the
// row after it, and over the pixel next to it.
func throughNeighbours(beside int, next, afterNext *[5]int) int {
	straight := min(beside, next[2]) + straightStep
	corner := min(next[1], next[3]) + cornerStep
	knight := min(next[0], next[4], afterNext[1], afterNext[3]) + knightStep
	return min(straight, corner, knight)
}

// forward looks up and to the left.
func (c *chamfer) forward(edges []bool) {
	for y := range c.size.Height {
		start := c.start(y)
		above, aboveThat := c.distances[start-c.stride-2:], c.distances[start-2*c.stride-2:]
		beside := farAway
		for x, edge := range edges[y*c.size.Width : (y+1)*c.size.Width] {
			if edge {
				beside = 0
			} else {
				beside = throughNeighbours(beside, (*[5]int)(above[x:]), (*[5]int)(aboveThat[x:]))
			}
			c.distances[start+x] = beside
		}
	}
}

// backward looks down and to the right.
func (c *chamfer) backward() {
	for y := c.size.Height - 1; y >= 0; y-- {
		start := c.start(y)
		below, belowThat := c.distances[start+c.stride-2:], c.distances[start+2*c.stride-2:]
		beside := farAway
		for x := c.size.Width - 1; x >= 0; x-- {
			distance := c.distances[start+x]
			if distance > straightStep {
				distance = min(distance, throughNeighbours(beside, (*[5]int)(below[x:]),
					(*[5]int)(belowThat[x:])))
			}
			c.distances[start+x], beside = distance, distance
		}
	}
}
