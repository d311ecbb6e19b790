package kernel

// Views are crops of images of a data set, Height by Width pixels of Channels numbers each: crop i
// is of image Chosen[i] with a black border of Padding pixels, begins Down[i] pixels down and
// Across[i] across in it, and is mirrored if Mirror[i] isn't 0.
type Views struct {
	Height, Width, Channels int
	Padding                 int32
	Chosen, Down, Across    []int32
	Mirror                  []int32
}

// Normalised writes the views, [views, Height, Width, Channels], times scale plus shift, both
// [Channels].
func (v Views) Normalised(output []float32, data []uint8, scale, shift []float32) {
	size := v.Height * v.Width * v.Channels
	Parallel(Workers(), len(v.Chosen), func(_, i int) {
		image := data[int(v.Chosen[i])*size:][:size]
		for y := range v.Height {
			row := y + int(v.Down[i]-v.Padding)
			to := output[i*size+y*v.Width*v.Channels:][:v.Width*v.Channels]
			if row < 0 || row >= v.Height {
				v.blacken(to, scale, shift)
				continue
			}
			v.row(i, to, image[row*v.Width*v.Channels:][:v.Width*v.Channels], scale, shift)
		}
	})
}

// row writes one row of a view.
func (v Views) row(i int, output []float32, image []uint8, scale, shift []float32) {
	for x := range v.Width {
		column := x
		if v.Mirror[i] != 0 {
			column = v.Width - 1 - x
		}
		column += int(v.Across[i] - v.Padding)
		pixel := output[x*v.Channels:][:v.Channels]
		if column < 0 || column >= v.Width {
			v.blacken(pixel, scale, shift)
			continue
		}
		for channel := range pixel {
			pixel[channel] = float32(image[column*v.Channels+channel])*scale[channel] +
				shift[channel]
		}
	}
}

// blacken writes pixels outside the image.
func (v Views) blacken(output, scale, shift []float32) {
	for i := range output {
		output[i] = 0*scale[i%v.Channels] + shift[i%v.Channels]
	}
}

// Pool are the sizes of a pooling of images [Images, Height, Width, Channels] over windows of two
// by two pixels. Height and Width are even, and Channels a multiple of RowChannels.
type Pool struct{ Images, Height, Width, Channels int }

// each runs do for every row of windows in parallel; top and bottom are the indices of its two rows
// of pixels, window the index of its first window.
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
		passes.poolRows(&output[window], &input[top], &input[bottom], p.Channels/rowLanes,
			p.Width/2)
	})
}

// MaximumGradient writes the gradient of the input from the output's: it goes to the first of a
// window's largest pixels, row by row. output may be input.
func (p Pool) MaximumGradient(output, gradient, input []float32) {
	p.each(func(top, bottom, window int) {
		passes.poolGradientRows(&output[top], &output[bottom], &gradient[window], &input[top],
			&input[bottom], p.Channels/rowLanes, p.Width/2)
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

// AverageGradient writes the gradient of Average's input from its output's.
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

// SumPixels writes the sums of input over the pixels of each image, [Images, Channels]. Any number
// of channels is allowed.
func SumPixels(p Pixels, output, input []float32) {
	p.each(func(image, from int) {
		sums := output[image*p.Channels : (image+1)*p.Channels]
		sumOfRows(sums, input[from:], p.Pixels)
	})
}

// SumImages writes the sums of input over the pixels of all images, [Channels]. Any number of
// channels is allowed.
func SumImages(p Pixels, output, input []float32) {
	images := borrow(p.Images * p.Channels)
	SumPixels(p, images, input)
	sumOfRows(output, images, p.Images)
	giveBack(images)
}

// SumRows writes the sum of the rows of input, [rows, as many as output]. Any number is allowed.
func SumRows(output, input []float32) { sumOfRows(output, input, len(input)/len(output)) }

// sumOfRows writes the sum of the first rows of input, each as long as sums.
func sumOfRows(sums, input []float32, rows int) {
	clear(sums)
	if rows == 0 {
		return
	}
	stride, whole := uintptr(len(sums)*numberBytes), len(sums)/rowLanes*rowLanes
	for from := 0; from < whole; {
		vectors := sumVectors(len(sums) - from)
		passes.sumRows[vectors](&sums[from], &input[from], stride, rows)
		from += vectors * rowLanes
	}
	for row := range rows {
		for i := whole; i < len(sums); i++ {
			sums[i] += input[row*len(sums)+i]
		}
	}
}

// SumProducts writes the sums of left times right over the pixels of each image, [Images,
// Channels].
func SumProducts(p Pixels, output, left, right []float32) {
	p.each(func(image, from int) {
		sums := output[image*p.Channels : (image+1)*p.Channels]
		clear(sums)
		addProducts(sums, left[from:], right[from:], p.Pixels)
	})
}

// sumVectors returns the number of vectors that one kernel sums, given the values left.
func sumVectors(numbers int) int {
	switch vectors := numbers / rowLanes; {
	case vectors >= 12:
		return 12
	case vectors >= 3:
		return 3
	}
	return 1
}

// Repeat writes each row of input as often as output has room for, copies next to each other.
func Repeat(rows int, output, input []float32) {
	size := len(input) / rows
	copies := len(output) / len(input)
	Parallel(Workers(), rows, func(_, row int) {
		from := input[row*size:][:size]
		for copied := range copies {
			copy(output[(row*copies+copied)*size:][:size], from)
		}
	})
}

// SumCopies writes the sum of the adjacent copies of each row.
func SumCopies(rows int, output, input []float32) {
	size := len(output) / rows
	copies := len(input) / len(output)
	Parallel(Workers(), rows, func(_, row int) {
		sums := output[row*size:][:size]
		copy(sums, input[row*copies*size:])
		for copied := 1; copied < copies; copied++ {
			addTo(sums, input[(row*copies+copied)*size:][:size])
		}
	})
}

// addTo adds values to sums, of the same length.
func addTo(sums, values []float32) { Add.eachRow(sums, sums, values) }
