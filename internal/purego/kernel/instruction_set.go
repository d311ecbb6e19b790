package kernel

// InstructionSet is the kernels of one instruction set.
type InstructionSet struct {
	Name string // "AVX-512", "AVX2", "NEON", Portable

	lanes           int    // numbers in a vector
	tilePixels      [4]int // pixels of a convolution's tile, by its number of vectors
	convolutionTile [4]convolutionTile
	// pixels of short tiles, which are for short rows; 0 for none
	shortPixels        int
	shortTile          [4]convolutionTile // nil for none
	planesTile         planesTile         // of two vectors of planeLanes pixels; nil for none
	gradientChannels   int                // input channels of a kernel gradient's tile
	kernelGradientTile [4]kernelGradientTile
	tapTile            [4]tapGradientTile   // by its number of vectors; nil for none
	transforms         []winogradTransforms // the widest first
	passes             *memoryPasses
	// with the same results to the bit, for layers that leave vectors half empty; nil for none
	narrower *InstructionSet
	// the processor computes a vector as two halves, which narrower does as fast
	halved bool
}

// The signatures of the micro-kernels. portable_convolution.go and portable_winograd.go define
// their results.
type (
	convolutionTile func(input *float32, pixelStride uintptr, taps *uintptr, tapCount, channels int,
		weights, start, scale *float32, rectify int, output *float32, outputStride uintptr,
		tiles int)
	planesTile func(input *float32, distance, planeStride uintptr, taps *uintptr, tapCount,
		channels int, weights, start, scale *float32, rectify int, output *float32,
		outputStride uintptr)
	kernelGradientTile func(input *float32, inputRowStride, inputPixelStride uintptr,
		gradient *float32, gradientStride uintptr,
		rows, columns int, taps *uintptr, tapCount int, output *float32, outputStride,
		outputTapStride uintptr)
	tapGradientTile func(input *float32, taps *uintptr, rowSkip, pixelStride uintptr,
		gradient *float32, gradientStride uintptr, rows, columns int, output *float32,
		outputStride uintptr)
	transform func(input *float32, inputOffsets *uintptr, output *float32, outputOffsets *uintptr,
		constants, work *float32, vectors int)
	finishingTransform func(input *float32, inputOffsets *uintptr, output *float32,
		outputOffsets *uintptr,
		constants, work *float32, vectors int, bias, scale *float32)
)

type winogradTransforms struct {
	lanes                                   int // numbers in a vector
	input, gradient, kernel, kernelGradient transform
	output                                  finishingTransform
}

// Available returns the sets that this processor can run, the fastest first. The last one is
// Portable.
func Available() []InstructionSet { return append(assemblySets(), portable) }

// Use makes the functions of this package that pass over memory use the set's. Call it before they
// run, never at the same time.
func (s *InstructionSet) Use() { passes = s.passes }

// block is a range of output channels that one micro-kernel computes.
type block struct {
	channel  int // the first one
	vectors  int
	width    int // channels, rounded up to whole vectors
	used     int // channels that exist
	previous int // channels in the blocks before, rounded up
}

// blocks divides output channels into blocks of at most three vectors and returns the sum of their
// widths. One vector left over is avoided, since short tiles are slow: two blocks of two vectors
// beat three and one.
func (s *InstructionSet) blocks(channels int) (all []block, width int) {
	for channel := 0; channel < channels; {
		vectors := 3
		switch left := channels - channel; {
		case left <= s.lanes:
			vectors = 1
		case left <= 2*s.lanes, left > 3*s.lanes && left <= 4*s.lanes:
			vectors = 2
		}
		b := block{channel: channel, vectors: vectors, width: vectors * s.lanes, previous: width}
		b.used = min(b.width, channels-channel)
		all = append(all, b)
		width += b.width
		channel += b.width
	}
	return all, width
}

// forConvolution returns the set that is faster at a convolution: with few products for an output,
// copying half empty vectors costs more than wide vectors save. Results are the same.
func (s *InstructionSet) forConvolution(c *Convolution) *InstructionSet {
	const few = 128 // products for an output: measured
	switch n := s.narrower; {
	case n == nil:
		return s
	case s.halved && s.wastes(c.OutputChannels):
		return n
	case c.Algorithm() != Direct || c.OutputChannels%n.lanes > 0 || c.OutputChannels%s.lanes == 0:
	case c.products() < few || suitsPlanes(n, c):
		return n
	}
	return s
}

// forKernelGradient is forConvolution for the kernel's gradient. Across images, channels that fill
// two vectors of three or more are no loss.
func (s *InstructionSet) forKernelGradient(c *Convolution) *InstructionSet {
	algorithm := s.GradientAlgorithm(c)
	switch n := s.narrower; {
	case n == nil:
		return s
	case s.halved && s.wastes(c.OutputChannels) &&
		(algorithm != CrossImage || c.OutputChannels < 2*s.lanes):
		return n
	case algorithm == Direct && c.InputChannels <= n.gradientChannels:
		return n
	}
	return s
}

// wastes reports whether a layer takes longer than with narrower if vectors are halved: a single
// vector, or channels that leave the last one half empty. Measured on Zen 4.
func (s *InstructionSet) wastes(channels int) bool {
	return channels%s.narrower.lanes == 0 && (channels == s.lanes || channels%s.lanes != 0)
}

// pixelTile is a micro-kernel for tiles of a number of pixels.
type pixelTile struct {
	pixels  int
	compute convolutionTile
}

// pixelTiles returns the tiles of a number of vectors, the longest first. The last one may be none.
func (s *InstructionSet) pixelTiles(vectors int) [2]pixelTile {
	return [2]pixelTile{{s.tilePixels[vectors], s.convolutionTile[vectors]},
		{s.shortPixels, s.shortTile[vectors]}}
}

// transformsFor returns the widest transforms that divide a number of channels; it panics if none
// does.
func (s *InstructionSet) transformsFor(channels int) *winogradTransforms {
	for i := range s.transforms {
		if channels%s.transforms[i].lanes == 0 {
			return &s.transforms[i]
		}
	}
	panic("kernel: channels that are no whole vectors")
}

// memoryPasses are the kernels that pass over memory: elementwise operations, sums over rows,
// normalisation, pooling and copies. AVX-512 uses AVX2's, because memory sets their speed; NEON has
// the same ones. The types document the arguments; portable_*.go define what each computes.
type memoryPasses struct {
	multiplyRows, addRows, maximumRows elementwiseRows

	multiplySign func(output, gradient, activation *float32, vectors int)

	copyBlocks func(output, input *float32, outputStride, inputStride uintptr, blocks,
		rows int)
	transposeBlocks func(output, input *float32, outputStride, inputStride uintptr, blocks int)

	normaliseRows, normaliseRectifyRows       affineRows
	normaliseAddRows, normaliseAddRectifyRows affineSumRows

	poolRows         func(output, top, bottom *float32, vectors, windows int)
	poolGradientRows func(outputTop, outputBottom, gradient, top, bottom *float32, vectors,
		windows int)
	descend func(parameter, momentum, gradient, settings *float32, vectors int)

	// The others are tables by the number of vectors that a kernel treats.
	sumRows            [13]sumRows
	sumProductRows     [13]sumProductRows
	rectifiedNoiseRows [5]rectifiedNoiseRows
	momentRows         [5]momentRows

	gradientSumRows, gradientSumRowsRectified [5]gradientSumRows
	gradientSumRowsActivated                  [5]activatedSumRows

	normaliseGradientRows, normaliseGradientRowsRectified [5]normaliseGradientRows
}

// elementwiseRows is an operation on rows of vectors of eight, with one row for all on the right.
type elementwiseRows func(output, left, right *float32, vectors, rows int)

// affineRows multiplies rows of vectors of eight by scale and adds shift; affineSumRows also adds
// residual.
type (
	affineRows    func(output, input, scale, shift *float32, vectors, rows int)
	affineSumRows func(output, input, residual, scale, shift *float32, vectors, rows int)
)

// The signatures of the tables. Rows are stride bytes apart.
type (
	sumRows            func(sums, input *float32, stride uintptr, rows int)
	sumProductRows     func(sums, left, right *float32, stride uintptr, rows int)
	rectifiedNoiseRows func(output, gradient, input, scale, scaleSums, outputSums *float32,
		stride uintptr, rows int)
	momentRows      func(sums, squares, input, origin *float32, stride uintptr, rows int)
	gradientSumRows func(sums, products, gradient, input, coefficients *float32,
		stride uintptr, rows int)
	activatedSumRows func(sums, products, masked, gradient, activation, input *float32,
		stride uintptr, rows int)
	normaliseGradientRows func(output, scaleSums, gradient, input, coefficients *float32,
		stride uintptr, rows int)
)

var passes = Available()[0].passes
