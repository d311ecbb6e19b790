package corrupt

// correlation applies a square kernel of odd side to each channel, the kernel not flipped, with a
// mirrored border (CORRUPT.md 0.2, Corr). Zero weights cost nothing.
type correlation struct {
	size   Size
	radius int
	taps   []tap
	padded []float64 // [height + 2 radius, width + 2 radius, 3]
}

// newCorrelation makes the filter of a kernel [side, side] for images of one size.
func newCorrelation(kernel [][]float64, size Size) *correlation {
	kernel = trimmed(kernel)
	c := &correlation{size: size, radius: len(kernel) / 2}
	stride := c.stride()
	c.padded = make([]float64, (size.Height+2*c.radius)*stride)
	for y, row := range kernel {
		for x, weight := range row {
			if weight != 0 {
				c.taps = append(c.taps, tap{weight, y*stride + 3*x})
			}
		}
	}
	return c
}

// stride is the length of a padded row.
func (c *correlation) stride() int { return 3 * (c.size.Width + 2*c.radius) }

// trimmed cuts rings of zeros off a kernel.
func trimmed(kernel [][]float64) [][]float64 {
	for len(kernel) > 1 && zeroRing(kernel) {
		kernel = kernel[1 : len(kernel)-1]
		inner := make([][]float64, len(kernel))
		for y, row := range kernel {
			inner[y] = row[1 : len(row)-1]
		}
		kernel = inner
	}
	return kernel
}

// zeroRing reports whether the outermost rows and columns are zero.
func zeroRing(kernel [][]float64) bool {
	last := len(kernel) - 1
	for i := range kernel {
		if kernel[0][i] != 0 || kernel[last][i] != 0 || kernel[i][0] != 0 || kernel[i][last] != 0 {
			return false
		}
	}
	return true
}

// filter writes the correlation of values [height, width, 3] to out.
func (c *correlation) filter(out, values []float64) {
	c.pad(values)
	row, stride := 3*c.size.Width, c.stride()
	for y := range c.size.Height {
		sumTaps(out[y*row:(y+1)*row], c.padded[y*stride:], c.taps)
	}
}

func (c *correlation) pad(values []float64) {
	row, stride := 3*c.size.Width, c.stride()
	for y := range c.size.Height + 2*c.radius {
		source := mirrorBorder(y-c.radius, c.size.Height)
		padRow(c.padded[y*stride:(y+1)*stride], values[source*row:(source+1)*row], c.radius, 3, mirrorBorder)
	}
}
