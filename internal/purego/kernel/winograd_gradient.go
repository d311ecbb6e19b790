package kernel

import "math"

// winogradDifferentiator is one call of differentiateWinograd: the adjoint of Winograd's
// convolution. At each frequency the kernel's gradient is a product of matrices: of the input's
// tiles, turned, and the output gradient's tiles. It's a sum over groups of tiles. If the sums are
// small, each core computes a partial one; otherwise all cores share each group. This choice and
// the division of the tiles don't depend on the number of cores.
type winogradDifferentiator struct {
	*differentiator
	tiling
	group              int // tiles
	inputs, gradients  spectrum
	zeros              []float32   // read for pixels outside of the image
	partial            [][]float32 // sums: [frequency][block][input channel][width of the block]
	numbersOfFrequency int         // in a sum
	panelOffsets       []uintptr   // of the panels of input channels, in bytes
}

const (
	// sharedGroup is the approximate size of both transforms of a group shared by all cores: they
	// stay in the common cache.
	sharedGroup = 1 << 20
	// ownGroup is the same for a group of one core.
	ownGroup = 1 << 18
	// gradientShare is the number of tiles that a worker transforms at a time in a shared group.
	gradientShare = 8
)

// tileGroup is the transforms of a group of tiles.
type tileGroup struct {
	*winogradDifferentiator
	memory            *scratch
	inputs, gradients []float32
	readers           perWorker[*imageReader]
}

// differentiateWinograd writes the gradient of the kernel.
func (d *differentiator) differentiateWinograd(output []float32) {
	w := &winogradDifferentiator{differentiator: d, tiling: newTiling(d.sizes)}
	w.numbersOfFrequency = w.panels * w.set.gradientChannels * w.width
	w.panelOffsets = multiples(w.panels, w.set.gradientChannels)
	w.zeros = borrowZeros(max(w.sizes.InputChannels, w.sizes.OutputChannels))
	if w.sizes.sumsAreSmall() {
		w.arrange(ownGroup, fewestSums)
		w.sumApart()
	} else {
		w.arrange(sharedGroup, 1)
		w.sumTogether()
	}
	w.collect(output)
	giveBack(w.zeros)
	giveBack(w.partial...)
}

// arrange chooses the number of tiles of a group, from the size of its transforms and the number of
// sums. The groups of a sum are about as large as each other: each reads and writes all of the sum,
// which pays for many tiles only. Results don't depend on the group: a sum adds its tiles one after
// another.
func (w *winogradDifferentiator) arrange(numbers, sums int) {
	inputs := w.sizes.InputChannels
	fitting := max(numbers/(frequencies*(inputs+w.width)), fewestTiles)
	share := (w.tiles + sums - 1) / sums
	groups := max(1, (share+fitting/2)/fitting)
	w.group = min((share+groups*gradientShare-1)/(groups*gradientShare)*gradientShare, w.tiles)
	w.inputs, w.gradients = byFrequency(w.group, inputs), byFrequency(w.group, w.width)
}

// newGroup returns an empty group for a number of workers.
func (w *winogradDifferentiator) newGroup(memory *scratch, workers int) *tileGroup {
	g := &tileGroup{w, memory, memory.borrow(w.inputs.numbers), memory.borrow(w.gradients.numbers),
		make(perWorker[*imageReader], workers)}
	if w.width > w.sizes.OutputChannels {
		clear(g.gradients) // the channels that pad a block are read but never written
	}
	return g
}

func (g *tileGroup) close() {
	g.readers.close()
	g.memory.giveBack(g.inputs, g.gradients)
}

// sumApart divides the tiles among partial sums.
func (w *winogradDifferentiator) sumApart() {
	w.partial = make([][]float32, min(fewestSums, w.tiles))
	for i := range w.partial {
		w.partial[i] = borrow(frequencies * w.numbersOfFrequency)
	}
	groups := make(perWorker[*tileGroup], Workers())
	Parallel(len(groups), len(w.partial), func(worker, i int) {
		group := groups.of(worker, func(memory *scratch) *tileGroup {
			return w.newGroup(memory, len(groups))
		})
		clear(w.partial[i])
		end := (i + 1) * w.tiles / len(w.partial)
		for from := i * w.tiles / len(w.partial); from < end; from += w.group {
			group.add(worker, w.partial[i], from, min(from+w.group, end))
		}
	})
	groups.close()
	w.addPartial()
}

// add adds the contributions of tiles from..to-1.
func (g *tileGroup) add(worker int, sums []float32, from, to int) {
	g.transform(worker, from, from, to)
	for frequency := range frequencies {
		for _, b := range g.blocks {
			g.multiply(sums, frequency, b, to-from)
		}
	}
}

// addPartial adds the partial sums, in their order, to the first.
func (w *winogradDifferentiator) addPartial() {
	Parallel(Workers(), frequencies, func(_, frequency int) {
		at, vectors := frequency*w.numbersOfFrequency, w.numbersOfFrequency/rowLanes
		total := &w.partial[0][at]
		for _, part := range w.partial[1:] {
			passes.addRows(total, total, &part[at], vectors, 1)
		}
	})
}

// sumTogether treats one group after another, with all cores.
func (w *winogradDifferentiator) sumTogether() {
	w.partial = [][]float32{borrowZeros(frequencies * w.numbersOfFrequency)}
	g := w.newGroup(&memory, Workers())
	for from := 0; from < w.tiles; from += w.group {
		g.addShared(from, min(from+w.group, w.tiles))
	}
	g.close()
}

func (g *tileGroup) addShared(from, to int) {
	workers := len(g.readers)
	Parallel(workers, (to-from+gradientShare-1)/gradientShare, func(worker, i int) {
		first := from + i*gradientShare
		g.transform(worker, from, first, min(first+gradientShare, to))
	})
	Parallel(workers, frequencies*len(g.blocks), func(_, i int) {
		g.multiply(g.partial[0], i/len(g.blocks), g.blocks[i%len(g.blocks)], to-from)
	})
}

// transform maps the tiles first..to-1 of the group that begins with a tile.
func (g *tileGroup) transform(worker, begin, first, to int) {
	work := borrow(frequencies * longestVector)
	offsets := make([]uintptr, frequencies)
	w, inputs, outputs := g.winogradDifferentiator, g.sizes.InputChannels, g.sizes.OutputChannels
	reader := g.readers.of(worker, g.newReader)
	forInputs, forOutputs := w.set.transformsFor(inputs), w.set.transformsFor(outputs)
	at := w.position(first)
	for tile := first; tile < to; tile++ {
		if tile == first || at.column == 0 {
			work[0] = g.touch(at)
		}
		base, places := w.patch(at, reader, w.zeros, offsets)
		forInputs.input(base, places, &g.inputs[w.inputs.at(tile-begin, 0)],
			&w.inputs.frequencies[0],
			&inputConstants[0], &work[0], inputs/forInputs.lanes)
		base, places = w.square(at, w.gradient, w.zeros, offsets)
		forOutputs.gradient(base, places, &g.gradients[w.gradients.at(tile-begin, 0)],
			&w.gradients.frequencies[0],
			&powerConstants[0], &work[0], outputs/forOutputs.lanes)
		at = w.after(at)
	}
	giveBack(work)
}

// touch brings the rows of pixels of a row of tiles to the cache. Read in order they arrive sooner
// than tile by tile. The number that it returns only keeps the reading.
func (g *tileGroup) touch(at tilePosition) float32 {
	read := g.squares.touch(at, g.gradient)
	if g.sizes.InputRectifier == nil { // which reads in order itself
		read |= g.patches.touch(at, g.input)
	}
	return math.Float32frombits(read)
}

// multiply adds the products of the tiles at a frequency, for one block, to sums.
func (g *tileGroup) multiply(sums []float32, frequency int, b block, tiles int) {
	w := g.winogradDifferentiator
	input := &g.inputs[w.inputs.at(0, frequency)]
	gradient := &g.gradients[w.gradients.at(0, frequency)+b.previous]
	rows := w.set.gradientChannels
	w.set.kernelGradientTile[b.vectors](input, 0, w.inputs.stride(), gradient, w.gradients.stride(),
		1, tiles,
		&w.panelOffsets[0], w.panels, &sums[w.frequencySumAt(frequency, b)],
		uintptr(b.width*numberBytes), uintptr(rows*b.width*numberBytes))
}

// frequencySumAt returns the index of a block's first sum.
func (w *winogradDifferentiator) frequencySumAt(frequency int, b block) int {
	return frequency*w.numbersOfFrequency + b.previous*w.panels*w.set.gradientChannels
}

// collect maps the sums back to the taps of the kernel.
func (w *winogradDifferentiator) collect(output []float32) {
	sums, inputs, outputs := w.partial[0], w.sizes.InputChannels, w.sizes.OutputChannels
	from, to := multiples(frequencies, w.numbersOfFrequency),
		multiples(tapSide*tapSide, inputs*outputs)
	Parallel(Workers(), inputs, func(_, channel int) {
		work := borrow(tapSide * patchSide * longestVector)
		for _, b := range w.blocks {
			t := w.set.transformsFor(b.used)
			t.kernelGradient(&sums[w.frequencySumAt(0, b)+channel*b.width], &from[0],
				&output[channel*outputs+b.channel], &to[0],
				&weightedConstants[0], &work[0], b.used/t.lanes)
		}
		giveBack(work)
	})
}
