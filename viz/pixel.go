package viz

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// pixel is the side of one pixel of a PNG, in points.
const pixel = vg.Inch / pixelsPerInch

// wholePixels rounds a length up to whole pixels, forgiving rounding errors of the arithmetic before.
func wholePixels(length vg.Length) vg.Length {
	return pixel * vg.Length(math.Ceil(float64(length/pixel)-1e-6))
}
