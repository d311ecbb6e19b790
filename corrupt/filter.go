package corrupt

// border maps a position outside 0..length-1 to the position inside that replaces it.
type border func(position, length int) int

// nearestBorder repeats the edge: a a a | a b c d | d d d.
func nearestBorder(position, length int) int {
	return max(0, min(position, length-1))
}

// symmetricBorder mirrors about the edge itself: d c b a | a b c d | d c b a.
func symmetricBorder(position, length int) int {
	if uint(position) < uint(length) {
		return position
	}
	position = modulo(position, 2*length)
	return min(position, 2*length-1-position)
}

// mirrorBorder mirrors about the centre of the edge pixel, which isn't repeated: d c b | a b c d |
// c b a.
func mirrorBorder(position, length int) int {
	switch {
	case uint(position) < uint(length):
		return position
	case length == 1:
		return 0
	}
	position = modulo(position, 2*length-2)
	return min(position, 2*length-2-position)
}

// modulo returns the remainder in 0..n-1.
func modulo(a, n int) int {
	if a %= n; a < 0 {
		a += n
	}
	return a
}

// padRow copies a row of pixels to padded and fills radius pixels on either side by border.
func padRow(padded, row []float64, radius, channels int, border border) {
	width := len(row) / channels
	copy(padded[radius*channels:], row)
	for i := 1; i <= radius; i++ {
		left, right := border(-i, width)*channels, border(width-1+i, width)*channels
		copy(padded[(radius-i)*channels:], row[left:left+channels])
		copy(padded[(radius+width-1+i)*channels:], row[right:right+channels])
	}
}

// tap is one summand of a filter: a weight and where, in a padded image, the row starts that it
// multiplies.
type tap struct {
	weight float64
	offset int
}

// sumTaps writes the weighted sum of rows shifted against each other. The taps are added in their
// order, four a pass.
func sumTaps(out, padded []float64, taps []tap) {
	clear(out)
	for ; len(taps) >= 4; taps = taps[4:] {
		addFourTaps(out, padded, taps[0], taps[1], taps[2], taps[3])
	}
	for _, tap := range taps {
		for i, v := range padded[tap.offset:][:len(out)] {
			out[i] += float64(tap.weight * v)
		}
	}
}

func addFourTaps(out, padded []float64, p, q, r, s tap) {
	a, b := padded[p.offset:][:len(out)], padded[q.offset:][:len(out)]
	c, d := padded[r.offset:][:len(out)], padded[s.offset:][:len(out)]
	for i, sum := range out {
		sum += float64(p.weight * a[i])
		sum += float64(q.weight * b[i])
		sum += float64(r.weight * c[i])
		sum += float64(s.weight * d[i])
		out[i] = sum
	}
}

// correlation applies a square kernel of odd side to each channel, the kernel not flipped, with a
// mirrored border (CORRUPT.md 0.2, Corr). Zero weights cost nothing.
type correlation struct {
	size   Size
	radius int
	taps   []tap
	padded []float64 // [height + 2 radius, width + 2 radius, 3]
}

// newCorrelation makes the filter of a kernel [side, side] for images of one size.
func newCorrelation(kernel []float32, side int, size Size) *correlation {
	c := &correlation{size: size, radius: side / 2}
	stride := c.stride()
	c.padded = make([]float64, (size.Height+2*c.radius)*stride)
	for i, weight := range kernel {
		if weight != 0 {
			c.taps = append(c.taps, tap{float64(weight), i/side*stride + 3*(i%side)})
		}
	}
	return c
}

// stride returns the length of a padded row.
func (c *correlation) stride() int { return 3 * (c.size.Width + 2*c.radius) }

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
		padRow(c.padded[y*stride:(y+1)*stride], values[source*row:(source+1)*row], c.radius, 3,
			mirrorBorder)
	}
}

// normalised divides the values by their sum.
func normalised(values []float64) []float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / sum
	}
	return out
}
