package kernel

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
		reader:            newImageReader(w.sizes, w.convolver.input, memory),
		input:             input,
		output:            memory.borrow(w.outputs.numbers),
		work:              memory.borrow(frequencies * longestVector),
		unused:            memory.borrow(w.sizes.OutputChannels),
		offsets:           make([]uintptr, frequencies),
	}
}

func (w *winogradWorker) close() {
	if w != nil {
		w.reader.close()
		w.memory.giveBack(w.input, w.output, w.work, w.unused)
	}
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
		t.input(base, offsets, &w.input[w.inputs.at(tile, 0)], &w.inputs.frequencies[0], &inputConstants[0], &w.work[0], vectors)
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
		t.output(&w.output[w.outputs.at(tile, 0)], &w.outputs.frequencies[0], base, offsets, &constants[0], &w.work[0], vectors,
			&w.start[0], &w.scale[at.image*scale+w.first])
		at = w.after(at)
	}
}

// addResiduals adds the residual to the outputs of a number of tiles, at once where their pixels
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
			w.set.convolutionTile[b.vectors](input, w.inputs.stride(), &here[0], 1, inputs, weights, &w.zeros[0], nil, 0,
				output, w.outputs.stride(), tiles/w.set.tilePixels[b.vectors])
		}
	}
}
