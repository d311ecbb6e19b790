package kernel

// The kernels of this file take the first vectors of eight of each row. Rows are stride bytes apart.

// portableSum adds rows to sums.
func portableSum(vectors int) sumRows {
	length := vectors * rowLanes
	return func(sums, input *float32, stride uintptr, rows int) {
		totals := numbersAt(sums, 0, length)
		for row := range uintptr(rows) {
			for i, value := range numbersAt(input, row*stride, length) {
				totals[i] += value
			}
		}
	}
}

// portableSumProduct adds left times right to sums.
func portableSumProduct(vectors int) sumProductRows {
	length := vectors * rowLanes
	return func(sums, left, right *float32, stride uintptr, rows int) {
		totals := numbersAt(sums, 0, length)
		for row := range uintptr(rows) {
			factors := numbersAt(right, row*stride, length)
			for i, value := range numbersAt(left, row*stride, length) {
				totals[i] += value * factors[i]
			}
		}
	}
}

// portableMoments adds input minus origin to sums, and the squares of the same to squares; origin
// is the same row for all.
func portableMoments(vectors int) momentRows {
	length := vectors * rowLanes
	return func(sums, squares, input, origin *float32, stride uintptr, rows int) {
		totals, squareTotals, origins := numbersAt(sums, 0, length), numbersAt(squares, 0, length), numbersAt(origin, 0, length)
		for row := range uintptr(rows) {
			for i, value := range numbersAt(input, row*stride, length) {
				distance := value - origins[i]
				totals[i] += distance
				squareTotals[i] += distance * distance
			}
		}
	}
}

// portableRectifiedNoise forms x, the gradient where input times scale is positive. It writes x
// times scale to output, adds that to outputSums and x times input to scaleSums.
func portableRectifiedNoise(vectors int) rectifiedNoiseRows {
	length := vectors * rowLanes
	return func(output, gradient, input, scale, scaleSums, outputSums *float32, stride uintptr, rows int) {
		scales, inputTotals, outputTotals := numbersAt(scale, 0, length), numbersAt(scaleSums, 0, length), numbersAt(outputSums, 0, length)
		for row := range uintptr(rows) {
			at := row * stride
			to, slopes, inputs := numbersAt(output, at, length), numbersAt(gradient, at, length), numbersAt(input, at, length)
			for i, factor := range scales {
				value := inputs[i]
				slope := whereAbove(value*factor, slopes[i])
				inputTotals[i] += slope * value
				to[i] = slope * factor
				outputTotals[i] += slope * factor
			}
		}
	}
}
