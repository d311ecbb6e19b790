package kernel

// crossImageDifferentiator is one call of differentiateCrossImage: the kernel's gradient as a sum,
// over the pairs of a pixel of the input and one of the output that a tap joins, of products of
// matrices whose rows are images. It's for images of few pixels, where the direct algorithm spends
// most of its time starting and finishing sums, and for kernels of one tap.
type crossImageDifferentiator struct {
	*differentiator
	// of the input and of the output, joined by a tap
	inputPlaces, outputPlaces []int
	runs                      [][]pixelRun // of each tap
	group                     int          // images
	portion                   int          // pixels copied at a time
	pixelInputs               skewed       // [pixel of the portion][image of the group][channels]
	pixelGradients            skewed       // the same
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
	// portionNumbers bounds a portion's numbers of both, to stay in a core's second cache.
	portionNumbers = 1 << 17
	copiedImages   = 8 // that a worker copies at a time
	mostBlocks     = 8 // of a pixel that copyBlocks copies faster than copy: measured
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
	inputs := make([]int, a.sizes.Vertical.Input*a.sizes.Horizontal.Input)
	outputs := make([]int, a.outputPixels())
	a.eachPair(func(_, input, output int) { inputs[input], outputs[output] = 1, 1 })
	a.inputPlaces, a.outputPlaces = numberMarked(inputs), numberMarked(outputs)
	a.runs = make([][]pixelRun, a.sizes.Vertical.Kernel*a.sizes.Horizontal.Kernel)
	a.eachPair(func(tap, input, output int) {
		next := pixelRun{inputs[input], outputs[output], 1}
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

// numberMarked returns the pixels whose mark isn't 0, and replaces their marks by their places
// among these.
func numberMarked(marks []int) (pixels []int) {
	for pixel, mark := range marks {
		if mark > 0 {
			marks[pixel] = len(pixels)
			pixels = append(pixels, pixel)
		}
	}
	return pixels
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
	image := len(a.inputPlaces)*inputRow + a.outputPixels()*gradientRow
	a.group = min(max(sharedGroup/image, fewestCrossImages), a.sizes.Images)
	a.portion = max(len(a.inputPlaces), len(a.outputPlaces))
	if len(a.runs) == 1 { // of the same length as both places
		a.portion = max(1, portionNumbers/(a.group*(inputRow+gradientRow)))
	}
	a.pixelInputs = newSkewed(min(a.portion, len(a.inputPlaces))*a.group, inputRow,
		a.panels*a.set.gradientChannels > a.sizes.InputChannels)
	a.pixelGradients = newSkewed(min(a.portion, len(a.outputPlaces))*a.group, gradientRow,
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

// panelsOfProduct returns the largest number of panels of a product: fewer if there would be too
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

// addGroup adds the contributions of images from..to-1, by portions of their pixels.
func (a *crossImageDifferentiator) addGroup(from, to int) {
	workers, images := len(a.readers), to-from
	for first := 0; first < max(len(a.inputPlaces), len(a.outputPlaces)); first += a.portion {
		Parallel(workers, (images+copiedImages-1)/copiedImages, func(worker, i int) {
			for image := i * copiedImages; image < min((i+1)*copiedImages, images); image++ {
				a.copyImage(a.readers.of(worker, a.newReader), from, image, images, first)
			}
		})
		Parallel(workers, len(a.work), func(_, i int) { a.multiply(a.work[i], images, first) })
	}
}

// copyImage copies the portion of an image that begins with the first of its pixels.
func (a *crossImageDifferentiator) copyImage(reader *imageReader, from, image, images, first int) {
	inputs := a.inputPlaces[first:min(first+a.portion, len(a.inputPlaces))]
	outputs := a.outputPlaces[first:min(first+a.portion, len(a.outputPlaces))]
	width, numbers := a.sizes.Horizontal.Input, a.sizes.outputNumbers()
	read := reader.rows(from+image, inputs[0]/width, inputs[len(inputs)-1]/width+1)
	a.pixelInputs.copyPixels(image, images, read, inputs, a.sizes.InputChannels)
	a.pixelGradients.copyPixels(image, images, a.gradient[(from+image)*numbers:][:numbers], outputs,
		a.sizes.OutputChannels)
}

// multiply adds the products of a group of images, for the portion that begins with a pixel.
func (a *crossImageDifferentiator) multiply(p crossImageProduct, images, first int) {
	size := a.set.gradientChannels
	offsets := multiples(p.panels, size)
	sums := &a.tapSums[p.tap*a.sumsOfTap()+(p.block.previous*a.panels+p.panel*p.block.width)*size]
	for _, run := range a.runs[p.tap] {
		rows := min(run.count-first, a.portion) * images
		for row := 0; row < rows; row += gradientPixels {
			input := &a.pixelInputs.row(run.input*images + row)[p.panel*size]
			gradient := &a.pixelGradients.row(run.output*images + row)[p.block.previous]
			a.set.kernelGradientTile[p.block.vectors](input, 0, a.pixelInputs.stride(), gradient,
				a.pixelGradients.stride(),
				1, min(gradientPixels, rows-row), &offsets[0], p.panels, sums,
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
// row than is written to it, or any values.
func newSkewed(rows, length int, padded bool) skewed {
	if padded {
		return skewed{borrowZeros(rows * length), length}
	}
	return skewed{borrow(rows * length), length}
}

func (s skewed) row(i int) []float32 { return s.numbers[i*s.length : (i+1)*s.length] }

func (s skewed) stride() uintptr { return uintptr(s.length * numberBytes) }

// copyPixels copies pixels of an image to its rows, between other images' rows.
func (s skewed) copyPixels(image, images int, from []float32, pixels []int, channels int) {
	for i, count := 0, 1; i < len(pixels); i += count {
		to := s.row(i*images + image)
		if channels > mostBlocks*blockNumbers || channels%blockNumbers > 0 {
			copy(to, from[pixels[i]*channels:][:channels])
			continue
		}
		var step int
		count, step = evenSteps(pixels[i:])
		passes.copyBlocks(&to[0], &from[pixels[i]*channels], uintptr(images)*s.stride(),
			uintptr(step*channels*numberBytes), channels/blockNumbers, count)
	}
}

// evenSteps returns the count of first numbers with equal steps, and the step.
func evenSteps(numbers []int) (count, step int) {
	if len(numbers) == 1 {
		return 1, 0
	}
	step = numbers[1] - numbers[0]
	for count = 2; count < len(numbers) && numbers[count]-numbers[count-1] == step; {
		count++
	}
	return count, step
}
