package corrupt

import "math"

// droplets shades drops of water: bright where their rim is near, in a slanting light (CORRUPT.md 3, spatter).
type droplets struct {
	size      Size
	canny     *canny
	chamfer   *chamfer
	distances []float32
	height    []uint8
	relief    []uint8
}

// dropletLight is the kernel that makes a relief of the height: light from the lower right.
var dropletLight = [3][3]int{{-2, -1, 0}, {-1, 1, 1}, {0, 1, 2}}

func newDroplets(size Size) *droplets {
	count := size.Height * size.Width
	return &droplets{
		size:      size,
		canny:     newCanny(size, 50, 150),
		chamfer:   newChamfer(size),
		distances: make([]float32, count),
		height:    make([]uint8, count),
		relief:    make([]uint8, count),
	}
}

// shade returns the brightness of each pixel of the liquid, 0..255. The result is valid until the next call.
func (d *droplets) shade(liquid []uint8) []uint8 {
	d.chamfer.transform(d.distances, d.canny.edges(liquid))
	d.fillHeight()
	equaliseHistogram(d.height)
	d.fillRelief()
	d.smoothRelief()
	return d.height
}

// around calls visit with the indices of the 3x3 pixels around (y, x), with a mirrored border.
func (d *droplets) around(y, x int, visit func(row, column, index int)) {
	for row := range 3 {
		start := mirrorBorder(y+row-1, d.size.Height) * d.size.Width
		for column := range 3 {
			visit(row, column, start+mirrorBorder(x+column-1, d.size.Width))
		}
	}
}

// each calls visit for every pixel.
func (d *droplets) each(visit func(y, x, index int)) {
	for y := range d.size.Height {
		for x := range d.size.Width {
			visit(y, x, y*d.size.Width+x)
		}
	}
}

// fillHeight averages the distances, none counted as more than 20 pixels, over 3x3 pixels.
func (d *droplets) fillHeight() {
	d.each(func(y, x, index int) {
		sum := 0.0
		d.around(y, x, func(_, _, i int) { sum += float64(min(d.distances[i], 20)) })
		d.height[index] = uint8(int(float32(sum * (1. / 9))))
	})
}

func (d *droplets) fillRelief() {
	d.each(func(y, x, index int) {
		sum := 0
		d.around(y, x, func(row, column, i int) { sum += dropletLight[row][column] * int(d.height[i]) })
		d.relief[index] = uint8(max(0, min(sum, 255)))
	})
}

// smoothRelief writes the 3x3 means of the relief to height.
func (d *droplets) smoothRelief() {
	d.each(func(y, x, index int) {
		sum := 0
		d.around(y, x, func(_, _, i int) { sum += int(d.relief[i]) })
		d.height[index] = uint8(math.RoundToEven(float64(sum) * (1. / 9)))
	})
}
