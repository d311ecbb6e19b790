//go:build amd64

package kernel

// way chooses how to convolve.
func (c *Convolution) way() func(c *convolver, kernel []float32) {
	switch {
	case c.Samples > 1:
		return (*convolver).convolveDirectly
	case c.suitsAcross():
		return (*convolver).convolveAcross
	case c.suitsWinograd():
		return (*convolver).convolveWinograd
	}
	return (*convolver).convolveDirectly
}

// gradientWay chooses how to compute the kernel's gradient.
func (c *Convolution) gradientWay() func(d *differentiator, output []float32) {
	switch {
	case c.Samples > 1:
		return (*differentiator).differentiateDirectly
	case c.gradientSuitsAcross():
		return (*differentiator).differentiateAcross
	case c.gradientSuitsWinograd():
		return (*differentiator).differentiateByWinograd
	}
	return (*differentiator).differentiateDirectly
}

// suitsAcross says whether tiles across images are possible and better than tiles along rows.
func (c *Convolution) suitsAcross() bool {
	return c.Images >= fewestAcross && c.Vertical.Dilation == 1 && c.Horizontal.Dilation == 1 &&
		c.Vertical.Output < tileSide && c.Horizontal.Output < tileSide
}

// gradientSuitsAcross is suitsAcross for the kernel's gradient, which is better across images for all kernels of one tap.
func (c *Convolution) gradientSuitsAcross() bool {
	return c.suitsAcross() || c.Images >= fewestAcross && c.Vertical.Kernel == 1 && c.Horizontal.Kernel == 1
}

// The rules for Winograd's way were read from BenchmarkWays: with few channels the transforms cost more than they save.

// suitsWinograd says whether Winograd's convolution is possible and worth it.
func (c *Convolution) suitsWinograd() bool {
	return c.allowsWinograd() && min(c.InputChannels, c.OutputChannels) >= 16
}

// gradientSuitsWinograd is suitsWinograd for the kernel's gradient.
func (c *Convolution) gradientSuitsWinograd() bool {
	narrowest := min(c.InputChannels, c.OutputChannels)
	return c.allowsWinograd() && (narrowest >= 32 || narrowest >= 16 && c.Vertical.Output*c.Horizontal.Output <= 256)
}

// allowsWinograd says whether Winograd's way is possible.
func (c *Convolution) allowsWinograd() bool {
	for _, a := range []Axis{c.Vertical, c.Horizontal} {
		if a.Kernel != tapSide || a.Stride != 1 || a.Dilation != 1 {
			return false
		}
	}
	return c.InputChannels%rowLanes == 0 && c.OutputChannels%rowLanes == 0
}
