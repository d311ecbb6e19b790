package kernel

// Winograd's convolution F(4x4, 3x3) computes tiles of 4 by 4 outputs from 6 by 6 inputs with 36
// products a channel instead of 144: input and kernel are mapped to 36 frequencies, at which a
// convolution is a product of matrices, and the products are mapped back (Lavin and Gray, "Fast
// algorithms for convolutional neural networks", 2016).
const (
	tileSide    = 4 // of a tile's outputs
	patchSide   = 6 // of the inputs that they need
	tapSide     = 3 // of the kernel
	frequencies = patchSide * patchSide
)

// winogradConvolver is one call of convolveWinograd. Its slices are read by all workers.
type winogradConvolver struct {
	*convolver
	tiling
	width           int       // of all blocks
	first, channels int       // output channels: where the blocks begin, and how many they have
	transformed     []float32 // the weights: [frequency][block][input channel][width of the block]
	inputs          spectrum
	outputs         spectrum
	scale           []float32 // [images or 1, output channels]
	zeros           []float32 // read for pixels outside of the image, and as the start of sums
	group           int       // tiles
}

// transformedNumbers is the largest number of transformed weights at a time, unless one block has
// more: wide layers are computed some output channels after the others.
const transformedNumbers = 4 << 20

// winogradGroup is the approximate number of values of both transforms per worker: they stay in its
// second cache.
const winogradGroup = 96 << 10

// convolveWinograd implements Convolve for kernels of 3 by 3, stride 1 and channels that are whole
// vectors.
func (c *convolver) convolveWinograd(kernel []float32) {
	for _, part := range c.parts(transformedNumbers / (frequencies * c.sizes.InputChannels)) {
		part.convolvePartByWinograd(kernel)
	}
}

// parts divides the blocks among convolvers, each with at most the given number of channels, or one
// block.
func (c *convolver) parts(channels int) (all []*convolver) {
	for from := 0; from < len(c.blocks); {
		part, width := *c, 0
		part.blocks = nil
		for from < len(c.blocks) && (width == 0 || width+c.blocks[from].width <= channels) {
			b := c.blocks[from]
			part.start = c.start[b.previous-width : b.previous+b.width]
			b.previous = width
			part.blocks = append(part.blocks, b)
			width += b.width
			from++
		}
		all = append(all, &part)
	}
	return all
}

func (c *convolver) convolvePartByWinograd(kernel []float32) {
	w := &winogradConvolver{convolver: c, tiling: newTiling(c.sizes), width: len(c.start),
		first: c.blocks[0].channel}
	for _, b := range c.blocks {
		w.channels += b.used
	}
	workers := make(perWorker[*winogradWorker], Workers())
	w.transformKernel(len(workers), kernel)
	w.arrange(len(workers))
	Parallel(len(workers), (w.tiles+w.group-1)/w.group, func(worker, i int) {
		workers.of(worker, w.newWorker).convolve(i*w.group, min((i+1)*w.group, w.tiles))
	})
	workers.close()
	giveBack(w.transformed, w.scale, w.zeros)
}

// kernelShare is the number of input channels for which a worker transforms the weights at a time.
const kernelShare = 16

// transformKernel fills the weights: [frequency][block][input channel][block's width].
func (w *winogradConvolver) transformKernel(workers int, kernel []float32) {
	inputs := w.sizes.InputChannels
	w.packAll(workers, kernel)
	w.transformed = borrow(frequencies * inputs * w.width)
	transforms := w.set.transformsFor(w.set.lanes)
	to := multiples(frequencies, inputs*w.width)
	shares := (inputs + kernelShare - 1) / kernelShare
	Parallel(workers, len(w.blocks)*shares, func(_, i int) {
		b, first := w.blocks[i/shares], i%shares*kernelShare
		channels := min(kernelShare, inputs-first)
		from := multiples(w.taps, inputs*b.width)
		work := borrow(tapSide * patchSide * transforms.lanes)
		transforms.kernel(w.packedWeights(b, 0, first), &from[0],
			&w.transformed[b.previous*inputs+first*b.width], &to[0],
			&weightedConstants[0], &work[0], channels*b.width/transforms.lanes)
		giveBack(work)
	})
	giveBack(w.convolver.weights)
}

// arrange chooses the groups and their memory layout.
func (w *winogradConvolver) arrange(workers int) {
	inputs := w.sizes.InputChannels
	fitting := winogradGroup / (frequencies * (inputs + w.width)) / rowsOfGroup * rowsOfGroup
	share := (w.tiles + workers - 1) / workers
	w.group = min(max(fitting, fewestTiles), (share+rowsOfGroup-1)/rowsOfGroup*rowsOfGroup)
	lie := byFrequency
	if inputs+w.width <= narrowChannels {
		lie = byTile
	}
	w.inputs, w.outputs = lie(w.group, inputs), lie(w.group, w.width)
	w.zeros = borrowZeros(max(inputs, w.width))
	w.scale = w.paddedScale()
}

const (
	rowsOfGroup = 8  // divides the tiles of a group: the pixels of the longest tile
	fewestTiles = 32 // of a group
	// narrowChannels is the measured number of channels, of input and output, up to which a tile's
	// frequencies are stored together.
	narrowChannels = 192
)

// paddedScale returns the scale of each image, or ones if there is none.
func (w *winogradConvolver) paddedScale() []float32 {
	outputs := w.sizes.OutputChannels
	scale := borrow(max(outputs, len(w.finish.Scale)))
	if copy(scale, w.finish.Scale) == 0 {
		for i := range scale {
			scale[i] = 1
		}
	}
	return scale
}

// winogradWorker computes one group of tiles after another.
type winogradWorker struct {
	*winogradConvolver
	memory        *scratch
	reader        *imageReader
	input, output []float32 // [frequency][tile][channels], with gaps
	work          []float32
	unused        []float32 // takes the outputs outside of the image
	offsets       []uintptr // of one patch or tile
}

func (w *winogradConvolver) newWorker(memory *scratch) *winogradWorker {
	input := memory.borrow(w.inputs.numbers)
	if w.tiles%rowsOfGroup != 0 {
		clear(input) // the last rows of the last group are read, though nothing was written to them
	}
	return &winogradWorker{
		winogradConvolver: w,
		memory:            memory,
		reader:            w.newReader(memory),
		input:             input,
		output:            memory.borrow(w.outputs.numbers),
		work:              memory.borrow(frequencies * longestVector),
		unused:            memory.borrow(w.sizes.OutputChannels),
		offsets:           make([]uintptr, frequencies),
	}
}

func (w *winogradWorker) close() {
	w.reader.close()
	w.memory.giveBack(w.input, w.output, w.work, w.unused)
}

// convolve computes the tiles from..to-1.
func (w *winogradWorker) convolve(from, to int) {
	first := w.position(from)
	w.transformInputs(first, to-from)
	w.multiply((to - from + rowsOfGroup - 1) / rowsOfGroup * rowsOfGroup)
	w.transformOutputs(first, to-from)
	if w.finish.Residual != nil {
		w.addResiduals(first, to-from)
	}
}

// transformInputs maps the inputs of a number of tiles, from the one at a place on.
func (w *winogradWorker) transformInputs(at tilePosition, tiles int) {
	t := w.set.transformsFor(w.sizes.InputChannels)
	vectors := w.sizes.InputChannels / t.lanes
	for tile := range tiles {
		base, offsets := w.patch(at, w.reader, w.zeros, w.offsets)
		t.input(base, offsets, &w.input[w.inputs.at(tile, 0)], &w.inputs.frequencies[0],
			&inputConstants[0], &w.work[0], vectors)
		at = w.after(at)
	}
}

// transformOutputs maps the products back to the outputs of a number of tiles.
func (w *winogradWorker) transformOutputs(at tilePosition, tiles int) {
	constants, scale := powerConstants, 0
	if w.finish.Rectify {
		constants = rectifyConstants
	}
	if len(w.scale) > w.sizes.OutputChannels {
		scale = w.sizes.OutputChannels // numbers of an image
	}
	t := w.set.transformsFor(w.channels)
	vectors, output := w.channels/t.lanes, w.convolver.output[w.first:]
	for tile := range tiles {
		base, offsets := w.square(at, output, w.unused, w.offsets)
		t.output(&w.output[w.outputs.at(tile, 0)], &w.outputs.frequencies[0], base, offsets,
			&constants[0], &w.work[0], vectors,
			&w.start[0], &w.scale[at.image*scale+w.first])
		at = w.after(at)
	}
}

// addResiduals adds the residual to the outputs of a number of tiles, at once if their pixels
// follow each other: in whole rows of tiles.
func (w *winogradWorker) addResiduals(at tilePosition, tiles int) {
	height, width := w.sizes.Vertical.Output, w.sizes.Horizontal.Output
	for tiles > 0 {
		across, down := min(tiles, w.across-at.column), 1
		if across == w.across {
			down = min(tiles/across, w.down-at.row)
		}
		row, column := at.row*tileSide, at.column*tileSide
		rows, pixels := min(down*tileSide, height-row), min(across*tileSide, width-column)
		first := (at.image*height+row)*width + column
		if pixels == width {
			rows, pixels = 1, rows*width
		}
		for range rows {
			w.addPixels(first, pixels)
			first += width
		}
		tiles -= across * down
		at = w.position(w.index(at) + across*down)
	}
}

// addPixels adds the residual to a number of pixels, from one on.
func (w *winogradWorker) addPixels(first, count int) {
	if w.channels == w.sizes.OutputChannels {
		w.addResidual(first*w.channels, count*w.channels)
		return
	}
	for pixel := first; pixel < first+count; pixel++ {
		w.addResidual(pixel*w.sizes.OutputChannels+w.first, w.channels)
	}
}

// multiply computes, at each frequency, the product of the tiles and the weights.
func (w *winogradWorker) multiply(tiles int) {
	inputs := w.sizes.InputChannels
	here := [1]uintptr{}
	for frequency := range frequencies {
		input := &w.input[w.inputs.at(0, frequency)]
		for _, b := range w.blocks {
			weights := &w.transformed[(frequency*w.width+b.previous)*inputs]
			output := &w.output[w.outputs.at(0, frequency)+b.previous]
			w.set.convolutionTile[b.vectors](input, w.inputs.stride(), &here[0], 1, inputs, weights,
				&w.zeros[0], nil, 0,
				output, w.outputs.stride(), tiles/w.set.tilePixels[b.vectors])
		}
	}
}
