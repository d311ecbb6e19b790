package augment

import "math"

// canvas is an image that operations change: RGB, pixels [height, width, 3].
type canvas struct {
	pixels, other []uint8 // other is as large, for operations that can't work in place
	height, width int
}

// operation changes an image. amount is its strength, of -10 to 10; the sign chooses the direction,
// if it has one.
type operation struct {
	name string
	run  func(c *canvas, amount float64)
}

// operations lists AugMix's. None is or resembles a test corruption, so contrast, colour,
// brightness and sharpness are missing (Hendrycks et al. 2020, section 3).
var operations = []operation{
	{"autocontrast", func(c *canvas, _ float64) { c.autocontrast() }},
	{"equalise", func(c *canvas, _ float64) { c.equalise() }},
	{"posterise", func(c *canvas, amount float64) {
		c.posterise(4 - whole(math.Abs(amount), 4))
	}},
	{"rotate", func(c *canvas, amount float64) {
		c.rotate(whole(amount, 30))
	}},
	{"solarise", func(c *canvas, amount float64) {
		c.solarise(256 - whole(math.Abs(amount), 256))
	}},
	{"shear_x", func(c *canvas, amount float64) {
		c.transform(affine{1, part(amount, 0.3), 0, 0, 1, 0})
	}},
	{"shear_y", func(c *canvas, amount float64) {
		c.transform(affine{1, 0, 0, part(amount, 0.3), 1, 0})
	}},
	{"translate_x", func(c *canvas, amount float64) {
		c.transform(affine{1, 0, float64(whole(amount, float64(c.width)/3)), 0, 1, 0})
	}},
	{"translate_y", func(c *canvas, amount float64) {
		c.transform(affine{1, 0, 0, 0, 1, float64(whole(amount, float64(c.height)/3))})
	}},
}

// part returns the share amount / 10 of the largest value of a parameter.
func part(amount, largest float64) float64 { return amount * largest / 10 }

// whole returns part without its decimals.
func whole(amount, largest float64) int { return int(part(amount, largest)) }

// autocontrast stretches each channel to 0 to 255.
func (c *canvas) autocontrast() {
	for channel := range 3 {
		low, high := 255, 0
		for i := channel; i < len(c.pixels); i += 3 {
			low, high = min(low, int(c.pixels[i])), max(high, int(c.pixels[i]))
		}
		if high <= low {
			continue
		}
		scale := 255 / float64(high-low)
		offset := -float64(low) * scale
		c.look(channel, func(value int) int { return int(float64(float64(value)*scale) + offset) })
	}
}

// equalise gives each channel a nearly flat histogram.
func (c *canvas) equalise() {
	for channel := range 3 {
		var histogram [256]int
		largest := 0
		for i := channel; i < len(c.pixels); i += 3 {
			histogram[c.pixels[i]]++
			largest = max(largest, int(c.pixels[i]))
		}
		step := (len(c.pixels)/3 - histogram[largest]) / 255
		if step == 0 {
			continue
		}
		var before [256]int // half a step and the pixels below each value
		before[0] = step / 2
		for value := range 255 {
			before[value+1] = before[value] + histogram[value]
		}
		c.look(channel, func(value int) int { return before[value] / step })
	}
}

// posterise keeps the highest bits of each value.
func (c *canvas) posterise(bits int) {
	mask := uint8(0xff << (8 - bits))
	for i := range c.pixels {
		c.pixels[i] &= mask
	}
}

// solarise inverts the values from a threshold on.
func (c *canvas) solarise(threshold int) {
	for i, value := range c.pixels {
		if int(value) >= threshold {
			c.pixels[i] = 255 - value
		}
	}
}

// look maps the values of a channel through a function, cut to 0 to 255.
func (c *canvas) look(channel int, f func(value int) int) {
	var table [256]uint8
	for value := range table {
		table[value] = uint8(min(255, max(0, f(value))))
	}
	for i := channel; i < len(c.pixels); i += 3 {
		c.pixels[i] = table[c.pixels[i]]
	}
}

// affine maps places of the result to places of the image: x' = a x + b y + c, y' = d x + e y + f.
type affine [6]float64

func (a affine) at(x, y float64) (float64, float64) {
	return a[0]*x + a[1]*y + a[2], a[3]*x + a[4]*y + a[5]
}

// rotate turns the image about its centre, counterclockwise by degrees.
func (c *canvas) rotate(degrees int) {
	if degrees == 0 {
		return
	}
	angle := -float64(degrees) * math.Pi / 180
	a := affine{math.Cos(angle), math.Sin(angle), 0, -math.Sin(angle), math.Cos(angle), 0}
	x, y := float64(c.width)/2, float64(c.height)/2
	across, down := a.at(-x, -y)
	a[2], a[5] = across+x, down+y
	c.transform(a)
}

// transform takes each pixel from its place in the map, interpolated between the four nearest.
// Outside the image is black.
func (c *canvas) transform(a affine) {
	for y := range c.height {
		for x := range c.width {
			at := 3 * (y*c.width + x)
			fromX, fromY := a.at(float64(x)+0.5, float64(y)+0.5)
			if fromX < 0 || fromX >= float64(c.width) || fromY < 0 || fromY >= float64(c.height) {
				clear(c.other[at : at+3])
				continue
			}
			c.interpolate(c.other[at:at+3], fromX-0.5, fromY-0.5)
		}
	}
	c.pixels, c.other = c.other, c.pixels
}

// interpolate sets a pixel to the image at a place in pixels from the centre of the first.
func (c *canvas) interpolate(pixel []uint8, x, y float64) {
	left, top := math.Floor(x), math.Floor(y)
	dx, dy := x-left, y-top
	column, row := int(left), int(top)
	l, r := max(0, column), min(c.width-1, column+1)
	t, b := 3*c.width*max(0, row), 3*c.width*min(c.height-1, row+1)
	for channel := range 3 {
		upper := between(c.pixels[t+3*l+channel], c.pixels[t+3*r+channel], dx)
		lower := between(c.pixels[b+3*l+channel], c.pixels[b+3*r+channel], dx)
		pixel[channel] = uint8(upper + float64((lower-upper)*dy))
	}
}

func between(from, to uint8, share float64) float64 {
	return float64(from) + float64((float64(to)-float64(from))*share)
}
