package kernel

const (
	// The kernel gradient is a sum of partial sums over images, each the work of one core: as many
	// as fit into sumBytes, in these limits. Their number decides the order of additions, so it
	// depends neither on the number of processors nor on the set: see countedNumbers.
	fewestSums, mostSums = 8, 16
	sumBytes             = 8 << 20
	// countedInputs and countedOutputs are the multiples up to which channels count for sumBytes,
	// AVX2's and NEON's. Other sets pad sums to other multiples, which must not matter.
	countedInputs, countedOutputs = 4, 8
	// gradientPixels is the number of pixels of the output's gradient used at a time: they stay in
	// the first cache.
	gradientPixels = 128
	// directTiles is the largest number of tiles for which reading the gradient in place is faster
	// than copying it block by block.
	directTiles = 32
)

// differentiator is one call of KernelGradient. Its slices are read by all workers.
type differentiator struct {
	set             *InstructionSet
	sizes           *Convolution
	input, gradient []float32

	border border
	blocks []block
	width  int // of the blocks
	panels int // of input channels
	direct bool
	pixel  int       // numbers between two pixels of a padded image
	panel  int       // numbers between two panels of it
	taps   []uintptr // byte offsets in a panel
	// the same by vectors if these hold taps; nil if they hold output channels
	vectorTaps []uintptr
	sums       [][]float32 // [partial sum][block][tap][input channel, rounded up][block's width]
}

// KernelGradient writes the gradient of a convolution's kernel, [Vertical.Kernel,
// Horizontal.Kernel, InputChannels, OutputChannels], from the input and the gradient of the output.
// Dilation must be 1.
func (s *InstructionSet) KernelGradient(sizes Convolution, input, gradient, output []float32) {
	s.forKernelGradient(&sizes).differentiateBy(gradientAlgorithms[s.GradientAlgorithm(&sizes)],
		sizes, input, gradient, output)
}

func (s *InstructionSet) differentiateBy(algorithm func(d *differentiator, output []float32),
	sizes Convolution, input, gradient, output []float32) {
	d := &differentiator{set: s, sizes: &sizes, input: input, gradient: gradient}
	d.blocks, d.width = s.blocks(sizes.OutputChannels)
	d.panels = (sizes.InputChannels + s.gradientChannels - 1) / s.gradientChannels
	algorithm(d, output)
}

// differentiateDirect sums the products of the definition, image by image.
func (d *differentiator) differentiateDirect(output []float32) {
	d.border = d.sizes.gradientBorder()
	d.arrangePanels()
	d.taps = d.tapOffsets()
	d.direct = d.width == d.sizes.OutputChannels &&
		(len(d.blocks) == 1 || d.panels*len(d.taps) <= directTiles)
	arrangeTaps(d)
	d.sums = make([][]float32, d.sizes.partialSums())
	workers := make(perWorker[*imageDifferentiator], Workers())
	Parallel(len(workers), len(d.sums), func(worker, i int) {
		w := workers.of(worker, d.newWorker)
		d.sums[i] = w.newSum()
		w.differentiate(d.sums[i], i*d.sizes.Images/len(d.sums), (i+1)*d.sizes.Images/len(d.sums))
	})
	if d.vectorTaps != nil {
		collectTaps(d, output)
	} else {
		Parallel(len(workers), len(d.taps)*len(d.blocks), func(_, i int) {
			d.collect(output, i/len(d.blocks), d.blocks[i%len(d.blocks)])
		})
	}
	workers.close()
}

func (d *differentiator) newReader(memory *scratch) *imageReader {
	return newImageReader(d.sizes, d.input, memory)
}

// arrangePanels chooses the input's layout for reading: narrow images as they are, inside their
// zeros, and wide ones in panels that fit into the first cache one at a time.
func (d *differentiator) arrangePanels() {
	const narrow = 32 // channels
	size, channels := d.set.gradientChannels, d.sizes.InputChannels
	d.pixel, d.panel = size, d.border.height*d.border.width*size
	if channels <= narrow && channels%size == 0 {
		d.pixel, d.panel = channels, size
	}
}

// isInPanels reports whether the input is copied to panels.
func (d *differentiator) isInPanels() bool { return d.panel > d.pixel }

// sumNumbers returns the size of a partial sum in memory, with the padding of the set.
func (d *differentiator) sumNumbers() int {
	if d.vectorTaps != nil {
		return len(d.vectorTaps) * rowLanes * d.sizes.OutputChannels
	}
	return len(d.taps) * d.panels * d.set.gradientChannels * d.width
}

// partialSums returns the number of partial sums of the direct algorithm.
func (c *Convolution) partialSums() int {
	fitting := sumBytes / (c.countedNumbers(c.Vertical.Kernel*c.Horizontal.Kernel) * numberBytes)
	return min(max(fewestSums, min(fitting, mostSums)), c.Images)
}

// sumsAreSmall reports whether several partial sums of Winograd's algorithm fit into the cores'
// caches.
func (c *Convolution) sumsAreSmall() bool {
	return sumBytes/(c.countedNumbers(frequencies)*numberBytes) >= fewestSums
}

// countedNumbers returns the size of a sum, at a number of taps or frequencies, from which the
// number of partial sums follows. It's the same in all sets, so they add in the same order. What a
// set allocates is sumNumbers.
func (c *Convolution) countedNumbers(places int) int {
	inputs := (c.InputChannels + countedInputs - 1) / countedInputs * countedInputs
	outputs := (c.OutputChannels + countedOutputs - 1) / countedOutputs * countedOutputs
	return places * inputs * outputs
}

// gradientBorder returns the border that the taps of the kernel gradient need.
func (c *Convolution) gradientBorder() border {
	var b border
	b.top, b.height = c.Vertical.gradientBorder()
	b.left, b.width = c.Horizontal.gradientBorder()
	return b
}

func (a Axis) gradientBorder() (before, size int) {
	before = max(a.Before, 0) // a negative padding becomes a tap's positive offset
	return before, max(a.Input+before, (a.Output-1)*a.Stride+a.Kernel-a.Before+before)
}

// tapOffsets returns where each tap reads in a panel of the padded image, in bytes.
func (d *differentiator) tapOffsets() []uintptr {
	var offsets []uintptr
	vertical, horizontal := d.sizes.Vertical, d.sizes.Horizontal
	for down := range vertical.Kernel {
		for across := range horizontal.Kernel {
			pixel := (down-vertical.Before+d.border.top)*d.border.width + across -
				horizontal.Before + d.border.left
			offsets = append(offsets, uintptr(pixel*d.pixel*numberBytes))
		}
	}
	return offsets
}

// outputPixels returns the number of pixels of one image of the output's gradient.
func (d *differentiator) outputPixels() int {
	return d.sizes.Vertical.Output * d.sizes.Horizontal.Output
}

// paddedNumbers returns the size of a padded image.
func (d *differentiator) paddedNumbers() int {
	return d.border.height * d.border.width * d.panels * d.set.gradientChannels
}

// sumAt returns the index of a block's first sum for a tap and a panel.
func (d *differentiator) sumAt(b block, tap, panel int) int {
	return (b.previous*len(d.taps)*d.panels + (tap*d.panels+panel)*b.width) * d.set.gradientChannels
}

// collect adds the partial sums of one tap and block, in their order, and writes them.
func (d *differentiator) collect(output []float32, tap int, b block) {
	from := d.sumAt(b, tap, 0)
	numbers := d.panels * d.set.gradientChannels * b.width
	total := d.sums[0][from : from+numbers]
	for _, part := range d.sums[1:] {
		passes.addRows(&total[0], &total[0], &part[from], numbers/rowLanes, 1)
	}
	for channel := range d.sizes.InputChannels {
		to := (tap*d.sizes.InputChannels+channel)*d.sizes.OutputChannels + b.channel
		copy(output[to:to+b.used], total[channel*b.width:])
	}
}
