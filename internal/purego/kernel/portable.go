package kernel

// Portable is the name of the kernels in plain Go, which run on every processor.
const Portable = "portable"

// portable is the kernels in plain Go. They define what those of other sets compute: a test
// compares all sets with them.
var portable = InstructionSet{
	Name: Portable, lanes: quadLanes, tilePixels: [4]int{0, portablePixels, portablePixels, portablePixels},
	convolutionTile:    [4]convolutionTile{nil, portableConvolution(1), portableConvolution(2), portableConvolution(3)},
	gradientChannels:   quadLanes,
	kernelGradientTile: [4]kernelGradientTile{nil, portableKernelGradient(1), portableKernelGradient(2), portableKernelGradient(3)},
	transforms:         []winogradTransforms{portableTransforms},
	passes:             &portablePasses,
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
	normaliseRows: portableNormalise, normaliseRectifyRows: portableNormaliseRectify,
	normaliseAddRows: portableNormaliseAdd, normaliseAddRectifyRows: portableNormaliseAddRectify,
	poolRows: portablePool, poolGradientRows: portablePoolGradient, descend: portableDescend,

	sumRows:            [13]sumRows{1: portableSum(1), 3: portableSum(3), 12: portableSum(12)},
	sumProductRows:     [13]sumProductRows{1: portableSumProduct(1), 3: portableSumProduct(3), 12: portableSumProduct(12)},
	rectifiedNoiseRows: [5]rectifiedNoiseRows{1: portableRectifiedNoise(1), 2: portableRectifiedNoise(2), 4: portableRectifiedNoise(4)},
	momentRows:         [5]momentRows{1: portableMoments(1), 2: portableMoments(2), 4: portableMoments(4)},

	gradientSumRows: [5]gradientSumRows{
		1: portableGradientSum(1, everywhere), 2: portableGradientSum(2, everywhere), 4: portableGradientSum(4, everywhere),
	},
	gradientSumRowsRectified: [5]gradientSumRows{
		1: portableGradientSum(1, wherePositive), 2: portableGradientSum(2, wherePositive), 4: portableGradientSum(4, wherePositive),
	},
	gradientSumRowsActivated: [5]activatedSumRows{1: portableActivatedSum(1), 2: portableActivatedSum(2), 4: portableActivatedSum(4)},
	normaliseGradientRows: [5]normaliseGradientRows{
		1: portableNormaliseGradient(1, everywhere), 2: portableNormaliseGradient(2, everywhere), 4: portableNormaliseGradient(4, everywhere),
	},
	normaliseGradientRowsRectified: [5]normaliseGradientRows{
		1: portableNormaliseGradient(1, wherePositive), 2: portableNormaliseGradient(2, wherePositive), 4: portableNormaliseGradient(4, wherePositive),
	},
}
