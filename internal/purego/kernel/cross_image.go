package kernel

// crossImageConvolver convolves images that are too small to fill tiles with the pixels of a row,
// features [rows, channels] among them: a tile is the same pixel of several images. Taps outside of
// the image are left out, which for 2 by 2 pixels is more than half of them.
type crossImageConvolver struct {
	*convolver
	zeros []float32 // input and weights where no tap reaches
}

const (
	fewestCrossImages = 8       // images of the longest tile
	crossImageGroup   = 48      // approximate number of images that a worker computes at a time
	crossImageWeights = 6 << 10 // weights that are used at a time: they stay in the first cache
)

// convolveCrossImage implements Convolve.
func (c *convolver) convolveCrossImage(kernel []float32) {
	workers, images := Workers(), c.sizes.Images
	made := c.readAll(workers)
	c.packAll(workers, kernel)
	a := &crossImageConvolver{convolver: c, zeros: borrowZeros(len(c.start))}
	groups := max(1, images/crossImageGroup)
	Parallel(workers, groups*len(c.blocks), func(_, i int) {
		group := i / len(c.blocks)
		a.convolve(group*images/groups, (group+1)*images/groups, c.blocks[i%len(c.blocks)])
	})
	if numbers := c.sizes.outputNumbers(); c.finish.Rectify || c.finish.Scale != nil ||
		c.finish.Residual != nil {
		Parallel(workers, images, func(_, image int) {
			c.finishImage(image, a.zeros)
			c.addResidual(image*numbers, numbers)
		})
	}
	giveBack(c.weights, a.zeros, made)
}

// readAll applies the input rectifier, if any, to all images at once: they are so small that the
// result stays in the caches. The caller gives it back.
func (c *convolver) readAll(workers int) (made []float32) {
	if c.sizes.InputRectifier == nil {
		return nil
	}
	made = borrow(len(c.input))
	readers := make(perWorker[*imageReader], workers)
	Parallel(workers, c.sizes.Images, func(worker, image int) {
		reader := readers.of(worker, c.newReader)
		copy(made[image*reader.numbers():], reader.whole(image))
	})
	readers.close()
	c.input = made
	return made
}

// packAll packs the weights of all taps in their order.
func (c *convolver) packAll(workers int, kernel []float32) {
	order := make([]int, c.sizes.Vertical.Kernel*c.sizes.Horizontal.Kernel)
	for tap := range order {
		order[tap] = tap
	}
	c.taps = len(order)
	c.weights = borrow(len(order) * c.sizes.InputChannels * len(c.start))
	c.packTaps(workers, kernel, order)
}

// convolve computes a block of channels of the images from..to-1, at least fewestCrossImages of
// them.
func (a *crossImageConvolver) convolve(from, to int, b block) {
	pixels := a.set.tilePixels[b.vectors]
	tiles := (to - from) / pixels
	spill := borrow(tiles * pixels * b.width)
	for row := range a.sizes.Vertical.Output {
		for column := range a.sizes.Horizontal.Output {
			p := crossImagePixel{crossImageConvolver: a, block: b, row: row, column: column,
				spill: spill}
			p.convolve(from, tiles)
			if from+tiles*pixels < to {
				p.convolve(to-pixels, 1) // overlaps the tile before it
			}
		}
	}
	giveBack(spill)
}

// crossImagePixel is one pixel of the output of all images.
type crossImagePixel struct {
	*crossImageConvolver
	block       block
	row, column int
	spill       []float32 // [image][width], for blocks of which only a part is written
}

// convolve computes a number of tiles, starting at an image.
func (p *crossImagePixel) convolve(image, tiles int) {
	pixel := p.row*p.sizes.Horizontal.Output + p.column
	pixels, channels := p.sizes.Vertical.Output*p.sizes.Horizontal.Output, p.sizes.OutputChannels
	at := (image*pixels+pixel)*channels + p.block.channel
	if p.block.used == p.block.width {
		p.sumTaps(image, tiles, &p.output[at], uintptr(pixels*channels*numberBytes))
		return
	}
	p.sumTaps(image, tiles, &p.spill[0], uintptr(p.block.width*numberBytes))
	for i := range tiles * p.set.tilePixels[p.block.vectors] {
		copy(p.output[at+i*pixels*channels:][:p.block.used], p.spill[i*p.block.width:])
	}
}

// sumTaps adds the products of all taps inside of the image to the bias.
func (p *crossImagePixel) sumTaps(image, tiles int, output *float32, outputStride uintptr) {
	inputs, height, width := p.sizes.InputChannels, p.sizes.Vertical.Input, p.sizes.Horizontal.Input
	inputStride := uintptr(height * width * inputs * numberBytes)
	most := max(1, crossImageWeights/p.block.width)
	here := [1]uintptr{}
	start := &p.start[p.block.previous]
	tile := p.set.convolutionTile[p.block.vectors]
	for tap := range p.taps {
		y, x, inside := p.sizes.reaches(p.row, p.column, tap)
		if !inside {
			continue
		}
		for channel := 0; channel < inputs; channel += most {
			input := &p.input[((image*height+y)*width+x)*inputs+channel]
			weights := &p.weights[(p.block.previous*p.taps+tap*p.block.width)*inputs+
				channel*p.block.width]
			tile(input, inputStride, &here[0], 1, min(most, inputs-channel), weights, start, nil, 0,
				output, outputStride, tiles)
			start = nil
		}
	}
	if start != nil {
		tile(&p.zeros[0], 0, &here[0], 1, 1, &p.zeros[0], start, nil, 0, output, outputStride,
			tiles)
	}
}

// reaches returns which pixel of the input a tap reaches from a pixel of the output, and whether it
// exists.
func (c *Convolution) reaches(row, column, tap int) (y, x int, inside bool) {
	y = row*c.Vertical.Stride + tap/c.Horizontal.Kernel - c.Vertical.Before
	x = column*c.Horizontal.Stride + tap%c.Horizontal.Kernel - c.Horizontal.Before
	return y, x, y >= 0 && y < c.Vertical.Input && x >= 0 && x < c.Horizontal.Input
}
