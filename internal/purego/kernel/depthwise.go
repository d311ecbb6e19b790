package kernel

// Depthwise writes the convolution of each channel with its kernel: [Vertical.Kernel,
// Horizontal.Kernel, channels], with as many output channels as input channels.
func Depthwise(sizes Convolution, output, input, kernel []float32) {
	d := depthwise{sizes, input}
	vertical, horizontal := d.Vertical.residues(), d.Horizontal.residues()
	arranged := make([][]float32, len(horizontal))
	for i, columns := range horizontal {
		arranged[i] = d.tapsOf(columns, kernel)
	}
	row := d.Horizontal.Output * d.InputChannels
	Parallel(Workers(), d.Images*d.Vertical.Output, func(_, i int) {
		image, y := i/d.Vertical.Output, i%d.Vertical.Output
		to := output[i*row:][:row]
		clear(to)
		for j, columns := range horizontal {
			d.addRow(to, arranged[j], image, y, vertical[y%len(vertical)], columns)
		}
	})
}

type depthwise struct {
	Convolution
	input []float32
}

// tapsOf returns the kernel's columns that are taps of a residue, next to each other.
func (d *depthwise) tapsOf(columns residue, kernel []float32) (taps []float32) {
	for row := range d.Vertical.Kernel {
		for _, tap := range columns.taps {
			at := (row*d.Horizontal.Kernel + tap) * d.InputChannels
			taps = append(taps, kernel[at:at+d.InputChannels]...)
		}
	}
	return taps
}

// addRow adds the products of the pixels of an output's row that belong to a residue.
func (d *depthwise) addRow(output, kernel []float32, image, y int, rows, columns residue) {
	if len(columns.taps) == 0 {
		return
	}
	channels, width := d.InputChannels, d.Horizontal.Input
	top := y / d.Vertical.Dilation * d.Vertical.Stride
	for i := range columns.count {
		left := i*d.Horizontal.Stride + columns.offsets[0]
		first, end := max(0, -left), min(len(columns.taps), width-left)
		if first >= end {
			continue
		}
		to := output[(columns.first+i*d.Horizontal.Dilation)*channels:][:channels]
		for j, offset := range rows.offsets {
			if row := top + offset; row >= 0 && row < d.Vertical.Input {
				from := ((image*d.Vertical.Input+row)*width + left + first) * channels
				taps := (rows.taps[j]*len(columns.taps) + first) * channels
				addProducts(to, d.input[from:], kernel[taps:], end-first)
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
