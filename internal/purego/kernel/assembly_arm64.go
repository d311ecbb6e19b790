package kernel

import "golang.org/x/sys/cpu"

// neon has the vectors and tiles of AVX2: a pair of NEON's vectors is one of AVX2's.
var neon = InstructionSet{
	Name: "NEON", lanes: 8, tilePixels: [4]int{0, 8, 4, 4}, gradientChannels: 4,
	convolutionTile: [4]convolutionTile{nil, convolutionTile1NEON, convolutionTile2NEON,
		convolutionTile3NEON},
	kernelGradientTile: [4]kernelGradientTile{nil, kernelGradientTile1NEON, kernelGradientTile2NEON,
		kernelGradientTile3NEON},
	transforms: []winogradTransforms{{
		lanes: 8, input: winogradInputNEON, gradient: winogradGradientNEON,
		kernel:         winogradKernelNEON,
		kernelGradient: winogradKernelGradientNEON, output: winogradOutputNEON,
	}},
	passes: &assemblyPasses,
}

// assemblySets returns the sets of assembly that this processor can run.
func assemblySets() []InstructionSet {
	if !cpu.ARM64.HasASIMD {
		return nil
	}
	return []InstructionSet{neon}
}
