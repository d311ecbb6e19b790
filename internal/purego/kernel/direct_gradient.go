package kernel

// imageDifferentiator adds the contribution of one image after another.
type imageDifferentiator struct {
	*differentiator
	memory *scratch
	reader *imageReader
	// the image inside its zeros: [panel][pixel][channels of a panel], or [pixel][channel]
	padded []float32
	copied []float32   // the gradient, [block][pixel][width], unless it's read directly
	kept   [][]float32 // the partial sums that this worker computed
}

func (d *differentiator) newWorker(memory *scratch) *imageDifferentiator {
	w := &imageDifferentiator{differentiator: d, memory: memory, reader: d.newReader(memory),
		padded: memory.borrowZeros(d.paddedNumbers())}
	if !d.direct {
		w.copied = memory.borrowZeros(d.outputPixels() * d.width)
	}
	return w
}

func (w *imageDifferentiator) close() {
	w.reader.close()
	w.memory.giveBack(w.padded, w.copied)
	w.memory.giveBack(w.kept...)
}

// newSum returns an empty partial sum, which the worker keeps until it's closed.
func (w *imageDifferentiator) newSum() []float32 {
	sum := w.memory.borrowZeros(w.sumNumbers())
	w.kept = append(w.kept, sum)
	return sum
}

// differentiate adds the images from..to-1 to sums.
func (w *imageDifferentiator) differentiate(sums []float32, from, to int) {
	pixels, channels := w.outputPixels(), w.sizes.OutputChannels
	for image := from; image < to; image++ {
		w.pad(image)
		gradient := w.gradient[image*pixels*channels:][:pixels*channels]
		if w.vectorTaps != nil {
			w.addTaps(sums, gradient)
			continue
		}
		for _, b := range w.blocks {
			if w.direct {
				w.block(sums, b, gradient[b.channel:], channels)
				continue
			}
			copied := w.copied[b.previous*pixels : (b.previous+b.width)*pixels]
			copyColumns(copied, gradient, b, channels, pixels)
			w.block(sums, b, copied, b.width)
		}
	}
}

// block adds one image's contribution to a block; gradient's pixels are stride numbers apart.
func (w *imageDifferentiator) block(sums []float32, b block, gradient []float32, stride int) {
	columns, channels := w.sizes.Horizontal.Output, w.set.gradientChannels
	rowStride, pixelStride := w.sizes.Vertical.Stride*w.border.width*w.pixel,
		w.sizes.Horizontal.Stride*w.pixel
	group := max(1, gradientPixels/columns)
	tile := w.set.kernelGradientTile[b.vectors]
	tapStride := uintptr(w.panels * channels * b.width * numberBytes)
	for row := 0; row < w.sizes.Vertical.Output; row += group {
		rows := min(group, w.sizes.Vertical.Output-row)
		for panel := range w.panels {
			input := &w.padded[panel*w.panel+row*rowStride]
			tile(input, uintptr(rowStride*numberBytes), uintptr(pixelStride*numberBytes),
				&gradient[row*columns*stride], uintptr(stride*numberBytes), rows, columns,
				&w.taps[0], len(w.taps),
				&sums[w.sumAt(b, 0, panel)], uintptr(b.width*numberBytes), tapStride)
		}
	}
}

// copyColumns copies the channels of a block from pixels [pixels, channels] to [pixels, width].
func copyColumns(to, from []float32, b block, channels, pixels int) {
	if b.used%blockNumbers == 0 {
		passes.copyBlocks(&to[0], &from[b.channel], uintptr(b.width*numberBytes),
			uintptr(channels*numberBytes), b.used/blockNumbers, pixels)
		return
	}
	for pixel := range pixels {
		copy(to[pixel*b.width:][:b.used], from[pixel*channels+b.channel:])
	}
}

const blockNumbers = 4 // that copyBlocks moves at once

// pad copies an image inside its zeros. Channels of the last panel that don't exist may become
// anything: their sums are not read.
func (w *imageDifferentiator) pad(image int) {
	width, channels := w.sizes.Horizontal.Input, w.sizes.InputChannels
	for row := range w.sizes.Vertical.Input {
		at := ((row+w.border.top)*w.border.width + w.border.left) * w.pixel
		if w.isInPanels() {
			w.padPanels(at, w.reader.rows(image, row, row+1)[row*width*channels:][:width*channels])
		} else {
			w.reader.copyRow(w.padded[at:], image, row)
		}
	}
}

// padPanels copies a row of an image to each panel.
func (w *imageDifferentiator) padPanels(at int, row []float32) {
	size, width := w.set.gradientChannels, w.sizes.Horizontal.Input
	for panel := range w.panels {
		copyPanelRow(w.padded[panel*w.panel+at:][:width*size], row, panel*size, size,
			w.sizes.InputChannels, width)
	}
}

// copyPanelRow copies size channels, from the first, of a row of pixels [width, channels] to
// [width, size]. Where whole blocks would read beyond the row, at its last pixels, it copies the
// channels that exist.
func copyPanelRow(to, from []float32, first, size, channels, width int) {
	whole := width
	if first+size > channels {
		whole = max(0, width-size)
	}
	if whole > 0 {
		passes.copyBlocks(&to[0], &from[first], uintptr(size*numberBytes),
			uintptr(channels*numberBytes), size/blockNumbers, whole)
	}
	for pixel := whole; pixel < width; pixel++ {
		copy(to[pixel*size:][:min(size, channels-first)], from[pixel*channels+first:])
	}
}
