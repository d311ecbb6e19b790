package corrupt

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

// start is where a row begins inside the border.
func (c *chamfer) start(y int) int { return (y+2)*c.stride + 2 }

// throughNeighbours is the shortest distance over the five values each of the next row and the row
// after it, and over the pixel next to it.
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
				distance = min(distance, throughNeighbours(beside, (*[5]int)(below[x:]), (*[5]int)(belowThat[x:])))
			}
			c.distances[start+x], beside = distance, distance
		}
	}
}
