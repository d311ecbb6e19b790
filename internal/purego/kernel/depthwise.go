package kernel

// Depthwise writes the convolution of each channel with a kernel of its own: the kernel is
// [Vertical.Kernel, Horizontal.Kernel, channels], with as many output channels as input channels.
func Depthwise(sizes Convolution, output, input, kernel []float32) {
	vertical, horizontal := sizes.Vertical.residues(), sizes.Horizontal.residues()
	arranged := make([][]float32, len(horizontal))
	for i, columns := range horizontal {
		arranged[i] = sizes.tapsOf(columns, kernel)
	}
	row := sizes.Horizontal.Output * sizes.InputChannels
	Parallel(Workers(), sizes.Images*sizes.Vertical.Output, func(_, i int) {
		image, y := i/sizes.Vertical.Output, i%sizes.Vertical.Output
		to := output[i*row:][:row]
		clear(to)
		for j, columns := range horizontal {
			sizes.addDepthwise(to, input, arranged[j], image, y, vertical[y%len(vertical)], columns)
		}
	})
}

// tapsOf returns the kernel's columns that are taps of a residue, next to each other.
func (c *Convolution) tapsOf(columns residue, kernel []float32) (taps []float32) {
	for row := range c.Vertical.Kernel {
		for _, tap := range columns.taps {
			at := (row*c.Horizontal.Kernel + tap) * c.InputChannels
			taps = append(taps, kernel[at:at+c.InputChannels]...)
		}
	}
	return taps
}

// addDepthwise adds the products of the pixels of a row that belong to a residue.
func (c *Convolution) addDepthwise(output, input, kernel []float32, image, y int,
	rows, columns residue) {
	if len(columns.taps) == 0 {
		return
	}
	channels, width := c.InputChannels, c.Horizontal.Input
	top := y / c.Vertical.Dilation * c.Vertical.Stride
	for i := range columns.count {
		left := i*c.Horizontal.Stride + columns.offsets[0]
		first, end := max(0, -left), min(len(columns.taps), width-left)
		if first >= end {
			continue
		}
		to := output[(columns.first+i*c.Horizontal.Dilation)*channels:][:channels]
		for j, offset := range rows.offsets {
			if row := top + offset; row >= 0 && row < c.Vertical.Input {
				from := ((image*c.Vertical.Input+row)*width + left + first) * channels
				taps := (rows.taps[j]*len(columns.taps) + first) * channels
				addProducts(to, input[from:], kernel[taps:], end-first)
			}
		}
	}
}

// addProducts adds the sums of left times right over rows to sums.
func addProducts(sums, left, right []float32, rows int) {
	channels, stride := len(sums), uintptr(len(sums)*numberBytes)
	channel := 0
	for channel+rowLanes <= channels {
		vectors := sumVectors(channels - channel)
		passes.sumProductRows[vectors](&sums[channel], &left[channel], &right[channel], stride,
			rows)
		channel += vectors * rowLanes
	}
	for ; channel < channels; channel++ {
		for at := channel; at < rows*channels; at += channels {
			sums[channel] += left[at] * right[at]
		}
	}
}
