//go:build amd64

package kernel

// winogradDifferentiator is one call of winogradGradient: the adjoint of Winograd's convolution. At each frequency the
// kernel's gradient is a product of matrices: of the tiles of the input, turned, and those of the output's gradient.
// Groups of tiles follow each other, so that sums don't depend on the number of cores.
type winogradDifferentiator struct {
	*differentiator
	tiling
	group                     int // tiles
	inputs, gradients         spectrum
	tileInputs, tileGradients []float32
	zeros                     []float32 // stands for pixels outside of the image
	frequencySums             []float32 // [frequency][block][input channel][width of the block]
	numbersOfFrequency        int       // in frequencySums
	panelOffsets              []uintptr // of the panels of input channels, in bytes
}

const (
	// gradientGroup is how many numbers both transforms of a group have, about: they stay in the cache that all cores share.
	gradientGroup = 1 << 20
	// gradientShare is how many tiles a worker transforms at a time.
	gradientShare = 8
)

// differentiateByWinograd writes the gradient of the kernel.
func (d *differentiator) differentiateByWinograd(output []float32) {
	w := &winogradDifferentiator{differentiator: d, tiling: newTiling(d.sizes)}
	w.arrange()
	for from := 0; from < w.tiles; from += w.group {
		w.addGroup(from, min(from+w.group, w.tiles))
	}
	w.collect(output)
	giveBack(w.tileInputs, w.tileGradients, w.zeros, w.frequencySums)
}

func (w *winogradDifferentiator) arrange() {
	inputs := w.sizes.InputChannels
	fitting := gradientGroup / (frequencies * (inputs + w.width))
	w.group = min(max(fitting, fewestTiles)/gradientShare*gradientShare, w.tiles)
	w.inputs, w.gradients = byFrequency(w.group, inputs), byFrequency(w.group, w.width)
	w.tileInputs, w.tileGradients = borrow(w.inputs.numbers), borrow(w.gradients.numbers)
	if w.width > w.sizes.OutputChannels {
		clear(w.tileGradients) // channels that fill a block up are read, though nothing is written to them
	}
	w.zeros = borrowZeros(max(inputs, w.sizes.OutputChannels))
	w.numbersOfFrequency = w.panels * w.set.gradientChannels * w.width
	w.frequencySums = borrowZeros(frequencies * w.numbersOfFrequency)
	w.panelOffsets = multiples(w.panels, w.set.gradientChannels)
}

// addGroup adds what the tiles from..to-1 contribute.
func (w *winogradDifferentiator) addGroup(from, to int) {
	workers := Workers()
	Parallel(workers, (to-from+gradientShare-1)/gradientShare, func(_, i int) {
		first := from + i*gradientShare
		w.transform(from, first, min(first+gradientShare, to))
	})
	Parallel(workers, frequencies*len(w.blocks), func(_, i int) {
		w.multiply(i/len(w.blocks), w.blocks[i%len(w.blocks)], to-from)
	})
}

// transform maps the tiles first..to-1 of a group.
func (w *winogradDifferentiator) transform(group, first, to int) {
	work := borrow(frequencies * longestVector)
	offsets := make([]uintptr, frequencies)
	inputs, outputs := w.sizes.InputChannels, w.sizes.OutputChannels
	forInputs, forOutputs := w.set.transformsFor(inputs), w.set.transformsFor(outputs)
	for tile := first; tile < to; tile++ {
		base, places := w.patch(tile, w.input, w.zeros, offsets)
		forInputs.input(base, places, &w.tileInputs[w.inputs.at(tile-group, 0)], &w.inputs.frequencies[0],
			&inputConstants[0], &work[0], inputs/forInputs.lanes)
		base, places = w.square(tile, w.gradient, w.zeros, offsets)
		forOutputs.gradient(base, places, &w.tileGradients[w.gradients.at(tile-group, 0)], &w.gradients.frequencies[0],
			&powerConstants[0], &work[0], outputs/forOutputs.lanes)
	}
	giveBack(work)
}

// multiply adds the products of so many tiles at a frequency for a block.
func (w *winogradDifferentiator) multiply(frequency int, b block, tiles int) {
	input := &w.tileInputs[w.inputs.at(0, frequency)]
	gradient := &w.tileGradients[w.gradients.at(0, frequency)+b.previous]
	rows := w.set.gradientChannels
	w.set.kernelGradientTile[b.vectors](input, 0, w.inputs.stride(), gradient, w.gradients.stride(), 1, tiles,
		&w.panelOffsets[0], w.panels, &w.frequencySums[w.frequencySumAt(frequency, b)], uintptr(b.width*numberBytes), uintptr(rows*b.width*numberBytes))
}

// frequencySumAt is where the sums of a block begin.
func (w *winogradDifferentiator) frequencySumAt(frequency int, b block) int {
	return frequency*w.numbersOfFrequency + b.previous*w.panels*w.set.gradientChannels
}

// collect maps the sums back to the taps of the kernel.
func (w *winogradDifferentiator) collect(output []float32) {
	inputs, outputs := w.sizes.InputChannels, w.sizes.OutputChannels
	from, to := multiples(frequencies, w.numbersOfFrequency), multiples(tapSide*tapSide, inputs*outputs)
	Parallel(Workers(), inputs, func(_, channel int) {
		work := borrow(tapSide * patchSide * longestVector)
		for _, b := range w.blocks {
			t := w.set.transformsFor(b.used)
			t.kernelGradient(&w.frequencySums[w.frequencySumAt(0, b)+channel*b.width], &from[0], &output[channel*outputs+b.channel], &to[0],
				&weightedConstants[0], &work[0], b.used/t.lanes)
		}
		giveBack(work)
	})
}
