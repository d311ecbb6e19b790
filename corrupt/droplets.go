package corrupt

import "math"

// droplets shades drops of water: bright where their rim is near, in a slanting light (CORRUPT.md
// 3, spatter).
type droplets struct {
	size    Size
	canny   *canny
	chamfer *chamfer
	frame   *frame
	shades  []uint8
	sums    []int // of a row
}

// dropletReach is the distance in pixels, times 2^16, from which on the height stays the same.
const dropletReach = 20 << 16

func newDroplets(size Size) *droplets {
	return &droplets{
		size:    size,
		canny:   newCanny(size, 50, 150),
		chamfer: newChamfer(size),
		frame:   newFrame(size),
		shades:  make([]uint8, size.Height*size.Width),
		sums:    make([]int, size.Width),
	}
}

// shade returns the brightness of each pixel of the liquid, 0..255. The result is valid until the
// next call.
func (d *droplets) shade(liquid []uint8) []uint8 {
	d.chamfer.transform(d.frame, d.canny.edges(liquid))
	d.fillHeight()
	d.fillRelief()
	d.smooth()
	return d.shades
}

// fillHeight averages the distances over 3x3 pixels, cuts off fractions and spreads the levels.
func (d *droplets) fillHeight() {
	for i, distance := range d.frame.values {
		d.frame.values[i] = min(distance, dropletReach)
	}
	d.frame.fillBorder(mirrorBorder)
	for y := range d.size.Height {
		d.frame.sumAround(d.sums, y)
		for x, sum := range d.sums {
			d.shades[y*d.size.Width+x] = uint8(int(float32(float64(sum) * 0x1p-16 * (1. / 9))))
		}
	}
	equaliseHistogram(d.shades)
}

// fillRelief lights the height from the lower right.
func (d *droplets) fillRelief() {
	d.loadShades()
	for y := range d.size.Height {
		above, here, below := d.frame.around(y)
		row := d.shades[y*d.size.Width : (y+1)*d.size.Width]
		for x := range row {
			a, h, b := (*[3]int)(above[x:]), (*[3]int)(here[x:]), (*[3]int)(below[x:])
			light := h[1] + h[2] + b[1] + 2*b[2] - 2*a[0] - a[1] - h[0]
			row[x] = uint8(max(0, min(light, 255)))
		}
	}
}

// smooth averages over 3x3 pixels, rounded.
func (d *droplets) smooth() {
	d.loadShades()
	for y := range d.size.Height {
		d.frame.sumAround(d.sums, y)
		for x, sum := range d.sums {
			d.shades[y*d.size.Width+x] = uint8(uint(sum+4) / 9)
		}
	}
}

// loadShades copies the shades to the frame.
func (d *droplets) loadShades() {
	d.frame.load(d.shades)
	d.frame.fillBorder(mirrorBorder)
}

// equaliseHistogram spreads the levels of a grey image evenly over 0..255, in place, as OpenCV's
// equalizeHist does. An image of one level stays unchanged.
func equaliseHistogram(grey []uint8) {
	var histogram [256]int
	for _, v := range grey {
		histogram[v]++
	}
	lowest := 0
	for histogram[lowest] == 0 {
		lowest++
	}
	if histogram[lowest] == len(grey) {
		return
	}
	scale := 255 / float32(len(grey)-histogram[lowest])
	var table [256]uint8
	above := 0
	for v := lowest + 1; v < 256; v++ {
		above += histogram[v]
		table[v] = uint8(math.RoundToEven(float64(float32(above) * scale)))
	}
	for i, v := range grey {
		grey[i] = table[v]
	}
}

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

// fillBorder copies the pixels that replace the ones outside.
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
