package corrupt

// canny finds edges in grey images as OpenCV's Canny does (CORRUPT.md 3, spatter): Sobel gradients, thinning to ridges, and weak
// edges kept where they touch strong ones.
type canny struct {
	size      Size
	low, high int
	grey      *frame
	x, y      []int  // gradients, [height, width]
	magnitude *frame // |x|+|y|, zero outside
	marks     []uint8
	found     []bool
	stack     []int // strong edges whose neighbours haven't been looked at
}

// What a pixel can be.
const (
	noEdge uint8 = iota
	weakEdge
	strongEdge
)

func newCanny(size Size, low, high int) *canny {
	count := size.Height * size.Width
	return &canny{
		size: size, low: low, high: high,
		grey: newFrame(size), magnitude: newFrame(size),
		x: make([]int, count), y: make([]int, count),
		marks: make([]uint8, count), found: make([]bool, count),
	}
}

// edges returns, per pixel of the grey image, whether it's an edge. The result is valid until the next call.
func (c *canny) edges(grey []uint8) []bool {
	c.fillGradients(grey)
	c.stack = c.stack[:0]
	for y := range c.size.Height {
		for x := range c.size.Width {
			c.mark(y, x)
		}
	}
	c.grow()
	for i, mark := range c.marks {
		c.found[i] = mark == strongEdge
	}
	return c.found
}

// fillGradients applies the Sobel filters with the edge repeated.
func (c *canny) fillGradients(grey []uint8) {
	c.grey.load(grey)
	c.grey.fillBorder(nearestBorder)
	c.grey.each(func(i int, above, here, below *[3]int) {
		c.x[i] = above[2] - above[0] + 2*(here[2]-here[0]) + below[2] - below[0]
		c.y[i] = below[0] + 2*below[1] + below[2] - above[0] - 2*above[1] - above[2]
	})
	for y := range c.size.Height {
		row := c.magnitude.row(y)[1:]
		for x := range c.size.Width {
			i := y*c.size.Width + x
			row[x] = abs(c.x[i]) + abs(c.y[i])
		}
	}
}

// mark decides about one pixel by itself.
func (c *canny) mark(y, x int) {
	i := y*c.size.Width + x
	at := (y+1)*c.magnitude.stride + x + 1
	magnitude := c.magnitude.values[at]
	c.marks[i] = noEdge
	if magnitude <= c.low || !c.ridge(at, c.x[i], c.y[i]) {
		return
	}
	c.marks[i] = weakEdge
	if magnitude > c.high {
		c.marks[i] = strongEdge
		c.stack = append(c.stack, i)
	}
}

// ridge tells whether the magnitude is the largest across the edge. 13573 is the tangent of 22.5 degrees times 2^15.
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
	height, width := c.size.Height, c.size.Width
	for len(c.stack) > 0 {
		i := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		y, x := i/width, i%width
		for row := max(y-1, 0); row <= min(y+1, height-1); row++ {
			for column := max(x-1, 0); column <= min(x+1, width-1); column++ {
				if k := row*width + column; c.marks[k] == weakEdge {
					c.marks[k] = strongEdge
					c.stack = append(c.stack, k)
				}
			}
		}
	}
}

func abs(x int) int { return max(x, -x) }
