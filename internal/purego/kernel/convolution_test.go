package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// layerSizes are the sizes of a convolution as a network has them, the same for both axes but for
// the image's sides.
type layerSizes struct {
	images, height, width, inputs, outputs int
	kernel, stride, before, after          int
}

var layers = []layerSizes{
	{2, 8, 8, 3, 24, 3, 1, 1, 1}, {2, 9, 7, 3, 10, 3, 1, 1, 1}, {3, 8, 8, 24, 24, 3, 1, 1, 1},
	{2, 8, 8, 24, 48, 3, 1, 1, 1},
	{1, 10, 10, 24, 24, 3, 2, 1, 1}, {2, 9, 9, 24, 48, 3, 2, 1, 1}, {1, 16, 16, 96, 96, 3, 1, 1, 1},
	{1, 8, 8, 96, 192, 3, 2, 1, 1},
	{2, 7, 5, 192, 10, 1, 1, 0, 0}, {2, 7, 5, 10, 3, 1, 2, 0, 0}, {3, 11, 13, 5, 7, 5, 1, 2, 2},
	{3, 11, 13, 5, 33, 5, 2, 2, 2},
	{2, 12, 12, 16, 32, 3, 3, 1, 1}, {1, 6, 6, 1, 1, 3, 1, 0, 0}, {2, 9, 6, 17, 65, 3, 2, 0, 1},
	{1, 3, 3, 2, 130, 3, 1, 2, 2},
	{9, 5, 4, 40, 56, 3, 1, 1, 1}, {2, 8, 8, 8, 8, 1, 3, 0, 0}, {1, 6, 70, 12, 28, 3, 1, 1, 1},
	{2, 7, 7, 12, 100, 7, 2, 3, 3},
	{2, 8, 8, 48, 48, 2, 2, 0, 0}, {2, 8, 8, 48, 48, 2, 1, 0, 1}, {20, 4, 4, 12, 20, 3, 1, 1, 1},
	{1, 5, 5, 1, 1, 1, 1, 0, 0},
	{2, 10, 9, 11, 191, 3, 1, 0, 2}, {2, 9, 10, 9, 17, 5, 3, 1, 3}, {1, 9, 9, 7, 16, 7, 3, 2, 4},
	{2, 5, 6, 6, 9, 2, 3, 1, 0},
	// Winograd's convolution: tiles that reach beyond the image, images smaller than a tile, one of
	// several groups of tiles.
	{3, 5, 7, 24, 16, 3, 1, 1, 1}, {2, 9, 6, 16, 40, 3, 1, 2, 0}, {1, 3, 3, 16, 16, 3, 1, 0, 0},
	{3, 4, 4, 256, 24, 3, 1, 1, 1},
	{2, 2, 2, 24, 24, 3, 1, 1, 1}, {5, 17, 13, 16, 16, 3, 1, 1, 1}, {1, 8, 8, 32, 136, 3, 1, 2, 2},
	// Tiles across images: fewer images than a tile, a tile that overlaps, taps that are all
	// outside, several groups, features.
	{3, 2, 2, 24, 48, 3, 1, 1, 1}, {9, 2, 2, 300, 40, 3, 1, 1, 1}, {8, 3, 1, 10, 10, 3, 1, 1, 1},
	{11, 3, 3, 5, 31, 5, 2, 2, 2},
	{8, 1, 2, 3, 9, 2, 1, 3, 0}, {101, 1, 1, 40, 10, 1, 1, 0, 0}, {97, 1, 1, 9, 56, 1, 1, 0, 0},
	{9, 7, 5, 20, 10, 1, 1, 0, 0}, {8, 7, 5, 12, 30, 1, 2, 0, 0}, {2, 6, 9, 24, 48, 1, 2, 0, 0},
	{2, 6, 9, 24, 48, 1, 1, 1, 1},
	// Vectors of pixels, the last one of a row partly computed twice and one without a second, and
	// vectors of taps.
	{2, 5, 17, 16, 8, 3, 1, 1, 1}, {1, 3, 16, 8, 8, 3, 1, 1, 1}, {2, 7, 35, 8, 24, 3, 2, 1, 1},
	{1, 6, 20, 8, 8, 2, 1, 0, 1},
}

func (l layerSizes) output(side int) int { return (side+l.before+l.after-l.kernel)/l.stride + 1 }

func (l layerSizes) String() string {
	return fmt.Sprintf("%dx%dx%dx%d to %d, kernel %d, stride %d, padding %d and %d", l.images,
		l.height, l.width, l.inputs, l.outputs,
		l.kernel, l.stride, l.before, l.after)
}

// forward, and backward for the input gradient, are the sizes for Convolve; forward is also that
// for KernelGradient.
func (l layerSizes) forward() Convolution {
	axis := func(side int) Axis {
		return Axis{Input: side, Kernel: l.kernel, Output: l.output(side), Stride: l.stride,
			Dilation: 1, Before: l.before}
	}
	return Convolution{Images: l.images, Vertical: axis(l.height), Horizontal: axis(l.width),
		InputChannels: l.inputs, OutputChannels: l.outputs}
}

func (l layerSizes) backward() Convolution {
	axis := func(side int) Axis {
		return Axis{Input: l.output(side), Kernel: l.kernel, Output: side, Stride: 1,
			Dilation: l.stride, Before: l.kernel - 1 - l.before}
	}
	return Convolution{Images: l.images, Vertical: axis(l.height), Horizontal: axis(l.width),
		InputChannels: l.outputs, OutputChannels: l.inputs, Transposed: true, Reversed: true}
}

// everySet are the names of the sets of all processors.
var everySet = []string{"AVX2", "AVX-512", "NEON", Portable}

// eachSet runs a test with every set that this processor can run; those that it can't are skipped
// with a message.
func eachSet(t *testing.T, test func(t *testing.T, s *InstructionSet)) {
	for _, name := range everySet {
		withSet(t, name, test)
	}
}

// withSet runs a test with one set, whose passes over memory are in use meanwhile.
func withSet(t *testing.T, name string, test func(t *testing.T, s *InstructionSet)) {
	t.Run(name, func(t *testing.T) {
		for _, s := range Available() {
			if s.Name == name {
				before := passes
				defer func() { passes = before }()
				s.Use()
				test(t, &s)
				return
			}
		}
		t.Skipf("this processor has no %s: its kernels were not run", name)
	})
}

func normals(random *rand.Rand, count int) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	return values
}

// layerValues are a layer's input, kernel and gradient of the output.
type layerValues struct{ input, kernel, gradient []float32 }

func (l layerSizes) values() layerValues {
	random := rand.New(rand.NewPCG(1, 2))
	return layerValues{
		input:    normals(random, l.images*l.height*l.width*l.inputs),
		kernel:   normals(random, l.kernel*l.kernel*l.inputs*l.outputs),
		gradient: normals(random, l.images*l.output(l.height)*l.output(l.width)*l.outputs),
	}
}

// product is one product of the sum that a convolution is.
type product struct{ input, kernel, output int } // indices

// products visits all products of a layer, by the definition of a convolution.
func (l layerSizes) products(visit func(p product)) {
	for image := range l.images {
		for row := range l.output(l.height) {
			for column := range l.output(l.width) {
				l.pixelProducts(image, row, column, visit)
			}
		}
	}
}

func (l layerSizes) pixelProducts(image, row, column int, visit func(p product)) {
	output := ((image*l.output(l.height)+row)*l.output(l.width) + column) * l.outputs
	for down := range l.kernel {
		for across := range l.kernel {
			y, x := row*l.stride+down-l.before, column*l.stride+across-l.before
			if y < 0 || y >= l.height || x < 0 || x >= l.width {
				continue
			}
			input := ((image*l.height+y)*l.width + x) * l.inputs
			for in := range l.inputs {
				kernel := ((down*l.kernel+across)*l.inputs + in) * l.outputs
				for out := range l.outputs {
					visit(product{input + in, kernel + out, output + out})
				}
			}
		}
	}
}

// compare reports the worst difference, as a part of the largest wanted value.
func compare(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	largest, worst, at := 0.0, 0.0, 0
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		if difference := math.Abs(float64(got[i]) - w); !(difference <= worst) {
			worst, at = difference, i
		}
	}
	if !(worst <= tolerance*largest) {
		t.Errorf("%s: [%d] got %v, want %v: difference %.2e of the largest value %.3g, tolerance "+
			"%.0e",
			what, at, got[at], want[at], worst/largest, largest, tolerance)
	}
}

func widened(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, value := range values {
		wide[i] = float64(value)
	}
	return wide
}

// of the largest value: sums of up to 2,304 products in float32, by Winograd's algorithm in places
const layerTolerance = 4e-6

func TestConvolutionAgreesWithItsDefinition(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		for _, l := range layers {
			checkLayer(t, s, l)
		}
	})
}

// checkLayer compares a layer's output and gradients with their definition.
func checkLayer(t *testing.T, s *InstructionSet, l layerSizes) {
	t.Helper()
	v, want := l.values(), l.definition()
	got := make([]float32, len(want.output))
	s.Convolve(l.forward(), Finish{}, v.input, v.kernel, got)
	compare(t, l.String()+": output", got, want.output, layerTolerance)
	got = make([]float32, len(want.input))
	s.Convolve(l.backward(), Finish{}, v.gradient, v.kernel, got)
	compare(t, l.String()+": input gradient", got, want.input, layerTolerance)
	got = make([]float32, len(want.kernel))
	s.KernelGradient(l.forward(), v.input, v.gradient, got)
	compare(t, l.String()+": kernel gradient", got, want.kernel, layerTolerance)
}

// layerSums are a layer's output and the gradients of its input and kernel.
type layerSums struct{ output, input, kernel []float64 }

// definitions keeps what all sets are compared with.
var definitions = map[layerSizes]layerSums{}

func (l layerSizes) definition() layerSums {
	if sums, ok := definitions[l]; ok {
		return sums
	}
	v := l.values()
	sums := layerSums{make([]float64, len(v.gradient)), make([]float64, len(v.input)),
		make([]float64, len(v.kernel))}
	l.products(func(p product) {
		x, k, g := float64(v.input[p.input]), float64(v.kernel[p.kernel]),
			float64(v.gradient[p.output])
		sums.output[p.output] += x * k
		sums.input[p.input] += k * g
		sums.kernel[p.kernel] += x * g
	})
	definitions[l] = sums
	return sums
}

func TestFinishAddsThenScalesThenRectifies(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		for _, l := range layers {
			checkFinish(t, s, l)
		}
	})
}

// checkFinish compares a finished layer with the plain one.
func checkFinish(t *testing.T, s *InstructionSet, l layerSizes) {
	t.Helper()
	v := l.values()
	plain, got := make([]float32, len(v.gradient)), make([]float32, len(v.gradient))
	s.Convolve(l.forward(), Finish{}, v.input, v.kernel, plain)
	bias, scale := make([]float32, l.outputs), make([]float32, l.images*l.outputs)
	for i := range scale {
		bias[i%l.outputs], scale[i] = float32(i%5)-2, 1.5-float32(i%4)
	}
	s.Convolve(l.forward(), Finish{Bias: bias, Scale: scale, Rectify: true}, v.input, v.kernel, got)
	want := make([]float64, len(got))
	pixels := l.output(l.height) * l.output(l.width)
	for i, value := range plain {
		image, channel := i/(pixels*l.outputs), i%l.outputs
		want[i] = max(0, float64((value+bias[channel])*scale[image*l.outputs+channel]))
	}
	compare(t, l.String(), got, want, layerTolerance)
}

// A residual is added to what is there without it, to the last bit, by every algorithm.
func TestFinishAddsTheResidualLast(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		acrossImages, inParts := layerSizes{9, 2, 2, 16, 24, 3, 1, 1, 1},
			layerSizes{1, 6, 5, 512, 232, 3, 1, 1, 1}
		for _, l := range slices.Concat(layers, []layerSizes{acrossImages, inParts}) {
			v := l.values()
			for _, finish := range []Finish{
				{}, {Bias: v.kernel[:l.outputs], Scale: v.kernel[:l.outputs], Rectify: true}} {
				checkResidual(t, s, l.forward(), finish, v.input, v.kernel, v.gradient)
			}
			checkResidual(t, s, l.backward(), Finish{}, v.gradient, v.kernel, v.input)
		}
	})
}

// checkResidual compares a convolution with a residual, of the size of its output, and one without.
func checkResidual(t *testing.T, s *InstructionSet, sizes Convolution, finish Finish, input, kernel,
	residual []float32) {
	t.Helper()
	want, got := make([]float32, len(residual)), make([]float32, len(residual))
	s.Convolve(sizes, finish, input, kernel, want)
	for i, value := range residual {
		want[i] += value
	}
	finish.Residual = residual
	s.Convolve(sizes, finish, input, kernel, got)
	compare(t, fmt.Sprintf("%+v", sizes), got, widened(want), 0)
	if sizes.Algorithm() == Direct {
		finish.Residual = slices.Clone(residual)
		s.Convolve(sizes, finish, input, kernel, finish.Residual)
		compare(t, fmt.Sprintf("%+v in place", sizes), finish.Residual, widened(want), 0)
	}
}

// Adding 2.5 to 1e8 gives 1e8 again in float32, and adding 10 gives 1e8 + 8: so the results say in
// which order the terms were added.
func TestSmallProductAddsInTheOrderOfKeptRuns(t *testing.T) {
	row := []float32{1e8, 0, 0, 0, 2.5, 2.5, 2.5, 2.5, 1}
	left := slices.Concat(row, row, row, row)
	right := slices.Repeat([]float32{1, 2}, len(row)) // two columns
	for _, test := range []struct {
		transposed bool
		right      []float32
		want       []float32
	}{
		{false, right, []float32{1e8, 2e8, 1e8, 2e8, 1e8, 2e8, 1e8 + 8, 2e8 + 16}},
		{true, slices.Concat(slices.Repeat([]float32{1}, len(row)),
			slices.Repeat([]float32{2}, len(row))),
			slices.Repeat([]float32{1e8 + 8, 2e8 + 16}, 4)},
	} {
		got := make([]float32, len(test.want))
		SmallProduct(got, left, test.right, len(row), 2, test.transposed)
		if !slices.Equal(got, test.want) {
			t.Errorf("transposed %t: got %v, want %v", test.transposed, got, test.want)
		}
	}
}
