package kernel

// A kernel gradient of eight input channels would leave registers unused or half empty if vectors
// held output channels. So they hold the input channels of neighbouring taps, and each gradient is
// multiplied with several: the same products, added in the same order.

// suitsTapVectors reports whether the direct algorithm computes by vectors of taps. More output
// channels fill vectors as well, and aren't faster: measured.
func suitsTapVectors(s *InstructionSet, c *Convolution) bool {
	return s.tapTile[2] != nil && c.InputChannels == rowLanes &&
		c.OutputChannels == rowLanes && c.Vertical.Kernel*c.Horizontal.Kernel > 2
}

// arrangeTaps divides the taps among vectors. The last one may hold a tap again.
func arrangeTaps(d *differentiator) {
	if !suitsTapVectors(d.set, d.sizes) {
		return
	}
	d.vectorTaps, d.direct = d.taps, true
	for len(d.vectorTaps)*rowLanes%d.set.lanes > 0 {
		d.vectorTaps = append(d.vectorTaps, d.taps[len(d.taps)-1])
	}
}

// addTaps adds one image's contribution by vectors of taps.
func (w *imageDifferentiator) addTaps(sums, gradient []float32) {
	columns, channels, step := w.sizes.Horizontal.Output, w.sizes.OutputChannels,
		w.set.lanes/rowLanes
	rowStride, pixelStride := w.sizes.Vertical.Stride*w.border.width*w.pixel,
		w.sizes.Horizontal.Stride*w.pixel
	length := len(w.vectorTaps) * rowLanes // of an output channel's sums
	group := max(1, gradientPixels/columns)
	for row := 0; row < w.sizes.Vertical.Output; row += group {
		rows := min(group, w.sizes.Vertical.Output-row)
		for channel := 0; channel < channels; channel += w.set.gradientChannels {
			for tap, vectors := 0, 0; tap < len(w.vectorTaps); tap += vectors * step {
				vectors = 3
				if left := (len(w.vectorTaps) - tap) / step; left == 2 || left == 4 {
					vectors = 2
				}
				w.set.tapTile[vectors](&w.padded[row*rowStride], &w.vectorTaps[tap],
					uintptr((rowStride-columns*pixelStride)*numberBytes),
					uintptr(pixelStride*numberBytes), &gradient[row*columns*channels+channel],
					uintptr(channels*numberBytes), rows, columns,
					&sums[channel*length+tap*rowLanes], uintptr(length*numberBytes))
			}
		}
	}
}

// collectTaps adds the partial sums in their order, and writes them.
func collectTaps(d *differentiator, output []float32) {
	total, length, outputs := d.sums[0], len(d.vectorTaps)*rowLanes, d.sizes.OutputChannels
	for _, part := range d.sums[1:] {
		addTo(total, part)
	}
	for i := range len(output) / outputs { // taps by input channels
		for channel := range outputs {
			output[i*outputs+channel] = total[channel*length+i]
		}
	}
}
