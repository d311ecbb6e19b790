package corrupt

// frame is a grey image of integers with a border of one pixel, for filters that see 3x3 of them.
type frame struct {
	size   Size
	stride int
	values []int // [height+2, width+2]
}

func newFrame(size Size) *frame {
	stride := size.Width + 2
	return &frame{size, stride, make([]int, (size.Height+2)*stride)}
}

// row returns row y, -1 to height, with the border: its pixel x is at x+1.
func (f *frame) row(y int) []int { return f.values[(y+1)*f.stride : (y+2)*f.stride] }

// fillBorder copies the pixels that stand for those outside.
func (f *frame) fillBorder(border border) {
	height, width := f.size.Height, f.size.Width
	left, right := border(-1, width)+1, border(width, width)+1
	for y := range height {
		row := f.row(y)
		row[0], row[width+1] = row[left], row[right]
	}
	copy(f.row(-1), f.row(border(-1, height)))
	copy(f.row(height), f.row(border(height, height)))
}

// around returns row y and the rows above and below it, with the border.
func (f *frame) around(y int) (above, here, below []int) {
	return f.row(y - 1), f.row(y), f.row(y + 1)
}

// sumAround writes, for each pixel of row y, the sum of the 3x3 values around it.
func (f *frame) sumAround(sums []int, y int) {
	above, here, below := f.around(y)
	here, below = here[:len(above)], below[:len(above)]
	left, middle := 0, 0
	for x := range above {
		right := above[x] + here[x] + below[x]
		if x >= 2 {
			sums[x-2] = left + middle + right
		}
		left, middle = middle, right
	}
}

// load fills the frame, without the border, from bytes.
func (f *frame) load(grey []uint8) {
	for y := range f.size.Height {
		row := f.row(y)[1:]
		for x, v := range grey[y*f.size.Width : (y+1)*f.size.Width] {
			row[x] = int(v)
		}
	}
}
