package kernel

import "math"

// winogradLine is one dimension of a transform of Winograd's convolution: a linear map of a line of
// quads to another, in plain numbers.
type winogradLine int

const (
	inputLine winogradLine = iota
	outputLine
	gradientLine
	kernelLine
	kernelGradientLine
)

// quadLine is the places of up to six quads. A line that is shorter leaves the last ones unused.
type quadLine [patchSide]*quad

// apply maps a line. It calls the maps by name: through a function value, the lines would escape
// to the heap.
func (l winogradLine) apply(to, from *quadLine, constants *[7]float32) {
	switch l {
	case inputLine:
		mapInput(to, from, constants)
	case outputLine:
		mapOutput(to, from, constants)
	case gradientLine:
		mapGradient(to, from, constants)
	case kernelLine:
		mapKernel(to, from, constants)
	case kernelGradientLine:
		mapKernelGradient(to, from, constants)
	}
}

// sides returns the sides of the squares that a transform maps and makes.
func (l winogradLine) sides() (from, to int) {
	switch l {
	case inputLine:
		return patchSide, patchSide
	case outputLine:
		return patchSide, tileSide
	case gradientLine:
		return tileSide, patchSide
	case kernelLine:
		return tapSide, patchSide
	}
	return patchSide, tapSide
}

// portableTransform returns the linear map of squares of quads that maps the columns, then the
// rows. It maps a number of vectors one after another. Offsets are those of a square's elements in
// bytes, row by row; work has room for a square.
func portableTransform(line winogradLine) transform {
	return func(input *float32, inputOffsets *uintptr, output *float32, outputOffsets *uintptr,
		constants, work *float32, vectors int) {
		for vector := range uintptr(vectors) {
			at := vector * quadLanes * numberBytes
			line.mapSquare(moved(input, at), inputOffsets, moved(output, at), outputOffsets,
				constants, work)
		}
	}
}

// portableOutputTransform maps frequencies to pixels of the output, adds bias, multiplies by scale
// and takes the maximum with a floor, the seventh constant. A NaN stays.
func portableOutputTransform(input *float32, inputOffsets *uintptr, output *float32,
	outputOffsets *uintptr,
	constants, work *float32, vectors int, bias, scale *float32) {
	floor := numbersAt(constants, 0, 7)[6]
	for vector := range uintptr(vectors) {
		at := vector * quadLanes * numberBytes
		outputLine.mapSquare(moved(input, at), inputOffsets, moved(output, at), outputOffsets,
			constants, work)
		biases, scales := quadAt(bias, at), quadAt(scale, at)
		for _, offset := range offsetsAt(outputOffsets, tileSide*tileSide) {
			pixel := quadAt(output, offset+at)
			for lane, value := range pixel {
				pixel[lane] = max((value+biases[lane])*scales[lane], floor)
			}
		}
	}
}

// mapSquare maps the columns of a square, then the rows of the result, which is in work.
func (l winogradLine) mapSquare(input *float32, inputOffsets *uintptr, output *float32,
	outputOffsets *uintptr, constants, work *float32) {
	fromSide, toSide := l.sides()
	offsets, toOffsets := offsetsAt(inputOffsets, fromSide*fromSide),
		offsetsAt(outputOffsets, toSide*toSide)
	factors := (*[7]float32)(numbersAt(constants, 0, 7))
	var from, to quadLine
	for column := range fromSide {
		for row := range fromSide {
			from[row] = quadAt(input, offsets[row*fromSide+column])
		}
		for row := range toSide {
			to[row] = quadAt(work, uintptr((row*fromSide+column)*quadLanes*numberBytes))
		}
		l.apply(&to, &from, factors)
	}
	for row := range toSide {
		for column := range fromSide {
			from[column] = quadAt(work, uintptr((row*fromSide+column)*quadLanes*numberBytes))
		}
		for column := range toSide {
			to[column] = quadAt(output, toOffsets[row*toSide+column])
		}
		l.apply(&to, &from, factors)
	}
}

// The points of the transforms are 0, a, -a, b, -b and infinity. Points of opposite sign share
// their even and odd part.

// The points besides 0 and infinity are plus and minus these. They are exact in binary, and of the
// pairs with few digits they lose the least: float32 errors are a third of those with the usual 1
// and 2.
const (
	pointA = 0.75
	pointB = 1.5
	aa, bb = pointA * pointA, pointB * pointB
	// The weights of the points in the kernel's transform: one over the products of the differences
	// to the others.
	weightZero = 1 / (aa * bb)
	weightA    = 1 / (2 * aa * (aa - bb))
	weightB    = 1 / (2 * bb * (bb - aa))
)

// The constants of the transforms.
var (
	inputConstants = []float32{pointA, pointB, aa, bb, aa + bb, aa * bb, 0}
	powerConstants = []float32{pointA, pointB, aa, bb, aa * pointA, bb * pointB,
		float32(math.Inf(-1))}
	rectifyConstants  = []float32{pointA, pointB, aa, bb, aa * pointA, bb * pointB, 0}
	weightedConstants = []float32{weightZero, weightA, weightA * pointA, weightA * aa, weightB,
		weightB * pointB, weightB * bb}
)

// mapInput maps 6 pixels of the input to frequencies; constants are a, b, a^2, b^2, a^2 + b^2 and
// a^2 b^2.
func mapInput(to, from *quadLine, constants *[7]float32) {
	a, b, aa, bb, sum, product := constants[0], constants[1], constants[2], constants[3],
		constants[4], constants[5]
	f0, f1, f2, f3, f4, f5 := from[0], from[1], from[2], from[3], from[4], from[5]
	t0, t1, t2, t3, t4, t5 := to[0], to[1], to[2], to[3], to[4], to[5]
	for lane := range quadLanes {
		x0, x1, x2 := f0[lane], f1[lane], f2[lane]
		x3, x4, x5 := f3[lane], f4[lane], f5[lane]
		evenA, oddA := x4-bb*x2, x3-bb*x1
		evenB, oddB := x4-aa*x2, x3-aa*x1
		t0[lane] = product*x0 - sum*x2 + x4
		t1[lane] = evenA + a*oddA
		t2[lane] = evenA - a*oddA
		t3[lane] = evenB + b*oddB
		t4[lane] = evenB - b*oddB
		t5[lane] = product*x1 - sum*x3 + x5
	}
}

// mapOutput maps frequencies to 4 pixels of the output; constants are a, b, a^2, b^2, a^3 and b^3.
func mapOutput(to, from *quadLine, constants *[7]float32) {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4],
		constants[5]
	f0, f1, f2, f3, f4, f5 := from[0], from[1], from[2], from[3], from[4], from[5]
	t0, t1, t2, t3 := to[0], to[1], to[2], to[3]
	for lane := range quadLanes {
		evenA, oddA := f1[lane]+f2[lane], f1[lane]-f2[lane]
		evenB, oddB := f3[lane]+f4[lane], f3[lane]-f4[lane]
		t0[lane] = f0[lane] + evenA + evenB
		t1[lane] = a*oddA + b*oddB
		t2[lane] = aa*evenA + bb*evenB
		t3[lane] = f5[lane] + aaa*oddA + bbb*oddB
	}
}

// mapGradient maps 4 pixels of the output's gradient to frequencies; constants are mapOutput's.
func mapGradient(to, from *quadLine, constants *[7]float32) {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4],
		constants[5]
	f0, f1, f2, f3 := from[0], from[1], from[2], from[3]
	t0, t1, t2, t3, t4, t5 := to[0], to[1], to[2], to[3], to[4], to[5]
	for lane := range quadLanes {
		x0, x1, x2, x3 := f0[lane], f1[lane], f2[lane], f3[lane]
		evenA, oddA := x0+aa*x2, a*x1+aaa*x3
		evenB, oddB := x0+bb*x2, b*x1+bbb*x3
		t0[lane] = x0
		t1[lane] = evenA + oddA
		t2[lane] = evenA - oddA
		t3[lane] = evenB + oddB
		t4[lane] = evenB - oddB
		t5[lane] = x3
	}
}

// mapKernel maps 3 taps of a kernel to frequencies; constants are, for the weights k, l and m of
// the points 0, a and b: k, l, l a, l a^2, m, m b and m b^2.
func mapKernel(to, from *quadLine, constants *[7]float32) {
	k, l, la, laa, m, mb, mbb := constants[0], constants[1], constants[2], constants[3],
		constants[4], constants[5], constants[6]
	f0, f1, f2 := from[0], from[1], from[2]
	t0, t1, t2, t3, t4, t5 := to[0], to[1], to[2], to[3], to[4], to[5]
	for lane := range quadLanes {
		x0, x1, x2 := f0[lane], f1[lane], f2[lane]
		evenA, evenB := l*x0+laa*x2, m*x0+mbb*x2
		t0[lane] = k * x0
		t1[lane] = evenA + la*x1
		t2[lane] = evenA - la*x1
		t3[lane] = evenB + mb*x1
		t4[lane] = evenB - mb*x1
		t5[lane] = x2
	}
}

// mapKernelGradient maps frequencies to the gradients of 3 taps; constants are mapKernel's.
func mapKernelGradient(to, from *quadLine, constants *[7]float32) {
	k, l, la, laa, m, mb, mbb := constants[0], constants[1], constants[2], constants[3],
		constants[4], constants[5], constants[6]
	f0, f1, f2, f3, f4, f5 := from[0], from[1], from[2], from[3], from[4], from[5]
	t0, t1, t2 := to[0], to[1], to[2]
	for lane := range quadLanes {
		evenA, oddA := f1[lane]+f2[lane], f1[lane]-f2[lane]
		evenB, oddB := f3[lane]+f4[lane], f3[lane]-f4[lane]
		t0[lane] = k*f0[lane] + l*evenA + m*evenB
		t1[lane] = la*oddA + mb*oddB
		t2[lane] = f5[lane] + laa*evenA + mbb*evenB
	}
}
