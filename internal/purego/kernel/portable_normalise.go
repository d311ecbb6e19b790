package kernel

// The sums and moments take the first vectors of eight of each row. Rows are stride bytes apart.

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
		totals, squareTotals, origins := numbersAt(sums, 0, length), numbersAt(squares, 0, length),
			numbersAt(origin, 0, length)
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
	return func(output, gradient, input, scale, scaleSums, outputSums *float32, stride uintptr,
		rows int) {
		scales, inputTotals, outputTotals := numbersAt(scale, 0, length),
			numbersAt(scaleSums, 0, length), numbersAt(outputSums, 0, length)
		for row := range uintptr(rows) {
			at := row * stride
			to, slopes, inputs := numbersAt(output, at, length), numbersAt(gradient, at, length),
				numbersAt(input, at, length)
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

// The first four kernels of normalisation take rows of a number of vectors of eight; scale and
// shift are the same row for all.

// portableNormalise writes input times scale plus shift, with negative results replaced by zero
// if rectify is set.
func portableNormalise(rectify bool) affineRows {
	return func(output, input, scale, shift *float32, vectors, rows int) {
		length := vectors * rowLanes
		scales, shifts := numbersAt(scale, 0, length), numbersAt(shift, 0, length)
		for row := range rows {
			at := uintptr(row * length * numberBytes)
			to, from := numbersAt(output, at, length), numbersAt(input, at, length)
			for i, factor := range scales {
				to[i] = from[i]*factor + shifts[i]
				if rectify {
					to[i] = max(to[i], 0)
				}
			}
		}
	}
}

// portableNormaliseAdd is portableNormalise of the sum with residual.
func portableNormaliseAdd(rectify bool) affineSumRows {
	return func(output, input, residual, scale, shift *float32, vectors, rows int) {
		length := vectors * rowLanes
		scales, shifts := numbersAt(scale, 0, length), numbersAt(shift, 0, length)
		for row := range rows {
			at := uintptr(row * length * numberBytes)
			to, from, added := numbersAt(output, at, length), numbersAt(input, at, length),
				numbersAt(residual, at, length)
			for i, factor := range scales {
				to[i] = from[i]*factor + shifts[i] + added[i]
				if rectify {
					to[i] = max(to[i], 0)
				}
			}
		}
	}
}

// reach selects the gradients of a normalisation's output that reach the normalisation.
type reach bool

const (
	everywhere reach = false
	// where input times the second row of coefficients plus the third is positive
	wherePositive reach = true
)

// of returns the gradient if it reaches an input, or 0.
func (r reach) of(gradient, input, factor, shift float32) float32 {
	if r == everywhere {
		return gradient
	}
	return whereAbove(input*factor+shift, gradient)
}

// portableGradientSum adds the gradients that reach the normalisation to sums, and times input to
// products, over the first vectors of eight of each row. Rows, the coefficients' too, are stride
// bytes apart.
func portableGradientSum(vectors int, r reach) gradientSumRows {
	length := vectors * rowLanes
	return func(sums, products, gradient, input, coefficients *float32, stride uintptr, rows int) {
		totals, productTotals := numbersAt(sums, 0, length), numbersAt(products, 0, length)
		factors, shifts := numbersAt(coefficients, factorRow*stride, length),
			numbersAt(coefficients, shiftRow*stride, length)
		for row := range uintptr(rows) {
			slopes := numbersAt(gradient, row*stride, length)
			for i, value := range numbersAt(input, row*stride, length) {
				slope := r.of(slopes[i], value, factors[i], shifts[i])
				totals[i] += slope
				productTotals[i] += slope * value
			}
		}
	}
}

// portableActivatedSum is portableGradientSum for the gradients where activation is positive, which
// it writes to masked.
func portableActivatedSum(vectors int) activatedSumRows {
	length := vectors * rowLanes
	return func(sums, products, masked, gradient, activation, input *float32, stride uintptr,
		rows int) {
		totals, productTotals := numbersAt(sums, 0, length), numbersAt(products, 0, length)
		for row := range uintptr(rows) {
			at := row * stride
			to, slopes := numbersAt(masked, at, length), numbersAt(gradient, at, length)
			activations, inputs := numbersAt(activation, at, length), numbersAt(input, at, length)
			for i := range totals {
				slope := whereAbove(activations[i], slopes[i])
				to[i] = slope
				totals[i] += slope
				productTotals[i] += slope * inputs[i]
			}
		}
	}
}

// portableNormaliseGradient forms x, the gradient that reaches the normalisation times the fourth
// row of coefficients, plus input times the fifth, plus the sixth. It writes x times the first to
// output and adds x times input to scaleSums. Rows are as for portableGradientSum.
func portableNormaliseGradient(vectors int, r reach) normaliseGradientRows {
	length := vectors * rowLanes
	return func(output, scaleSums, gradient, input, coefficients *float32, stride uintptr,
		rows int) {
		var c [coefficientRows][]float32
		for row := range c {
			c[row] = numbersAt(coefficients, uintptr(row)*stride, length)
		}
		totals := numbersAt(scaleSums, 0, length)
		for row := range uintptr(rows) {
			to, slopes := numbersAt(output, row*stride, length), numbersAt(gradient, row*stride,
				length)
			for i, value := range numbersAt(input, row*stride, length) {
				slope := r.of(slopes[i], value, c[factorRow][i], c[shiftRow][i])
				x := c[gradientRow][i]*slope + (c[inputRow][i]*value + c[constantRow][i])
				totals[i] += x * value
				to[i] = x * c[scaleRow][i]
			}
		}
	}
}
