package corrupt

import "math"

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
	return zoomSource{start + whole, start + min(whole+1, crop-1), [2]float64{1 - fraction, fraction}}
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
		pixel[0] = float64(a[0]*left) + float64(b[0]*right) + float64(c[0]*left) + float64(d[0]*right)
		pixel[1] = float64(a[1]*left) + float64(b[1]*right) + float64(c[1]*left) + float64(d[1]*right)
		pixel[2] = float64(a[2]*left) + float64(b[2]*right) + float64(c[2]*left) + float64(d[2]*right)
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
