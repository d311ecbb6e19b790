package corrupt

// canny finds edges in grey images as OpenCV's Canny does (CORRUPT.md 3, spatter): Sobel gradients, thinning to ridges, and weak
// edges kept where they touch strong ones.
type canny struct {
	size      Size
	low, high int
	x, y      []int // gradients, [height, width]
	magnitude []int // |x|+|y|, [height+2, width+2], with a border of zeros
	marks     []uint8
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
		x: make([]int, count), y: make([]int, count), marks: make([]uint8, count),
		magnitude: make([]int, (size.Height+2)*(size.Width+2)),
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
	edges := make([]bool, len(c.marks))
	for i, mark := range c.marks {
		edges[i] = mark == strongEdge
	}
	return edges
}

// fillGradients applies the 3x3 Sobel filters with the edge repeated.
func (c *canny) fillGradients(grey []uint8) {
	height, width := c.size.Height, c.size.Width
	for y := range height {
		above, here := max(y-1, 0)*width, y*width
		below := min(y+1, height-1) * width
		for x := range width {
			left, right := max(x-1, 0), min(x+1, width-1)
			at := func(row, column int) int { return int(grey[row+column]) }
			c.x[here+x] = at(above, right) + 2*at(here, right) + at(below, right) -
				at(above, left) - 2*at(here, left) - at(below, left)
			c.y[here+x] = at(below, left) + 2*at(below, x) + at(below, right) -
				at(above, left) - 2*at(above, x) - at(above, right)
			c.magnitude[(y+1)*(width+2)+x+1] = abs(c.x[here+x]) + abs(c.y[here+x])
		}
	}
}

// mark decides about one pixel by itself.
func (c *canny) mark(y, x int) {
	i := y*c.size.Width + x
	at := (y+1)*(c.size.Width+2) + x + 1
	magnitude := c.magnitude[at]
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
	stride := c.size.Width + 2
	magnitude := c.magnitude[at]
	ax, ay := abs(gradientX), abs(gradientY)<<15
	flat := ax * 13573
	switch {
	case ay < flat:
		return magnitude > c.magnitude[at-1] && magnitude >= c.magnitude[at+1]
	case ay > flat+ax<<16:
		return magnitude > c.magnitude[at-stride] && magnitude >= c.magnitude[at+stride]
	}
	slant := 1
	if gradientX^gradientY < 0 {
		slant = -1
	}
	return magnitude > c.magnitude[at-stride-slant] && magnitude > c.magnitude[at+stride+slant]
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
