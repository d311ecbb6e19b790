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
	passes:             &assemblyPasses,
}

var avx512 = InstructionSet{
	Name: "AVX-512", lanes: 16, tilePixels: [4]int{0, 8, 8, 8}, gradientChannels: 8,
	convolutionTile:    [4]convolutionTile{nil, convolutionTile1AVX512, convolutionTile2AVX512, convolutionTile3AVX512},
	shortPixels:        4,
	shortTile:          [4]convolutionTile{2: shortConvolutionTile2AVX512, 3: shortConvolutionTile3AVX512},
	kernelGradientTile: [4]kernelGradientTile{nil, kernelGradientTile1AVX512, kernelGradientTile2AVX512, kernelGradientTile3AVX512},
	transforms:         []winogradTransforms{winogradAVX512, winogradAVX2},
	passes:             &assemblyPasses,
	narrower:           &avx2,
}

// assemblySets returns the sets of assembly that this processor can run, the fastest first.
func assemblySets() []InstructionSet {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return nil
	case cpu.X86.HasAVX512F:
		wide := avx512
		wide.halved = thisProcessor().halvesVectors()
		return []InstructionSet{wide, avx2}
	}
	return []InstructionSet{avx2}
}
