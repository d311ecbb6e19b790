package kernel

// Pool are the sizes of a pooling of images [Images, Height, Width, Channels] over windows of two
// by two pixels. Height and Width are even, and Channels a multiple of RowChannels.
type Pool struct{ Images, Height, Width, Channels int }

// each runs do for every row of windows in parallel; top and bottom are the indices of its two rows
// of pixels, window that of its first window.
func (p Pool) each(do func(top, bottom, window int)) {
	row, half := p.Width*p.Channels, p.Height/2
	Parallel(Workers(), p.Images, func(_, image int) {
		for y := range half {
			top := (image*half + y) * 2 * row
			do(top, top+row, (image*half+y)*row/2)
		}
	})
}

// Maximum writes the largest pixel of each window, by channel, [Images, Height/2, Width/2,
// Channels]. A NaN wins.
func (p Pool) Maximum(output, input []float32) {
	p.each(func(top, bottom, window int) {
		passes.poolRows(&output[window], &input[top], &input[bottom], p.Channels/rowLanes, p.Width/2)
	})
}

// MaximumGradient writes the gradient of the input, from that of the output: it goes to the first
// of a window's largest pixels, row by row. output may be input.
func (p Pool) MaximumGradient(output, gradient, input []float32) {
	p.each(func(top, bottom, window int) {
		passes.poolGradientRows(&output[top], &output[bottom], &gradient[window], &input[top], &input[bottom], p.Channels/rowLanes, p.Width/2)
	})
}

// Average writes the mean of input over the pixels of each image, [Images, Channels]. Any number of
// channels is allowed.
func Average(p Pixels, output, input []float32) {
	share := 1 / float32(p.Pixels)
	p.each(func(image, from int) {
		sums := output[image*p.Channels:][:p.Channels]
		sumOfRows(sums, input[from:], p.Pixels)
		for channel := range sums {
			sums[channel] *= share
		}
	})
}

// AverageGradient writes the gradient of the input of Average from that of its output.
func AverageGradient(p Pixels, output, gradient []float32) {
	share := 1 / float32(p.Pixels)
	p.each(func(image, from int) {
		first := output[from:][:p.Channels]
		for channel := range first {
			first[channel] = gradient[image*p.Channels+channel] * share
		}
		for pixel := 1; pixel < p.Pixels; pixel++ {
			copy(output[from+pixel*p.Channels:][:p.Channels], first)
		}
	})
}
