package corrupt

import "math"

// zoomBlurFactors are the largest factor and the distance of the factors.
var zoomBlurFactors = levels[struct{ stop, step float64 }]{
	CIFAR:    {{1.06, .01}, {1.11, .01}, {1.16, .01}, {1.21, .01}, {1.26, .01}},
	Tiny:     {{1.06, .01}, {1.11, .01}, {1.16, .01}, {1.21, .01}, {1.26, .01}},
	ImageNet: {{1.11, .01}, {1.16, .01}, {1.21, .02}, {1.26, .02}, {1.31, .03}},
}

// zoomBlur averages the image with enlarged versions of itself, as when the camera moves forward
// (CORRUPT.md 2).
type zoomBlur struct {
	deterministic
	zooms          []repeatedZoom
	count          float32 // of the images in the average
	values, zoomed []float64
	sums           []float32
}

// repeatedZoom is added several times because several factors give the same image.
type repeatedZoom struct {
	*clippedZoom
	times int
}

func newZoomBlur(setup setup) operator {
	c := &zoomBlur{
		values: make([]float64, setup.size.Values()),
		zoomed: make([]float64, setup.size.Values()),
		sums:   make([]float32, setup.size.Values()),
	}
	factors := zoomFactors(zoomBlurFactors.at(setup).stop, zoomBlurFactors.at(setup).step)
	for _, factor := range factors {
		c.add(newClippedZoom(factor, setup.size, 3))
	}
	c.count = float32(len(factors) + 1)
	return c
}

// zoomFactors runs from 1 in steps; rounding lets some of the ends in, as in the reference.
func zoomFactors(stop, step float64) []float64 {
	factors := make([]float64, int(math.Ceil((stop-1)/step)))
	for i := range factors {
		factors[i] = 1 + float64(float64(i)*((1+step)-1))
	}
	return factors
}

func (c *zoomBlur) add(zoom *clippedZoom) {
	if last := len(c.zooms) - 1; last >= 0 && c.zooms[last].same(zoom) {
		c.zooms[last].times++
		return
	}
	c.zooms = append(c.zooms, repeatedZoom{zoom, 1})
}

func (c *zoomBlur) apply(image []uint8, _ *draws, out []uint8) {
	for i, v := range image {
		c.values[i] = float64(unitSingle[v])
	}
	clear(c.sums)
	for _, zoom := range c.zooms {
		source := c.values
		if !zoom.identity() {
			zoom.zoom(c.zoomed, c.values)
			source = c.zoomed
		}
		for range zoom.times {
			addSingle(c.sums, source)
		}
	}
	for i, v := range image {
		out[i] = quantise((unitSingle[v] + c.sums[i]) / c.count)
	}
}

func addSingle(sums []float32, values []float64) {
	values = values[:len(sums)]
	for i, v := range values {
		sums[i] += float32(v)
	}
}

// clippedZoom enlarges the middle of an image so that it fills the whole (CORRUPT.md 0.2,
// ClippedZoom and Zoom1): bilinear, corner to corner, in double precision.
type clippedZoom struct {
	size     Size
	channels int
	rows     zoomAxis
	columns  zoomAxis
	weighted [2][]float64 // two source rows times their weights
}

// zoomAxis is the geometry along one axis: the source of each new row or column.
type zoomAxis struct {
	start, crop, length int // the positions that are enlarged, how many they are, and to how many
	sources             []zoomSource
}

// zoomSource mixes two neighbouring positions.
type zoomSource struct {
	first, second int
	weights       [2]float64
}

// newClippedZoom makes the zoom by a factor of at least 1.
func newClippedZoom(factor float64, size Size, channels int) *clippedZoom {
	z := &clippedZoom{size: size, channels: channels}
	z.rows, z.columns = newZoomAxis(factor, size.Height), newZoomAxis(factor, size.Width)
	z.weighted[0] = make([]float64, size.Width*channels)
	z.weighted[1] = make([]float64, size.Width*channels)
	return z
}

func newZoomAxis(factor float64, side int) zoomAxis {
	crop := int(math.Ceil(float64(side) / factor))
	start := (side - crop) / 2
	length := int(math.RoundToEven(float64(crop) * factor))
	trim := (length - side) / 2
	axis := zoomAxis{start, crop, length, make([]zoomSource, side)}
	for i := range axis.sources {
		axis.sources[i] = zoomSourceAt(i+trim, crop, length, start)
	}
	return axis
}

// zoomSourceAt returns the source of position i of length enlarged ones.
func zoomSourceAt(i, crop, length, start int) zoomSource {
	coordinate := 0.0
	if length > 1 {
		coordinate = float64(i) * (float64(crop-1) / float64(length-1))
	}
	coordinate = min(coordinate, float64(crop-1))
	whole := int(coordinate)
	fraction := coordinate - float64(whole)
	return zoomSource{start + whole, start + min(whole+1, crop-1),
		[2]float64{1 - fraction, fraction}}
}

// identity reports whether the zoom changes nothing.
func (z *clippedZoom) identity() bool {
	return z.rows.crop == z.size.Height && z.rows.length == z.size.Height &&
		z.columns.crop == z.size.Width && z.columns.length == z.size.Width
}

// same reports whether two zooms give the same image: factors close together often do.
func (z *clippedZoom) same(other *clippedZoom) bool {
	return z.rows.crop == other.rows.crop && z.rows.length == other.rows.length &&
		z.columns.crop == other.columns.crop && z.columns.length == other.columns.length
}

// zoom writes the enlarged middle of values [height, width, channels] to out.
func (z *clippedZoom) zoom(out, values []float64) {
	length := z.size.Width * z.channels
	first, last := z.columns.start*z.channels, (z.columns.start+z.columns.crop)*z.channels
	for y, source := range z.rows.sources {
		scale(z.weighted[0][first:last], values[source.first*length+first:], source.weights[0])
		scale(z.weighted[1][first:last], values[source.second*length+first:], source.weights[1])
		row := out[y*length : (y+1)*length]
		if z.channels == 3 {
			z.zoomColours(row)
		} else {
			z.zoomGrey(row)
		}
	}
}

// zoomColours mixes the columns of two weighted rows of three channels.
func (z *clippedZoom) zoomColours(out []float64) {
	upper, lower := z.weighted[0], z.weighted[1]
	for x := range z.columns.sources {
		source := &z.columns.sources[x]
		left, right := source.weights[0], source.weights[1]
		a, b := (*[3]float64)(upper[3*source.first:]), (*[3]float64)(upper[3*source.second:])
		c, d := (*[3]float64)(lower[3*source.first:]), (*[3]float64)(lower[3*source.second:])
		pixel := (*[3]float64)(out[3*x:])
		pixel[0] = float64(a[0]*left) + float64(b[0]*right) + float64(c[0]*left) +
			float64(d[0]*right)
		pixel[1] = float64(a[1]*left) + float64(b[1]*right) + float64(c[1]*left) +
			float64(d[1]*right)
		pixel[2] = float64(a[2]*left) + float64(b[2]*right) + float64(c[2]*left) +
			float64(d[2]*right)
	}
}

// zoomGrey does the same for one channel.
func (z *clippedZoom) zoomGrey(out []float64) {
	upper, lower := z.weighted[0], z.weighted[1]
	for x, source := range z.columns.sources {
		left, right := source.weights[0], source.weights[1]
		sum := float64(upper[source.first]*left) + float64(upper[source.second]*right)
		out[x] = sum + float64(lower[source.first]*left) + float64(lower[source.second]*right)
	}
}
