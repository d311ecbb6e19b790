package kernel

// lineMap maps a line of a square, quads in plain numbers, to another: one dimension of a
// transform of Winograd's convolution. Lines shorter than patchSide leave the rest alone.
type lineMap func(to, from *[patchSide]quad, constants *[7]float32)

// portableTransform returns the linear map of squares of quads that applies a map to the columns,
// then to the rows. It treats so many vectors one after another. Offsets say, in bytes, where the
// squares' elements lie, row by row.
func portableTransform(fromSide, toSide int, apply lineMap) transform {
	return func(input *float32, inputOffsets *uintptr, output *float32, outputOffsets *uintptr,
		constants, _ *float32, vectors int) {
		from, to := offsetsAt(inputOffsets, fromSide*fromSide), offsetsAt(outputOffsets, toSide*toSide)
		factors := constantsAt(constants)
		var square [frequencies]quad
		for vector := range uintptr(vectors) {
			at := vector * quadLanes * numberBytes
			for i, offset := range from {
				square[i] = *quadAt(input, offset+at)
			}
			mapSquare(&square, fromSide, toSide, apply, &factors)
			for i, offset := range to {
				*quadAt(output, offset+at) = square[i]
			}
		}
	}
}

// portableOutputTransform maps frequencies to pixels of the output, adds bias, multiplies by scale
// and takes the maximum with a floor, the seventh constant. A NaN stays.
func portableOutputTransform(input *float32, inputOffsets *uintptr, output *float32, outputOffsets *uintptr,
	constants, _ *float32, vectors int, bias, scale *float32) {
	from, to := offsetsAt(inputOffsets, frequencies), offsetsAt(outputOffsets, tileSide*tileSide)
	factors := constantsAt(constants)
	floor := factors[6]
	var square [frequencies]quad
	for vector := range uintptr(vectors) {
		at := vector * quadLanes * numberBytes
		for i, offset := range from {
			square[i] = *quadAt(input, offset+at)
		}
		mapSquare(&square, patchSide, tileSide, outputLine, &factors)
		biases, scales := quadAt(bias, at), quadAt(scale, at)
		for i, offset := range to {
			pixel := quadAt(output, offset+at)
			for lane, value := range square[i] {
				pixel[lane] = max((value+biases[lane])*scales[lane], floor)
			}
		}
	}
}

// mapSquare maps the columns of a square, then the rows of the result, in place.
func mapSquare(square *[frequencies]quad, fromSide, toSide int, apply lineMap, constants *[7]float32) {
	var columns [frequencies]quad // [column][row]
	var line, mapped [patchSide]quad
	for column := range fromSide {
		for row := range fromSide {
			line[row] = square[row*fromSide+column]
		}
		apply((*[patchSide]quad)(columns[column*patchSide:]), &line, constants)
	}
	for row := range toSide {
		for column := range fromSide {
			line[column] = columns[column*patchSide+row]
		}
		apply(&mapped, &line, constants)
		copy(square[row*toSide:], mapped[:toSide])
	}
}

// constantsAt copies the constants of a transform: six or, with that of the last weight or the
// floor, seven.
func constantsAt(p *float32) [7]float32 { return [7]float32(numbersAt(p, 0, 7)) }

// The points of the transforms are 0, a, -a, b, -b and infinity. Those of opposite sign share their
// even and odd part.

// inputLine maps 6 pixels of the input to frequencies; constants are a, b, a^2, b^2, a^2 + b^2 and
// a^2 b^2.
func inputLine(to, from *[patchSide]quad, constants *[7]float32) {
	a, b, aa, bb, sum, product := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5]
	for lane := range quadLanes {
		x0, x1, x2 := from[0][lane], from[1][lane], from[2][lane]
		x3, x4, x5 := from[3][lane], from[4][lane], from[5][lane]
		evenA, oddA := x4-bb*x2, x3-bb*x1
		evenB, oddB := x4-aa*x2, x3-aa*x1
		to[0][lane] = product*x0 - sum*x2 + x4
		to[1][lane] = evenA + a*oddA
		to[2][lane] = evenA - a*oddA
		to[3][lane] = evenB + b*oddB
		to[4][lane] = evenB - b*oddB
		to[5][lane] = product*x1 - sum*x3 + x5
	}
}

// outputLine maps frequencies to 4 pixels of the output; constants are a, b, a^2, b^2, a^3 and b^3.
func outputLine(to, from *[patchSide]quad, constants *[7]float32) {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5]
	for lane := range quadLanes {
		evenA, oddA := from[1][lane]+from[2][lane], from[1][lane]-from[2][lane]
		evenB, oddB := from[3][lane]+from[4][lane], from[3][lane]-from[4][lane]
		to[0][lane] = from[0][lane] + evenA + evenB
		to[1][lane] = a*oddA + b*oddB
		to[2][lane] = aa*evenA + bb*evenB
		to[3][lane] = from[5][lane] + aaa*oddA + bbb*oddB
	}
}

// gradientLine maps 4 pixels of the output's gradient to frequencies; constants are those of
// outputLine.
func gradientLine(to, from *[patchSide]quad, constants *[7]float32) {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5]
	for lane := range quadLanes {
		x0, x1, x2, x3 := from[0][lane], from[1][lane], from[2][lane], from[3][lane]
		evenA, oddA := x0+aa*x2, a*x1+aaa*x3
		evenB, oddB := x0+bb*x2, b*x1+bbb*x3
		to[0][lane] = x0
		to[1][lane] = evenA + oddA
		to[2][lane] = evenA - oddA
		to[3][lane] = evenB + oddB
		to[4][lane] = evenB - oddB
		to[5][lane] = x3
	}
}

// kernelLine maps 3 taps of a kernel to frequencies; constants are, for the weights k, l and m of
// the points 0, a and b: k, l, l a, l a^2, m, m b and m b^2.
func kernelLine(to, from *[patchSide]quad, constants *[7]float32) {
	k, l, la, laa, m, mb, mbb := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5], constants[6]
	for lane := range quadLanes {
		x0, x1, x2 := from[0][lane], from[1][lane], from[2][lane]
		evenA, evenB := l*x0+laa*x2, m*x0+mbb*x2
		to[0][lane] = k * x0
		to[1][lane] = evenA + la*x1
		to[2][lane] = evenA - la*x1
		to[3][lane] = evenB + mb*x1
		to[4][lane] = evenB - mb*x1
		to[5][lane] = x2
	}
}

// kernelGradientLine maps frequencies to the gradients of 3 taps; constants are those of
// kernelLine.
func kernelGradientLine(to, from *[patchSide]quad, constants *[7]float32) {
	k, l, la, laa, m, mb, mbb := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5], constants[6]
	for lane := range quadLanes {
		evenA, oddA := from[1][lane]+from[2][lane], from[1][lane]-from[2][lane]
		evenB, oddB := from[3][lane]+from[4][lane], from[3][lane]-from[4][lane]
		to[0][lane] = k*from[0][lane] + l*evenA + m*evenB
		to[1][lane] = la*oddA + mb*oddB
		to[2][lane] = from[5][lane] + laa*evenA + mbb*evenB
	}
}
