package kernel

// Algorithm is an algorithm for a convolution or its kernel's gradient.
type Algorithm string

// The algorithms.
const (
	Direct     Algorithm = "direct"        // sums the products of the definition, image by image
	Winograd   Algorithm = "Winograd"      // takes fewer products for kernels of 3 by 3
	CrossImage Algorithm = "across images" // for images of few pixels, and dense layers
)

// Algorithm is how Convolve computes.
func (c *Convolution) Algorithm() Algorithm {
	switch {
	case c.suitsCrossImage():
		return CrossImage
	case c.suitsWinograd():
		return Winograd
	}
	return Direct
}

// GradientAlgorithm is how KernelGradient computes.
func (s *InstructionSet) GradientAlgorithm(c *Convolution) Algorithm {
	switch {
	case c.gradientSuitsCrossImage():
		return CrossImage
	case s.gradientSuitsWinograd(c):
		return Winograd
	}
	return Direct
}

var convolutionAlgorithms = map[Algorithm]func(c *convolver, kernel []float32){
	Direct: (*convolver).convolveDirect, Winograd: (*convolver).convolveWinograd, CrossImage: (*convolver).convolveCrossImage,
}

var gradientAlgorithms = map[Algorithm]func(d *differentiator, output []float32){
	Direct: (*differentiator).differentiateDirect, Winograd: (*differentiator).differentiateWinograd,
	CrossImage: (*differentiator).differentiateCrossImage,
}

// suitsCrossImage reports whether tiles across images are possible and better than tiles along
// rows.
func (c *Convolution) suitsCrossImage() bool {
	return c.Images >= fewestCrossImages && c.Vertical.Dilation == 1 && c.Horizontal.Dilation == 1 &&
		c.Vertical.Output < tileSide && c.Horizontal.Output < tileSide
}

// gradientSuitsCrossImage is suitsCrossImage for the kernel's gradient, which is better across
// images for all kernels of one tap.
func (c *Convolution) gradientSuitsCrossImage() bool {
	return c.suitsCrossImage() || c.Images >= fewestCrossImages && c.Vertical.Kernel == 1 && c.Horizontal.Kernel == 1
}

// The rules for Winograd's algorithm were measured: with few channels the
// transforms cost more than they save.

// suitsWinograd reports whether Winograd's convolution is possible and faster.
func (c *Convolution) suitsWinograd() bool {
	return c.allowsWinograd() && min(c.InputChannels, c.OutputChannels) >= 16
}

// gradientSuitsWinograd is suitsWinograd for the kernel's gradient. Portable products are so slow
// that it pays for the fewest channels that it allows.
func (s *InstructionSet) gradientSuitsWinograd(c *Convolution) bool {
	narrowest := min(c.InputChannels, c.OutputChannels)
	enough := narrowest >= 32 || narrowest >= 16 && c.Vertical.Output*c.Horizontal.Output <= 256
	return c.allowsWinograd() && (enough || s.Name == Portable)
}

// WithoutWinograd turns Winograd's algorithm off for all convolutions, so that tools and tests can
// compare its rounding with that of the direct one. Set it only while no kernel runs.
var WithoutWinograd bool

// allowsWinograd reports whether Winograd's algorithm is possible.
func (c *Convolution) allowsWinograd() bool {
	if WithoutWinograd {
		return false
	}
	for _, a := range []Axis{c.Vertical, c.Horizontal} {
		if a.Kernel != tapSide || a.Stride != 1 || a.Dilation != 1 {
			return false
		}
	}
	return c.InputChannels%rowLanes == 0 && c.OutputChannels%rowLanes == 0
}
