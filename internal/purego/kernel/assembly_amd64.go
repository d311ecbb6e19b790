package kernel

import "golang.org/x/sys/cpu"

var winogradAVX2 = winogradTransforms{
	lanes: 8, input: winogradInputAVX2, gradient: winogradGradientAVX2, kernel: winogradKernelAVX2,
	kernelGradient: winogradKernelGradientAVX2, output: winogradOutputAVX2,
}

var winogradAVX512 = winogradTransforms{
	lanes: 16, input: winogradInputAVX512, gradient: winogradGradientAVX512, kernel: winogradKernelAVX512,
	kernelGradient: winogradKernelGradientAVX512, output: winogradOutputAVX512,
}

var avx2 = InstructionSet{
	Name: "AVX2", lanes: 8, tilePixels: [4]int{0, 8, 4, 4}, gradientChannels: 4,
	convolutionTile:    [4]convolutionTile{nil, convolutionTile1AVX2, convolutionTile2AVX2, convolutionTile3AVX2},
	kernelGradientTile: [4]kernelGradientTile{nil, kernelGradientTile1AVX2, kernelGradientTile2AVX2, kernelGradientTile3AVX2},
	transforms:         []winogradTransforms{winogradAVX2},
	passes:             &passesAVX2,
}

var avx512 = InstructionSet{
	Name: "AVX-512", lanes: 16, tilePixels: [4]int{0, 8, 8, 8}, gradientChannels: 8,
	convolutionTile:    [4]convolutionTile{nil, convolutionTile1AVX512, convolutionTile2AVX512, convolutionTile3AVX512},
	kernelGradientTile: [4]kernelGradientTile{nil, kernelGradientTile1AVX512, kernelGradientTile2AVX512, kernelGradientTile3AVX512},
	transforms:         []winogradTransforms{winogradAVX512, winogradAVX2},
	passes:             &passesAVX2,
}

var passesAVX2 = memoryPasses{
	multiply: elementwisePass{multiplyRows, multiplyScalar}, add: elementwisePass{addRows, addScalar},
	subtract: elementwisePass{subtractRows, subtractScalar}, maximum: elementwisePass{maximumRows, maximumScalar},
	signVectors: signVectors, multiplySign: multiplySign,
	scaleMultiplySignRows: scaleMultiplySignRows, scaleRectifyRows: scaleRectifyRows,
	copyBlocks: copyBlocks, transposeBlocks: transposeBlocks,
	normaliseRows: normaliseRows, normaliseRectifyRows: normaliseRectifyRows,
	normaliseAddRows: normaliseAddRows, normaliseAddRectifyRows: normaliseAddRectifyRows,
	poolRows: poolRows, poolGradientRows: poolGradientRows, descend: descend,

	sumRows:            [13]sumRows{1: sumRows1, 3: sumRows3, 12: sumRows12},
	sumProductRows:     [13]sumProductRows{1: sumProductRows1, 3: sumProductRows3, 12: sumProductRows12},
	noiseGradientRows:  [4]noiseGradientRows{1: noiseGradientRows1, 3: noiseGradientRows3},
	rectifiedNoiseRows: [5]rectifiedNoiseRows{1: rectifiedNoiseRows1, 2: rectifiedNoiseRows2, 4: rectifiedNoiseRows4},
	momentRows:         [5]momentRows{1: momentRows1, 2: momentRows2, 4: momentRows4},

	gradientSumRows:                [5]gradientSumRows{1: gradientSumRows1, 2: gradientSumRows2, 4: gradientSumRows4},
	gradientSumRowsRectified:       [5]gradientSumRows{1: gradientSumRowsRectified1, 2: gradientSumRowsRectified2, 4: gradientSumRowsRectified4},
	gradientSumRowsActivated:       [5]activatedSumRows{1: gradientSumRowsActivated1, 2: gradientSumRowsActivated2, 4: gradientSumRowsActivated4},
	normaliseGradientRows:          [5]normaliseGradientRows{1: normaliseGradientRows1, 2: normaliseGradientRows2, 4: normaliseGradientRows4},
	normaliseGradientRowsRectified: [5]normaliseGradientRows{1: normaliseGradientRowsRectified1, 2: normaliseGradientRowsRectified2, 4: normaliseGradientRowsRectified4},
}

// assemblySets returns the sets of assembly that this processor can run, the fastest first.
func assemblySets() []InstructionSet {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return nil
	case cpu.X86.HasAVX512F:
		return []InstructionSet{avx512, avx2}
	}
	return []InstructionSet{avx2}
}
