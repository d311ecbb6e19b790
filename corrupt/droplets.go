package corrupt

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
