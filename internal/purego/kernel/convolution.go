package kernel

const numberBytes = 4 // of a float32

// Convolution is the sizes of a convolution of images [Images, Vertical.Input, Horizontal.Input,
// InputChannels] with a kernel [Vertical.Kernel, Horizontal.Kernel, InputChannels, OutputChannels]
// to [Images, Vertical.Output, Horizontal.Output, OutputChannels].
type Convolution struct {
	Images                        int
	Vertical, Horizontal          Axis
	InputChannels, OutputChannels int
	// the kernel is [..., OutputChannels, InputChannels]
	Transposed bool
	// the kernel is read backwards along both axes, as an input gradient does
	Reversed       bool
	InputRectifier InputRectifier // applied to the input as it's read; nil for none
}

// convolver is one call of Convolve. Its slices are read by all workers.
type convolver struct {
	set           *InstructionSet
	sizes         *Convolution
	finish        Finish
	input, output []float32

	phases []phase
	border border
	blocks []block
	// packed: [block][tap in the order of the phases][input channel][block's width]
	weights []float32
	taps    int       // of all phases
	start   []float32 // the bias, with zeros to whole vectors
}

// Convolve writes the convolution of input with the kernel. It's also the input gradient: of the
// output's gradient, with a dilation, the kernel transposed and reversed.
func (s *InstructionSet) Convolve(sizes Convolution, finish Finish, input, kernel,
	output []float32) {
	s.forConvolution(&sizes).convolveBy(convolutionAlgorithms[sizes.Algorithm()], sizes, finish,
		input, kernel, output)
}

func (s *InstructionSet) convolveBy(algorithm func(c *convolver, kernel []float32),
	sizes Convolution, finish Finish, input, kernel, output []float32) {
	c := &convolver{set: s, sizes: &sizes, finish: finish, input: input, output: output}
	var width int
	c.blocks, width = s.blocks(sizes.OutputChannels)
	c.start = borrowZeros(width)
	copy(c.start, finish.Bias)
	algorithm(c, kernel)
	giveBack(c.start)
}

// convolveDirect sums the products of the definition, image by image.
func (c *convolver) convolveDirect(kernel []float32) {
	var order []int
	c.phases, c.border, order = c.sizes.phases()
	c.taps = len(order)
	workers := make(perWorker[*imageConvolver], Workers())
	c.weights = borrow(len(order) * c.sizes.InputChannels * len(c.start))
	c.packTaps(len(workers), kernel, order)
	Parallel(len(workers), c.sizes.Images, func(worker, image int) {
		workers.of(worker, func(memory *scratch) *imageConvolver {
			return newImageConvolver(c, memory)
		}).convolve(image)
	})
	workers.close()
	giveBack(c.weights)
}

func (c *convolver) newReader(memory *scratch) *imageReader {
	return newImageReader(c.sizes, c.input, memory)
}

// packedWeights returns the weights of a block, from a tap counted over all phases and an input
// channel on.
func (c *convolver) packedWeights(b block, tap, channel int) *float32 {
	return &c.weights[(b.previous*c.taps+tap*b.width)*c.sizes.InputChannels+channel*b.width]
}

// packTaps packs the weights of all blocks and taps, in an order of the taps.
func (c *convolver) packTaps(workers int, kernel []float32, order []int) {
	Parallel(workers, len(c.blocks)*len(order), func(_, i int) {
		place := i % len(order)
		c.pack(c.blocks[i/len(order)], kernel, order[place], place)
	})
}

// pack copies the weights of a block and a tap to their place among all taps, as [input
// channel][width], with zeros beyond the last output channel.
func (c *convolver) pack(b block, kernel []float32, tap, place int) {
	inputs, outputs := c.sizes.InputChannels, c.sizes.OutputChannels
	if c.sizes.Reversed {
		tap = c.sizes.Vertical.Kernel*c.sizes.Horizontal.Kernel - 1 - tap
	}
	weights := kernel[tap*inputs*outputs : (tap+1)*inputs*outputs]
	from := (b.previous*c.taps + place*b.width) * inputs
	packed := c.weights[from : from+inputs*b.width]
	if c.sizes.Transposed {
		packTransposed(packed, weights, b, inputs)
	} else {
		packPlain(packed, weights, b, outputs)
	}
}

// packPlain copies weights [inputs, outputs] of one tap.
func packPlain(packed, weights []float32, b block, outputs int) {
	for from := b.channel; len(packed) > 0; from += outputs {
		copy(packed[:b.used], weights[from:from+b.used])
		clear(packed[b.used:b.width])
		packed = packed[b.width:]
	}
}

// packTransposed copies weights [outputs, inputs] of one tap.
func packTransposed(packed, weights []float32, b block, inputs int) {
	whole := 0 // input channels
	if b.used == b.width && b.width%rowLanes == 0 {
		whole = inputs / rowLanes * rowLanes
	}
	if whole > 0 {
		for j := 0; j < b.used; j += rowLanes {
			passes.transposeBlocks(&packed[j], &weights[(b.channel+j)*inputs],
				uintptr(b.width*numberBytes), uintptr(inputs*numberBytes), whole/rowLanes)
		}
	}
	for channel := whole; channel < inputs; channel++ {
		row := packed[channel*b.width : (channel+1)*b.width]
		clear(row[b.used:])
		for j := range b.used {
			row[j] = weights[(b.channel+j)*inputs+channel]
		}
	}
}

// Algorithm is an algorithm for a convolution or its kernel's gradient.
type Algorithm string

// The algorithms.
const (
	Direct     Algorithm = "direct"        // sums the products of the definition, image by image
	Winograd   Algorithm = "Winograd"      // takes fewer products for kernels of 3 by 3
	CrossImage Algorithm = "across images" // for images of few pixels, and dense layers
)

// Algorithm returns the algorithm of Convolve.
func (c *Convolution) Algorithm() Algorithm {
	switch {
	case c.suitsCrossImage():
		return CrossImage
	case c.suitsWinograd():
		return Winograd
	}
	return Direct
}

// GradientAlgorithm returns the algorithm of KernelGradient.
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
	Direct: (*convolver).convolveDirect, Winograd: (*convolver).convolveWinograd,
	CrossImage: (*convolver).convolveCrossImage,
}

var gradientAlgorithms = map[Algorithm]func(d *differentiator, output []float32){
	Direct:     (*differentiator).differentiateDirect,
	Winograd:   (*differentiator).differentiateWinograd,
	CrossImage: (*differentiator).differentiateCrossImage,
}

// suitsCrossImage reports whether tiles across images are possible and better than tiles along
// rows.
func (c *Convolution) suitsCrossImage() bool {
	return c.Images >= fewestCrossImages && c.Vertical.Dilation == 1 &&
		c.Horizontal.Dilation == 1 &&
		c.Vertical.Output < tileSide && c.Horizontal.Output < tileSide
}

// gradientSuitsCrossImage is suitsCrossImage for the kernel's gradient, which is better across
// images for all kernels of one tap.
func (c *Convolution) gradientSuitsCrossImage() bool {
	return c.suitsCrossImage() || c.Images >= fewestCrossImages && c.Vertical.Kernel == 1 &&
		c.Horizontal.Kernel == 1
}

// The rules for Winograd's algorithm were measured: with few channels the
// transforms cost more than they save.

// suitsWinograd reports whether Winograd's convolution is possible and faster.
func (c *Convolution) suitsWinograd() bool {
	return c.allowsWinograd() && min(c.InputChannels, c.OutputChannels) >= 16
}

// gradientSuitsWinograd is suitsWinograd for the kernel's gradient. Portable products are so slow
// that it's faster even for the fewest allowed channels.
func (s *InstructionSet) gradientSuitsWinograd(c *Convolution) bool {
	narrowest := min(c.InputChannels, c.OutputChannels)
	enough := narrowest >= 32 || narrowest >= 16 && c.Vertical.Output*c.Horizontal.Output <= 256
	return c.allowsWinograd() && (enough || s.Name == Portable)
}

// allowsWinograd reports whether Winograd's algorithm is possible.
func (c *Convolution) allowsWinograd() bool {
	for _, a := range []Axis{c.Vertical, c.Horizontal} {
		if a.Kernel != tapSide || a.Stride != 1 || a.Dilation != 1 {
			return false
		}
	}
	return c.InputChannels%rowLanes == 0 && c.OutputChannels%rowLanes == 0
}

// SmallProduct multiplies matrices that are too small for a convolution: left [rows, inner] and
// right [inner, columns], or [columns, inner] if that is transposed. The order of its sums is part
// of the results of kept runs: four products at a time if right is transposed and in the rows after
// the last three, otherwise one by one.
func SmallProduct(output, left, right []float32, inner, columns int, transposed bool) {
	// step leads to the next term, next to the next column
	rows, step, next := len(left)/inner, columns, 1
	if transposed {
		step, next = 1, inner
	}
	for row := range rows {
		byFour := transposed || row >= rows/3*3
		for column := range columns {
			output[row*columns+column] = smallSum(left[row*inner:][:inner], right[column*next:],
				step, byFour)
		}
	}
}

// smallSum adds the products of left and every step-th number of right. The conversions keep
// processors from fusing products with sums.
func smallSum(left, right []float32, step int, byFour bool) (sum float32) {
	term := func(i int) float32 { return float32(left[i] * right[i*step]) }
	i := 0
	if byFour {
		for ; i+3 < len(left); i += 4 {
			sum += term(i) + term(i+1) + term(i+2) + term(i+3)
		}
	}
	for ; i < len(left); i++ {
		sum += term(i)
	}
	return sum
}
