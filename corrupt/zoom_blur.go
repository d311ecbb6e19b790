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
