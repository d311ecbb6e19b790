package kernel

// InputRectifier is applied by a convolution, or its kernel's gradient, to its input as it's read:
//
//	max(number scale + shift, 0)
//
// It writes scale and shift of an image, both [InputChannels], which must be whole vectors. nil
// changes nothing.
type InputRectifier func(image int, scale, shift []float32)

// InputRectifier returns Apply as an input rectifier, for a normalisation that rectifies and has no
// residual.
func (n Normalisation) InputRectifier(p Pixels) InputRectifier {
	n = n.withInverse(make([]float32, p.Channels))
	return func(image int, scale, shift []float32) { n.affine(p, image, scale, shift) }
}

// ScaleRectifier returns ScaleRectify as an input rectifier.
func ScaleRectifier(p Pixels, scales []float32) InputRectifier {
	return func(image int, scale, shift []float32) {
		copy(scale, p.row(scales, image))
		clear(shift)
	}
}

// imageReader reads the images of a convolution's input for one worker. The rectified image stays
// in the core's caches, which is cheaper than a separate pass over memory.
type imageReader struct {
	sizes        *Convolution
	input        []float32
	memory       *scratch
	made         []float32 // of an image, the rows from first to end-1
	scale, shift []float32
	image        int
	first, end   int
}

func newImageReader(sizes *Convolution, input []float32, memory *scratch) *imageReader {
	r := &imageReader{sizes: sizes, input: input, memory: memory, image: -1}
	if sizes.InputRectifier != nil {
		r.made = memory.borrow(r.numbers())
		r.scale, r.shift = memory.borrow(sizes.InputChannels), memory.borrow(sizes.InputChannels)
	}
	return r
}

func (r *imageReader) close() { r.memory.giveBack(r.made, r.scale, r.shift) }

// numbers returns the number of values of an image.
func (r *imageReader) numbers() int {
	return r.sizes.Vertical.Input * r.sizes.Horizontal.Input * r.sizes.InputChannels
}

// whole returns an image.
func (r *imageReader) whole(image int) []float32 { return r.rows(image, 0, r.sizes.Vertical.Input) }

// rows returns an image of which at least the existing rows from first to end-1 may be read.
func (r *imageReader) rows(image, first, end int) []float32 {
	from := r.input[image*r.numbers() : (image+1)*r.numbers()]
	if r.sizes.InputRectifier == nil {
		return from
	}
	first, end = max(first, 0), min(end, r.sizes.Vertical.Input)
	r.enter(image)
	if first < r.first || first > r.end {
		r.first, r.end = first, first
	}
	if r.end < end {
		row := r.sizes.Horizontal.Input * r.sizes.InputChannels
		passes.normaliseRectifyRows(&r.made[r.end*row], &from[r.end*row], &r.scale[0], &r.shift[0],
			r.sizes.InputChannels/rowLanes, (end-r.end)*r.sizes.Horizontal.Input)
		r.end = end
	}
	return r.made
}

// copyRow copies a row of an image.
func (r *imageReader) copyRow(to []float32, image, row int) {
	width := r.sizes.Horizontal.Input
	length := width * r.sizes.InputChannels
	from := r.input[image*r.numbers()+row*length:][:length]
	if r.sizes.InputRectifier == nil {
		copy(to, from)
		return
	}
	r.enter(image)
	passes.normaliseRectifyRows(&to[0], &from[0], &r.scale[0], &r.shift[0],
		r.sizes.InputChannels/rowLanes, width)
}

// enter chooses the scale and shift of an image, of which no row was made yet.
func (r *imageReader) enter(image int) {
	if image != r.image {
		r.sizes.InputRectifier(image, r.scale, r.shift)
		r.image, r.first, r.end = image, 0, 0
	}
}

// Finish lists the steps applied to each output of a convolution before it's written, in order.
type Finish struct {
	Bias []float32 // [OutputChannels], added; nil for none
	// [images of the output, OutputChannels] or [1, OutputChannels], multiplied; nil for none
	Scale   []float32
	Rectify bool // negative results become zero
	// Residual, as many numbers as the output, is added; nil for none. It's read while the output
	// is still in the cache. It may be the output if the algorithm is Direct.
	Residual []float32
}

// fill writes the outputs of a phase that no tap reaches, unless they are there.
func (w *imageConvolver) fill(p *phase, b block, from, to int) {
	if w.filled {
		return
	}
	finished := w.spill[:b.used]
	for i := range finished {
		finished[i] = w.finished(b.previous + i)
	}
	for row := from; row < to; row++ {
		for column := range p.columns.count {
			copy(w.result[w.outputPixel(p, row, column)*w.sizes.OutputChannels+b.channel:],
				finished)
		}
	}
}

// finished returns the output of a channel whose sum over the taps is zero.
func (w *imageConvolver) finished(channel int) float32 {
	value := w.start[channel]
	if w.finish.Scale != nil {
		value *= w.scale[channel]
	}
	if w.finish.Rectify {
		value = max(value, 0)
	}
	return value
}

// finishImage scales and rectifies an image of the output.
func (c *convolver) finishImage(image int, zeros []float32) {
	numbers := c.sizes.outputNumbers()
	output := c.output[image*numbers : (image+1)*numbers]
	if scale := c.scaleOf(image); scale != nil {
		Multiply.eachRow(output, output, scale)
	}
	if c.finish.Rectify {
		Maximum.eachRow(output, output, zeros)
	}
}

// addResidual adds the residual, if any, to a number of outputs, from one on.
func (c *convolver) addResidual(from, count int) {
	if c.finish.Residual != nil {
		addTo(c.output[from:from+count], c.finish.Residual[from:from+count])
	}
}

// scaleOf returns the scale of an image, or nil if there is none.
func (c *convolver) scaleOf(image int) []float32 {
	channels := c.sizes.OutputChannels
	if len(c.finish.Scale) <= channels {
		return c.finish.Scale
	}
	return c.finish.Scale[image*channels : (image+1)*channels]
}
