package kernel

import "math"

// Portable is the name of the kernels in plain Go, which run on every processor.
const Portable = "portable"

// portable holds the kernels in plain Go. They define the results: a test compares all sets with
// them.
var portable = InstructionSet{
	Name: Portable, lanes: quadLanes, tilePixels: [4]int{0, portablePixels, portablePixels,
		portablePixels},
	convolutionTile: [4]convolutionTile{nil, portableConvolution(1), portableConvolution(2),
		portableConvolution(3)},
	gradientChannels: quadLanes,
	kernelGradientTile: [4]kernelGradientTile{nil, portableKernelGradient(1),
		portableKernelGradient(2), portableKernelGradient(3)},
	transforms: []winogradTransforms{portableTransforms},
	passes:     &portablePasses,
}

var portableTransforms = winogradTransforms{
	lanes:          quadLanes,
	input:          portableTransform(inputLine),
	gradient:       portableTransform(gradientLine),
	kernel:         portableTransform(kernelLine),
	kernelGradient: portableTransform(kernelGradientLine),
	output:         portableOutputTransform,
}

var portablePasses = memoryPasses{
	multiplyRows: portableElementwise(multiplyNumbers), addRows: portableElementwise(addNumbers),
	maximumRows: portableElementwise(maximumOfNumbers), multiplySign: portableMultiplySign,
	copyBlocks: portableCopyBlocks, transposeBlocks: portableTransposeBlocks,
	normaliseRows: portableNormalise(false), normaliseRectifyRows: portableNormalise(true),
	normaliseAddRows:        portableNormaliseAdd(false),
	normaliseAddRectifyRows: portableNormaliseAdd(true),
	poolRows:                portablePool, poolGradientRows: portablePoolGradient,
	descend: portableDescend,

	sumRows: [13]sumRows{1: portableSum(1), 3: portableSum(3), 12: portableSum(12)},
	sumProductRows: [13]sumProductRows{1: portableSumProduct(1), 3: portableSumProduct(3),
		12: portableSumProduct(12)},
	rectifiedNoiseRows: [5]rectifiedNoiseRows{1: portableRectifiedNoise(1),
		2: portableRectifiedNoise(2), 4: portableRectifiedNoise(4)},
	momentRows: [5]momentRows{1: portableMoments(1), 2: portableMoments(2),
		4: portableMoments(4)},

	gradientSumRows: [5]gradientSumRows{
		1: portableGradientSum(1, everywhere), 2: portableGradientSum(2, everywhere),
		4: portableGradientSum(4, everywhere),
	},
	gradientSumRowsRectified: [5]gradientSumRows{
		1: portableGradientSum(1, wherePositive), 2: portableGradientSum(2, wherePositive),
		4: portableGradientSum(4, wherePositive),
	},
	gradientSumRowsActivated: [5]activatedSumRows{1: portableActivatedSum(1),
		2: portableActivatedSum(2), 4: portableActivatedSum(4)},
	normaliseGradientRows: [5]normaliseGradientRows{
		1: portableNormaliseGradient(1, everywhere), 2: portableNormaliseGradient(2, everywhere),
		4: portableNormaliseGradient(4, everywhere),
	},
	normaliseGradientRowsRectified: [5]normaliseGradientRows{
		1: portableNormaliseGradient(1, wherePositive), 2: portableNormaliseGradient(2,
			wherePositive), 4: portableNormaliseGradient(4, wherePositive),
	},
}

// portableCopyBlocks copies rows of a number of blocks of four numbers. Strides are in bytes.
func portableCopyBlocks(output, input *float32, outputStride, inputStride uintptr, blocks,
	rows int) {
	for row := range uintptr(rows) {
		copy(numbersAt(output, row*outputStride, blocks*blockNumbers),
			numbersAt(input, row*inputStride, blocks*blockNumbers))
	}
}

// portableTransposeBlocks transposes a number of blocks of 8 by 8 numbers: columns of eight rows of
// the input, one block after another, become rows of the output. Strides are in bytes.
func portableTransposeBlocks(output, input *float32, outputStride, inputStride uintptr,
	blocks int) {
	for column := range blocks * rowLanes {
		to := numbersAt(output, uintptr(column)*outputStride, rowLanes)
		for row := range to {
			to[row] = *moved(input, uintptr(row)*inputStride+uintptr(column*numberBytes))
		}
	}
}

// portableElementwise returns an operation on rows of a number of vectors of eight, with one row
// for all on the right.
func portableElementwise(row func(output, left, right []float32)) elementwiseRows {
	return func(output, left, right *float32, vectors, rows int) {
		length := vectors * rowLanes
		for i := range rows {
			at := uintptr(i * length * numberBytes)
			row(numbersAt(output, at, length), numbersAt(left, at, length),
				numbersAt(right, 0, length))
		}
	}
}

func multiplyNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = left[i] * right[i]
	}
}

func addNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = left[i] + right[i]
	}
}

func maximumOfNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = max(left[i], right[i])
	}
}

// portableDescend moves parameter and momentum by one step down the gradient, for a number of
// vectors of eight. settings are the learning rate, the momentum's factor and the weight decay.
func portableDescend(parameter, momentum, gradient, settings *float32, vectors int) {
	length := vectors * rowLanes
	weights, speeds, slopes := numbersAt(parameter, 0, length), numbersAt(momentum, 0, length),
		numbersAt(gradient, 0, length)
	s := numbersAt(settings, 0, 3)
	rate, factor, decay := s[0], s[1], s[2]
	for i := range weights {
		slope := slopes[i] + decay*weights[i]
		speed := factor*speeds[i] + slope
		speeds[i] = speed
		weights[i] -= rate * (slope + factor*speed)
	}
}

// Signs choose by masks of bits: branches on the signs of activations would be mispredicted half
// the time.

const (
	signBit   = 1 << 31
	bitsOfOne = 0x3f800000
	allBits   = 1<<32 - 1
)

// signOf is -1 or 1, and 0 for zeros and NaN.
func signOf(x float32) float32 {
	var nonzero uint32
	if x > 0 {
		nonzero = allBits
	}
	if x < 0 {
		nonzero = allBits
	}
	return math.Float32frombits((math.Float32bits(x)&signBit | bitsOfOne) & nonzero)
}

// whereAbove returns value if x is positive, or 0.
func whereAbove(x, value float32) float32 {
	var mask uint32
	if x > 0 {
		mask = allBits
	}
	return math.Float32frombits(math.Float32bits(value) & mask)
}

// portableMultiplySign writes gradient times the sign of activation for a number of vectors of
// eight.
func portableMultiplySign(output, gradient, activation *float32, vectors int) {
	length := vectors * rowLanes
	to, slopes, values := numbersAt(output, 0, length), numbersAt(gradient, 0, length),
		numbersAt(activation, 0, length)
	for i, value := range values {
		to[i] = slopes[i] * signOf(value)
	}
}

// portablePool writes the largest of the four pixels of windows that follow each other in two rows
// of pixels of a number of vectors of eight. A NaN among them wins.
func portablePool(output, top, bottom *float32, vectors, windows int) {
	length := vectors * rowLanes
	for window := range windows {
		at := uintptr(2 * window * length * numberBytes)
		above, below := numbersAt(top, at, 2*length), numbersAt(bottom, at, 2*length)
		to := numbersAt(output, at/2, length)
		for i := range to {
			to[i] = max(above[i], above[length+i], below[i], below[length+i])
		}
	}
}

// portablePoolGradient writes the gradient of windows of four pixels to the first of the largest,
// and zeros to the others. The windows follow each other in two rows of pixels of a number of
// vectors of eight. The outputs may be the inputs.
func portablePoolGradient(outputTop, outputBottom, gradient, top, bottom *float32, vectors,
	windows int) {
	length := vectors * rowLanes
	for window := range windows {
		at := uintptr(2 * window * length * numberBytes)
		above, below := numbersAt(top, at, 2*length), numbersAt(bottom, at, 2*length)
		toAbove, toBelow := numbersAt(outputTop, at, 2*length),
			numbersAt(outputBottom, at, 2*length)
		for i, slope := range numbersAt(gradient, at/2, length) {
			pixels := [4]float32{above[i], above[length+i], below[i], below[length+i]}
			largest := max(pixels[0], pixels[1], pixels[2], pixels[3])
			var slopes [4]float32
			for j, pixel := range pixels {
				if pixel == largest {
					slopes[j] = slope
					break
				}
			}
			toAbove[i], toAbove[length+i], toBelow[i], toBelow[length+i] = slopes[0], slopes[1],
				slopes[2], slopes[3]
		}
	}
}
