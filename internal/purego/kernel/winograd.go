package kernel

import "math"

// Winograd's convolution F(4x4, 3x3) computes tiles of 4 by 4 outputs from 6 by 6 inputs with 36
// products a channel in place of 144: input and kernel are mapped to 36 frequencies, at which a
// convolution is a product of matrices, and the products are mapped back (Lavin and Gray, "Fast
// algorithms for convolutional neural networks", 2016).
const (
	tileSide    = 4 // of a tile's outputs
	patchSide   = 6 // of the inputs that they need
	tapSide     = 3 // of the kernel
	frequencies = patchSide * patchSide
)

// The points besides 0 and infinity are plus and minus these. They are exact in binary, and of the
// pairs with few digits they lose the least: float32 errors are a third of those with the usual 1
// and 2.
const (
	pointA = 0.75
	pointB = 1.5
	aa, bb = pointA * pointA, pointB * pointB
	// The weights of the points in the kernel's transform: one over the products of the differences
	// to the others.
	weightZero = 1 / (aa * bb)
	weightA    = 1 / (2 * aa * (aa - bb))
	weightB    = 1 / (2 * bb * (bb - aa))
)

// The constants of the transforms.
var (
	inputConstants    = []float32{pointA, pointB, aa, bb, aa + bb, aa * bb, 0}
	powerConstants    = []float32{pointA, pointB, aa, bb, aa * pointA, bb * pointB, float32(math.Inf(-1))}
	rectifyConstants  = []float32{pointA, pointB, aa, bb, aa * pointA, bb * pointB, 0}
	weightedConstants = []float32{weightZero, weightA, weightA * pointA, weightA * aa, weightB, weightB * pointB, weightB * bb}
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

// convolveWinograd does what Convolve does, for kernels of 3 by 3, stride 1 and channels that are
// whole vectors.
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
	w := &winogradConvolver{convolver: c, tiling: newTiling(c.sizes), width: len(c.start), first: c.blocks[0].channel}
	for _, b := range c.blocks {
		w.channels += b.used
	}
	workers := make([]*winogradWorker, Workers())
	w.transformKernel(len(workers), kernel)
	w.arrange(len(workers))
	Parallel(len(workers), (w.tiles+w.group-1)/w.group, func(worker, i int) {
		if workers[worker] == nil {
			workers[worker] = w.newWorker(memoryOf(worker))
		}
		workers[worker].convolve(i*w.group, min((i+1)*w.group, w.tiles))
	})
	for _, worker := range workers {
		worker.close()
	}
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
		transforms.kernel(w.packedWeights(b, 0, first), &from[0], &w.transformed[b.previous*inputs+first*b.width], &to[0],
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
	// narrowChannels is up to how many channels, of input and output, the frequencies of a tile lie
	// together: measured.
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
