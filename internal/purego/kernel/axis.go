package kernel

// Axis describes the convolution along one spatial axis:
//
//	output[o] = sum over taps t of kernel[t] input[(o Stride + t - Before) / Dilation]
//
// summed over the taps for which the division is exact and the input exists. Stride or Dilation is
// 1.
type Axis struct {
	Input, Kernel, Output int
	Stride                int // of the output's positions in the input
	// zeros between the inputs, plus one: the stride of a convolution whose input gradient this is
	Dilation int
	Before   int // padding before the input; negative cuts
}

// residue is the set of taps that reach the outputs first, first+Dilation, ... of an axis.
type residue struct {
	first, count int
	taps         []int // of the kernel
	offsets      []int // where each tap reads, from the output's position
}

// residues divides an axis by the dilation: each is an undilated convolution with its share of the
// taps, so that nothing is multiplied by the zeros between the inputs.
func (a Axis) residues() []residue {
	var all []residue
	for first := range min(a.Dilation, a.Output) {
		r := residue{first: first, count: (a.Output - first + a.Dilation - 1) / a.Dilation}
		for tap := range a.Kernel {
			if position := first + tap - a.Before; position%a.Dilation == 0 {
				r.taps = append(r.taps, tap)
				r.offsets = append(r.offsets, position/a.Dilation)
			}
		}
		all = append(all, r)
	}
	return all
}

// border returns the zeros that the residues need before the input, and the size of the axis with
// the zeros on both sides.
func (a Axis) border(residues []residue) (before, size int) {
	for _, r := range residues {
		for _, offset := range r.offsets {
			before = max(before, -offset)
		}
	}
	size = before + a.Input
	for _, r := range residues {
		for _, offset := range r.offsets {
			size = max(size, before+(r.count-1)*a.Stride+offset+1)
		}
	}
	return before, size
}

type phase struct {
	rows, columns residue
	taps          []uintptr // byte offsets in the padded image
	firstTap      int       // index of its first tap among all phases' taps
}

// border is the place of an image inside its zeros, in pixels.
type border struct {
	top, left     int
	height, width int // with the zeros
}

// phases returns the phases of a convolution, the border they need, and the taps of the kernel, in
// the order in which the phases use them.
func (c *Convolution) phases() (all []phase, b border, order []int) {
	vertical, horizontal := c.Vertical.residues(), c.Horizontal.residues()
	b.top, b.height = c.Vertical.border(vertical)
	b.left, b.width = c.Horizontal.border(horizontal)
	for _, rows := range vertical {
		for _, columns := range horizontal {
			p := phase{rows: rows, columns: columns, firstTap: len(order)}
			p.taps = c.tapOffsets(rows, columns, b)
			order = append(order, c.tapOrder(rows, columns)...)
			all = append(all, p)
		}
	}
	return all, b, order
}

// tapOffsets returns where the taps of a phase read, from the output's position, in bytes of the
// padded image.
func (c *Convolution) tapOffsets(rows, columns residue, b border) []uintptr {
	var offsets []uintptr
	for _, down := range rows.offsets {
		for _, across := range columns.offsets {
			pixel := (down+b.top)*b.width + across + b.left
			offsets = append(offsets, uintptr(pixel*c.InputChannels*numberBytes))
		}
	}
	return offsets
}

// tapOrder returns the taps of a phase, counted over the whole kernel, in the order of their
// offsets.
func (c *Convolution) tapOrder(rows, columns residue) []int {
	var order []int
	for _, down := range rows.taps {
		for _, across := range columns.taps {
			order = append(order, down*c.Horizontal.Kernel+across)
		}
	}
	return order
}

// products returns the approximate number of products that an output sums.
func (c *Convolution) products() int {
	taps := c.Vertical.Kernel * c.Horizontal.Kernel
	return taps * c.InputChannels / (c.Vertical.Dilation * c.Horizontal.Dilation)
}

// outputNumbers returns the number of numbers in an output image.
func (c *Convolution) outputNumbers() int {
	return c.Vertical.Output * c.Horizontal.Output * c.OutputChannels
}
