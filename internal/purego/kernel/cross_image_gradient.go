package kernel

// crossImageDifferentiator is one call of differentiateCrossImage: the kernel's gradient as a sum,
// over the pairs of a pixel of the input and one of the output that a tap joins, of products of
// matrices whose rows are images. It's for images of few pixels, where the direct algorithm spends
// most of its time starting and finishing sums, and for kernels of one tap.
type crossImageDifferentiator struct {
	*differentiator
	inputPixels    []int        // those that a tap reaches
	runs           [][]pixelRun // of each tap
	group          int          // images
	pixelInputs    skewed       // [pixel reached][image of the group][channels]
	pixelGradients skewed       // [pixel of the output][image of the group][channels]
	// [tap][block][input channel, rounded up][width of the block]
	tapSums []float32
	work    []crossImageProduct // done for each group of images
	readers perWorker[*imageReader]
}

// pixelRun is a run of count pixels of the input that a tap joins to as many of the output, in
// order.
type pixelRun struct{ input, output, count int }

// crossImageProduct is a tap and some panels of a block.
type crossImageProduct struct {
	tap           int
	block         block
	panel, panels int // the first, and how many
}

const (
	mostPanels = 16 // of a product
	goodPanels = 4  // for fewer, reading the gradient takes a notable part of the time
	goodTasks  = 4  // products for each core, so that all cores end at about the same time
)

// differentiateCrossImage writes the gradient of the kernel.
func (d *differentiator) differentiateCrossImage(output []float32) {
	a := &crossImageDifferentiator{differentiator: d, readers: make(perWorker[*imageReader],
		Workers())}
	a.join()
	a.arrange()
	for from := 0; from < a.sizes.Images; from += a.group {
		a.addGroup(from, min(from+a.group, a.sizes.Images))
	}
	a.collect(output)
	a.readers.close()
	giveBack(a.pixelInputs.numbers, a.pixelGradients.numbers, a.tapSums)
}

// join finds the pairs of pixels.
func (a *crossImageDifferentiator) join() {
	reached := make([]int, a.sizes.Vertical.Input*a.sizes.Horizontal.Input) // by a tap, counted
	a.eachPair(func(_, input, _ int) { reached[input] = 1 })
	for pixel, count := range reached {
		if count > 0 {
			reached[pixel] = len(a.inputPixels)
			a.inputPixels = append(a.inputPixels, pixel)
		}
	}
	a.runs = make([][]pixelRun, a.sizes.Vertical.Kernel*a.sizes.Horizontal.Kernel)
	a.eachPair(func(tap, input, output int) {
		next := pixelRun{reached[input], output, 1}
		if runs := a.runs[tap]; len(runs) > 0 {
			last := &runs[len(runs)-1]
			if last.input+last.count == next.input && last.output+last.count == next.output {
				last.count++
				return
			}
		}
		a.runs[tap] = append(a.runs[tap], next)
	})
}

// eachPair visits the pairs of a pixel of the input and one of the output that a tap joins.
func (a *crossImageDifferentiator) eachPair(visit func(tap, input, output int)) {
	for tap := range a.sizes.Vertical.Kernel * a.sizes.Horizontal.Kernel {
		for output := range a.outputPixels() {
			row, column := output/a.sizes.Horizontal.Output, output%a.sizes.Horizontal.Output
			if y, x, inside := a.sizes.reaches(row, column, tap); inside {
				visit(tap, y*a.sizes.Horizontal.Input+x, output)
			}
		}
	}
}

// arrange chooses the groups and divides the work.
func (a *crossImageDifferentiator) arrange() {
	// Whole cache lines hold the padding of every set, so that all of them take the same groups.
	inputRow, gradientRow := oddLines(a.sizes.InputChannels), oddLines(a.sizes.OutputChannels)
	image := len(a.inputPixels)*inputRow + a.outputPixels()*gradientRow
	a.group = min(max(sharedGroup/image, fewestCrossImages), a.sizes.Images)
	a.pixelInputs = newSkewed(len(a.inputPixels)*a.group, inputRow,
		a.panels*a.set.gradientChannels > a.sizes.InputChannels)
	a.pixelGradients = newSkewed(a.outputPixels()*a.group, gradientRow,
		a.width > a.sizes.OutputChannels)
	a.tapSums = borrowZeros(len(a.runs) * a.sumsOfTap())
	most := a.panelsOfProduct(len(a.readers))
	for tap := range a.runs {
		for _, b := range a.blocks {
			for panel := 0; panel < a.panels; panel += most {
				a.work = append(a.work, crossImageProduct{tap, b, panel, min(most, a.panels-panel)})
			}
		}
	}
}

// panelsOfProduct returns the largest number of panels of a product: fewer where there would be too
// few products for the cores. Sums don't depend on it.
func (a *crossImageDifferentiator) panelsOfProduct(workers int) int {
	panels := min(mostPanels, a.panels)
	for panels > 1 {
		products := len(a.runs) * len(a.blocks) * ((a.panels + panels - 1) / panels)
		if products >= goodTasks*workers || products >= workers && panels <= goodPanels {
			break
		}
		panels = (panels + 1) / 2
	}
	return panels
}

func (a *crossImageDifferentiator) sumsOfTap() int {
	return a.panels * a.set.gradientChannels * a.width
}

// addGroup adds what the images from..to-1 contribute.
func (a *crossImageDifferentiator) addGroup(from, to int) {
	workers, images := len(a.readers), to-from
	Parallel(workers, images, func(worker, image int) {
		inputs, outputs := a.sizes.InputChannels, a.sizes.OutputChannels
		numbers := a.readers.of(worker, a.newReader).whole(from + image)
		for i, pixel := range a.inputPixels {
			copy(a.pixelInputs.row(i*images+image), numbers[pixel*inputs:][:inputs])
		}
		for pixel := range a.outputPixels() {
			copy(a.pixelGradients.row(pixel*images+image),
				a.gradient[((from+image)*a.outputPixels()+pixel)*outputs:][:outputs])
		}
	})
	Parallel(workers, len(a.work), func(_, i int) { a.multiply(a.work[i], images) })
}

// multiply adds the products of a group of images.
func (a *crossImageDifferentiator) multiply(p crossImageProduct, images int) {
	size := a.set.gradientChannels
	offsets := multiples(p.panels, size)
	sums := &a.tapSums[p.tap*a.sumsOfTap()+(p.block.previous*a.panels+p.panel*p.block.width)*size]
	for _, run := range a.runs[p.tap] {
		for row := 0; row < run.count*images; row += gradientPixels {
			input := &a.pixelInputs.row(run.input*images + row)[p.panel*size]
			gradient := &a.pixelGradients.row(run.output*images + row)[p.block.previous]
			a.set.kernelGradientTile[p.block.vectors](input, 0, a.pixelInputs.stride(), gradient,
				a.pixelGradients.stride(),
				1, min(gradientPixels, run.count*images-row), &offsets[0], p.panels, sums,
				uintptr(p.block.width*numberBytes),
				uintptr(size*p.block.width*numberBytes))
		}
	}
}

// collect writes the sums without the gaps.
func (a *crossImageDifferentiator) collect(output []float32) {
	inputs, outputs := a.sizes.InputChannels, a.sizes.OutputChannels
	Parallel(Workers(), len(a.runs)*len(a.blocks), func(_, i int) {
		tap, b := i/len(a.blocks), a.blocks[i%len(a.blocks)]
		sums := a.tapSums[tap*a.sumsOfTap()+b.previous*a.panels*a.set.gradientChannels:]
		for channel := range inputs {
			copy(output[(tap*inputs+channel)*outputs+b.channel:][:b.used], sums[channel*b.width:])
		}
	})
}

// skewed is a matrix whose rows are an odd number of the cache's lines apart.
type skewed struct {
	numbers []float32
	length  int // of a row, with what follows it
}

// newSkewed returns a matrix whose length is a result of oddLines: zeros if kernels read more of a
// row than is written to it, else any values.
func newSkewed(rows, length int, padded bool) skewed {
	if padded {
		return skewed{borrowZeros(rows * length), length}
	}
	return skewed{borrow(rows * length), length}
}

func (s skewed) row(i int) []float32 { return s.numbers[i*s.length : (i+1)*s.length] }

func (s skewed) stride() uintptr { return uintptr(s.length * numberBytes) }
