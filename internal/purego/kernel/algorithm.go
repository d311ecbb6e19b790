//go:build amd64

package kernel

// Way is an algorithm for a convolution or its kernel's gradient.
type Way string

// The ways.
const (
	Directly   Way = "direct"        // sums the products of the definition, image by image
	ByWinograd Way = "Winograd"      // takes fewer products for kernels of 3 by 3
	Across     Way = "across images" // for images of few pixels, and dense layers
)

// Way is how Convolve computes.
func (c *Convolution) Way() Way {
	switch {
	case c.Samples > 1:
		return Directly
	case c.suitsAcross():
		return Across
	case c.suitsWinograd():
		return ByWinograd
	}
	return Directly
}

// GradientWay is how KernelGradient computes.
func (c *Convolution) GradientWay() Way {
	switch {
	case c.Samples > 1:
		return Directly
	case c.gradientSuitsAcross():
		return Across
	case c.gradientSuitsWinograd():
		return ByWinograd
	}
	return Directly
}

var convolutionWays = map[Way]func(c *convolver, kernel []float32){
	Directly: (*convolver).convolveDirectly, ByWinograd: (*convolver).convolveWinograd, Across: (*convolver).convolveAcross,
}

var gradientWays = map[Way]func(d *differentiator, output []float32){
	Directly: (*differentiator).differentiateDirectly, ByWinograd: (*differentiator).differentiateByWinograd,
	Across: (*differentiator).differentiateAcross,
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
