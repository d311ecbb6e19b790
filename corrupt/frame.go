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

// each calls visit with the index of each pixel and the three values each above, at and below it.
func (f *frame) each(visit func(index int, above, here, below *[3]int)) {
	index := 0
	for y := range f.size.Height {
		above, here, below := f.row(y-1), f.row(y), f.row(y+1)
		for x := range f.size.Width {
			visit(index, (*[3]int)(above[x:]), (*[3]int)(here[x:]), (*[3]int)(below[x:]))
			index++
		}
	}
}

// total adds the 3x3 values.
func total(above, here, below *[3]int) int {
	return above[0] + above[1] + above[2] + here[0] + here[1] + here[2] + below[0] + below[1] + below[2]
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
