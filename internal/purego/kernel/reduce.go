package kernel

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
		stride := uintptr(p.Channels * numberBytes)
		for channel := 0; channel < p.Channels; {
			vectors := sumVectors(p.Channels - channel)
			passes.sumProductRows[vectors](&sums[channel], &left[from+channel], &right[from+channel], stride, p.Pixels)
			channel += vectors * rowLanes
		}
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
