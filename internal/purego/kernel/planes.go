package kernel

// planeLanes is the number of pixels in a vector of a planesTile.
const planeLanes = 16

// suitsPlanes reports whether the direct convolution by planes is possible and faster: for output
// channels that fill half of a vector, which neighbouring pixels of one channel fill whole. Its
// products are added in the same order.
func suitsPlanes(s *InstructionSet, c *Convolution) bool {
	const enough = 32 // products for an output: measured
	return c.products() >= enough && s.planesTile != nil &&
		c.OutputChannels == rowLanes && c.InputChannels%rowLanes == 0 &&
		c.Vertical.Stride == 1 && c.Horizontal.Stride == 1 &&
		c.Horizontal.Output/c.Horizontal.Dilation >= planeLanes && c.Horizontal.Input >= rowLanes
}

// planes is an image with each channel apart, inside its zeros: [channel][row][column].
type planes struct {
	memory          *scratch
	numbers         []float32
	row             []float32 // of the image, as it's read
	made            []float32 // by one tile
	channels, plane int
	taps            [][]uintptr // of each phase, in bytes
}

func newPlanes(c *convolver, memory *scratch) *planes {
	channels, plane := c.sizes.InputChannels, c.border.height*c.border.width
	p := &planes{memory: memory, channels: channels, plane: plane,
		numbers: memory.borrowZeros(channels * plane),
		row:     memory.borrow(c.sizes.Horizontal.Input * channels),
		made:    memory.borrow(2 * planeLanes * rowLanes)}
	for _, phase := range c.phases {
		taps := make([]uintptr, len(phase.taps))
		for i, offset := range phase.taps {
			taps[i] = offset / uintptr(channels)
		}
		p.taps = append(p.taps, taps)
	}
	return p
}

func (p *planes) close() { p.memory.giveBack(p.numbers, p.row, p.made) }

// read copies an image, eight pixels at a time.
func (p *planes) read(w *imageConvolver) {
	width := w.sizes.Horizontal.Input
	for row := range w.sizes.Vertical.Input {
		w.reader.copyRow(p.row, w.image, row)
		to := (row+w.border.top)*w.border.width + w.border.left
		for column := 0; column < width; column += rowLanes {
			column = min(column, width-rowLanes)
			passes.transposeBlocks(&p.numbers[to+column], &p.row[column*p.channels],
				uintptr(p.plane*numberBytes), uintptr(p.channels*numberBytes), p.channels/rowLanes)
		}
	}
}

// convolvePlanes computes the image in vectors of neighbouring pixels, two at a time.
func (w *imageConvolver) convolvePlanes() {
	w.planes.read(w)
	for i := range w.phases {
		p := &w.phases[i]
		if len(p.taps) == 0 {
			w.fill(p, w.blocks[0], 0, p.rows.count)
			continue
		}
		across := (p.columns.count + planeLanes - 1) / planeLanes
		for first := 0; first < p.rows.count*across; first += 2 {
			last := min(first+1, p.rows.count*across-1)
			w.planesTile(i, pixelAt(p, first, across), pixelAt(p, last, across))
		}
	}
}

// pixel is a place in an image.
type pixel struct{ row, column int }

// pixelAt returns the first pixel of a phase's vector. The last vector of a row may overlap the
// previous one.
func pixelAt(p *phase, vector, across int) pixel {
	return pixel{vector / across, min(vector%across*planeLanes, p.columns.count-planeLanes)}
}

// planesTile computes two vectors of pixels of a phase.
func (w *imageConvolver) planesTile(phase int, pixels ...pixel) {
	p, taps, b := &w.phases[phase], w.planes.taps[phase], w.blocks[0]
	start, scale, rectify := w.ends(b, true, true)
	from := func(at pixel) int { return at.row*w.border.width + at.column }
	w.set.planesTile(&w.planes.numbers[from(pixels[0])],
		uintptr((from(pixels[1])-from(pixels[0]))*numberBytes), uintptr(w.planes.plane*numberBytes),
		&taps[0], len(taps), w.planes.channels, w.packedWeights(b, p.firstTap, 0), start, scale,
		rectify, &w.planes.made[0], 2*planeLanes*numberBytes)
	for i, at := range pixels {
		to := w.outputPixel(p, at.row, at.column) * rowLanes
		passes.transposeBlocks(&w.result[to], &w.planes.made[i*planeLanes],
			uintptr(w.sizes.Horizontal.Dilation*rowLanes*numberBytes), 2*planeLanes*numberBytes,
			planeLanes/rowLanes)
	}
}
