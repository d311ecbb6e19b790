package main

import (
	"math"
	"math/rand/v2"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// convolutionResult is how far one convolution of the kernels is from float64.
type convolutionResult struct {
	Side     int    `json:"side"` // of the square images
	Channels int    `json:"channels"`
	Kernels  string `json:"kernels"`
	What     string `json:"what"` // output, input gradient or kernel gradient
	// Direct and Winograd are the lengths of the differences as parts of that of the result.
	Direct   float64 `json:"direct"`
	Winograd float64 `json:"winograd"`
}

// convolutionSizes are the sides and channels of the layers of VGG16 for which Winograd's algorithm
// is chosen.
var convolutionSizes = [][2]int{{32, 64}, {16, 128}, {8, 256}, {4, 512}}

// convolved is one convolution with 3 by 3 taps, with its gradients.
type convolved struct {
	side, channels                     int
	input, weights, gradient           []float32
	output, inputGradient, kernelSlope []float64 // in float64
}

const convolvedImages = 8

// newConvolved draws numbers like those of a network: an input after a ReLU, and weights that keep
// its size.
func newConvolved(side, channels int) *convolved {
	random := rand.New(rand.NewPCG(uint64(side), uint64(channels)))
	numbers := convolvedImages * side * side * channels
	c := &convolved{side: side, channels: channels}
	scale := math.Sqrt(2 / float64(9*channels))
	c.input = drawn(numbers, func() float64 { return max(0, random.NormFloat64()) })
	c.gradient = drawn(numbers, random.NormFloat64)
	c.weights = drawn(9*channels*channels, func() float64 { return scale * random.NormFloat64() })
	c.compute()
	return c
}

func drawn(count int, draw func() float64) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(draw())
	}
	return values
}

// compute fills the results in float64, by the definition.
func (c *convolved) compute() {
	c.output, c.inputGradient = make([]float64, len(c.input)), make([]float64, len(c.input))
	c.kernelSlope = make([]float64, len(c.weights))
	for pixel := range convolvedImages * c.side * c.side {
		image, row, column := pixel/(c.side*c.side), pixel/c.side%c.side, pixel%c.side
		for tap := range 9 {
			y, x := row+tap/3-1, column+tap%3-1
			if y >= 0 && y < c.side && x >= 0 && x < c.side {
				c.add(pixel, (image*c.side+y)*c.side+x, tap)
			}
		}
	}
}

// add adds the products of an output pixel with an input pixel.
func (c *convolved) add(to, from, tap int) {
	n := c.channels
	output, slope := c.output[to*n:][:n], c.gradient[to*n:][:n]
	for in := range n {
		x, sum := float64(c.input[from*n+in]), 0.0
		weights, slopes := c.weights[(tap*n+in)*n:][:n], c.kernelSlope[(tap*n+in)*n:][:n]
		for out, w := range weights {
			g := float64(slope[out])
			output[out] += x * float64(w)
			slopes[out] += x * g
			sum += g * float64(w)
		}
		c.inputGradient[from*n+in] += sum
	}
}

// sizes are those of the convolution, or of its input gradient.
func (c *convolved) sizes(backward bool) kernel.Convolution {
	axis := kernel.Axis{Input: c.side, Kernel: 3, Output: c.side, Stride: 1, Dilation: 1, Before: 1}
	return kernel.Convolution{
		Images: convolvedImages, Vertical: axis, Horizontal: axis, InputChannels: c.channels, OutputChannels: c.channels,
		Transposed: backward, Reversed: backward,
	}
}

// errors returns the errors of the three results with a set of kernels, in the order of results.
func (c *convolved) errors(s kernel.InstructionSet) [3]float64 {
	s.Use()
	output, inputGradient := make([]float32, len(c.input)), make([]float32, len(c.input))
	kernelSlope := make([]float32, len(c.weights))
	s.Convolve(c.sizes(false), kernel.Finish{}, c.input, c.weights, output)
	s.Convolve(c.sizes(true), kernel.Finish{}, c.gradient, c.weights, inputGradient)
	s.KernelGradient(c.sizes(false), c.input, c.gradient, kernelSlope)
	return [3]float64{
		relativeError(output, c.output), relativeError(inputGradient, c.inputGradient), relativeError(kernelSlope, c.kernelSlope),
	}
}

var convolutionResults = [3]string{"output", "input gradient", "kernel gradient"}

// relativeError is the length of the difference as a part of that of what is wanted.
func relativeError[T float32 | float64](got []T, want []float64) float64 {
	difference, length := 0.0, 0.0
	for i, value := range want {
		d := float64(got[i]) - value
		difference, length = difference+d*d, length+value*value
	}
	return math.Sqrt(difference / length)
}

// results compares both algorithms with float64, with each set of kernels.
func (c *convolved) results() (all []convolutionResult) {
	defer func() { kernel.WithoutWinograd = false }()
	for _, set := range kernel.Available() {
		kernel.WithoutWinograd = true
		direct := c.errors(set)
		kernel.WithoutWinograd = false
		winograd := c.errors(set)
		for i, what := range convolutionResults {
			all = append(all, convolutionResult{c.side, c.channels, set.Name, what, rounded(direct[i]), rounded(winograd[i])})
		}
	}
	return all
}

// measureConvolutions compares the convolutions of VGG16.
func measureConvolutions() (all []convolutionResult) {
	for _, size := range convolutionSizes {
		all = append(all, newConvolved(size[0], size[1]).results()...)
	}
	return all
}
