package kernel

// A pass over rows of an image uses weightBytes of packed weights, which stay in the first cache,
// on passPixels pixels, or on one row if that has more.
const (
	weightBytes = 48 << 10
	passPixels  = 64
)

// imageConvolver convolves one image after another.
type imageConvolver struct {
	*convolver
	memory *scratch
	reader *imageReader
	padded []float32 // the image inside its zeros, or the image itself if it needs none
	edge   []float32 // the pixels of one tile if the image isn't padded
	scale  []float32 // of this image, with zeros to whole vectors
	spill  []float32 // one tile, for tiles of which only a part is written
	planes *planes   // of the image; nil if its pixels are read unchanged
	image  int
	result []float32 // the image's output, or made
	made   []float32 // the output before a residual is added, unless result has it; otherwise nil
	filled bool      // made has values that no tap writes, from another image
}

// newImageConvolver returns a worker of a convolution with its buffers.
func newImageConvolver(c *convolver, memory *scratch) *imageConvolver {
	const longestTile = 8 // pixels; the last tile of the last row may read as many beyond its end
	w := &imageConvolver{
		convolver: c,
		memory:    memory,
		reader:    c.newReader(memory),
		scale:     memory.borrowZeros(len(c.start)),
		spill:     memory.borrow(longestTile * 3 * c.set.lanes),
	}
	// In a buffer, what no tap reaches stays from one image to the next.
	if r := c.finish.Residual; r != nil && (&r[0] == &c.output[0] || len(c.phases) > 1) {
		w.made = memory.borrow(c.sizes.outputNumbers())
	}
	switch {
	case suitsPlanes(c.set, c.sizes):
		w.planes = newPlanes(c, memory)
	case readsImages(c):
		w.edge = memory.borrowZeros(longestTile * c.sizes.InputChannels)
	default:
		beyond := longestTile * max(c.sizes.Horizontal.Stride, 1)
		w.padded = memory.borrowZeros((c.border.height*c.border.width +
			beyond) * c.sizes.InputChannels)
	}
	return w
}

// readsImages reports whether images are read where they are: when kernels have one tap and no
// output reads beyond the image.
func readsImages(c *convolver) bool {
	return c.sizes.Vertical.Kernel == 1 && c.sizes.Horizontal.Kernel == 1 &&
		c.sizes.Vertical.Before == 0 && c.sizes.Horizontal.Before == 0 &&
		c.border == border{height: c.sizes.Vertical.Input, width: c.sizes.Horizontal.Input}
}

func (w *imageConvolver) close() {
	w.reader.close()
	w.memory.giveBack(w.scale, w.spill, w.edge, w.made)
	switch {
	case w.planes != nil:
		w.planes.close()
	case w.edge == nil:
		w.memory.giveBack(w.padded)
	}
}

// convolve computes one image.
func (w *imageConvolver) convolve(image int) {
	numbers := w.sizes.outputNumbers()
	output := w.output[image*numbers:][:numbers]
	w.image, w.result = image, output
	if w.made != nil {
		w.result = w.made
	}
	w.chooseScale()
	if w.planes != nil {
		w.convolvePlanes()
	} else {
		w.pad()
		w.convolvePixels()
	}
	if w.finish.Residual != nil {
		Add.eachRow(output, w.result, w.finish.Residual[image*numbers:][:numbers])
		w.filled = w.made != nil && w.finish.Scale == nil
	}
}

// convolvePixels computes the image pixel by pixel.
func (w *imageConvolver) convolvePixels() {
	for i := range w.phases {
		p := &w.phases[i]
		group := max(1, passPixels/p.columns.count)
		for _, b := range w.blocks {
			for row := 0; row < p.rows.count; row += group {
				w.rows(p, b, row, min(row+group, p.rows.count))
			}
		}
	}
}

// pad copies the image inside its zeros if it needs them.
func (w *imageConvolver) pad() {
	if readsImages(w.convolver) {
		w.padded = w.reader.whole(w.image)
		return
	}
	for row := range w.sizes.Vertical.Input {
		to := ((row+w.border.top)*w.border.width + w.border.left) * w.sizes.InputChannels
		w.reader.copyRow(w.padded[to:], w.image, row)
	}
}

// chooseScale copies the image's scale.
func (w *imageConvolver) chooseScale() {
	if w.finish.Scale == nil {
		return
	}
	channels, row := w.sizes.OutputChannels, w.image
	if len(w.finish.Scale) == channels {
		row = 0
	}
	copy(w.scale, w.finish.Scale[row*channels:(row+1)*channels])
}

// rows computes some rows of a phase for one block of channels.
func (w *imageConvolver) rows(p *phase, b block, from, to int) {
	if len(p.taps) == 0 {
		w.fill(p, b, from, to)
		return
	}
	column := 0
	if b.used == b.width {
		for _, t := range w.set.pixelTiles(b.vectors) {
			if t.compute == nil || p.columns.count-column < t.pixels {
				continue
			}
			count := (p.columns.count - column) / t.pixels
			w.fullTiles(p, b, from, to, column, count, t)
			column += count * t.pixels
		}
	}
	for row := from; row < to; row++ {
		for at := column; at < p.columns.count; at += w.set.tilePixels[b.vectors] {
			w.partTile(p, b, row, at)
		}
	}
}

// fullTiles computes a number of full tiles, from a column on. It takes as many taps at a time as
// keep their weights in the cache.
func (w *imageConvolver) fullTiles(p *phase, b block, from, to, column, tiles int, tile pixelTile) {
	channels, outputs := w.sizes.InputChannels, w.sizes.OutputChannels
	most := max(1, weightBytes/(channels*b.width*numberBytes))
	inputStride := uintptr(w.sizes.Horizontal.Stride * channels * numberBytes)
	outputStride := uintptr(w.sizes.Horizontal.Dilation * outputs * numberBytes)
	for tap := 0; tap < len(p.taps); tap += most {
		count := min(most, len(p.taps)-tap)
		start, scale, rectify := w.ends(b, tap == 0, tap+count == len(p.taps))
		weights := w.packedWeights(b, p.firstTap+tap, 0)
		for row := from; row < to; row++ {
			input := &w.padded[(row*w.sizes.Vertical.Stride*w.border.width+
				column*w.sizes.Horizontal.Stride)*channels]
			output := &w.result[w.outputPixel(p, row, column)*outputs+b.channel]
			tile.compute(input, inputStride, &p.taps[tap], count, channels, weights, start, scale,
				rectify, output, outputStride, tiles)
		}
	}
}

// ends returns the extra arguments of a tile's first and last taps: start with the bias, and
// finish.
func (w *imageConvolver) ends(b block, first, last bool) (start, scale *float32, rectify int) {
	if first {
		start = &w.start[b.previous]
	}
	if last && w.finish.Scale != nil {
		scale = &w.scale[b.previous]
	}
	if last && w.finish.Rectify {
		rectify = 1
	}
	return start, scale, rectify
}

// partTile computes a tile of which some pixels or channels don't exist.
func (w *imageConvolver) partTile(p *phase, b block, row, column int) {
	channels := w.sizes.InputChannels
	horizontal, vertical := w.sizes.Horizontal, w.sizes.Vertical
	start, scale, rectify := w.ends(b, true, true)
	input := w.padded[(row*vertical.Stride*w.border.width+column*horizontal.Stride)*channels:]
	pixelStride := horizontal.Stride * channels
	if readsImages(w.convolver) {
		for pixel := range min(w.set.tilePixels[b.vectors], p.columns.count-column) {
			copy(w.edge[pixel*channels:(pixel+1)*channels], input[pixel*pixelStride:])
		}
		input, pixelStride = w.edge, channels
	}
	w.set.convolutionTile[b.vectors](&input[0], uintptr(pixelStride*numberBytes), &p.taps[0],
		len(p.taps), channels,
		w.packedWeights(b, p.firstTap, 0), start, scale, rectify, &w.spill[0],
		uintptr(b.width*numberBytes), 1)
	for pixel := range min(w.set.tilePixels[b.vectors], p.columns.count-column) {
		to := w.outputPixel(p, row, column+pixel)*w.sizes.OutputChannels + b.channel
		copy(w.result[to:to+b.used], w.spill[pixel*b.width:])
	}
}

// outputPixel returns the index of the pixel at a row and column of a phase, in the image.
func (w *imageConvolver) outputPixel(p *phase, row, column int) int {
	down := p.rows.first + row*w.sizes.Vertical.Dilation
	across := p.columns.first + column*w.sizes.Horizontal.Dilation
	return down*w.sizes.Horizontal.Output + across
}
