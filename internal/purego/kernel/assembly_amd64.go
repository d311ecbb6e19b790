package kernel

import "golang.org/x/sys/cpu"

var winogradAVX2 = winogradTransforms{
	lanes: 8, input: winogradInputAVX2, gradient: winogradGradientAVX2, kernel: winogradKernelAVX2,
	kernelGradient: winogradKernelGradientAVX2, output: winogradOutputAVX2,
}

var winogradAVX512 = winogradTransforms{
	lanes: 16, input: winogradInputAVX512, gradient: winogradGradientAVX512,
	kernel:         winogradKernelAVX512,
	kernelGradient: winogradKernelGradientAVX512, output: winogradOutputAVX512,
}

var avx2 = InstructionSet{
	Name: "AVX2", lanes: 8, tilePixels: [4]int{0, 8, 4, 4}, gradientChannels: 4,
	convolutionTile: [4]convolutionTile{nil, convolutionTile1AVX2, convolutionTile2AVX2,
		convolutionTile3AVX2},
	kernelGradientTile: [4]kernelGradientTile{nil, kernelGradientTile1AVX2, kernelGradientTile2AVX2,
		kernelGradientTile3AVX2},
	tapTile:    [4]tapGradientTile{2: tapGradientTile2AVX2, 3: tapGradientTile3AVX2},
	transforms: []winogradTransforms{winogradAVX2},
	passes:     &assemblyPasses,
}

var avx512 = InstructionSet{
	Name: "AVX-512", lanes: 16, tilePixels: [4]int{0, 8, 8, 8}, gradientChannels: 8,
	convolutionTile: [4]convolutionTile{nil, convolutionTile1AVX512, convolutionTile2AVX512,
		convolutionTile3AVX512},
	shortPixels: 4,
	shortTile: [4]convolutionTile{2: shortConvolutionTile2AVX512,
		3: shortConvolutionTile3AVX512},
	kernelGradientTile: [4]kernelGradientTile{nil, kernelGradientTile1AVX512,
		kernelGradientTile2AVX512, kernelGradientTile3AVX512},
	tapTile:    [4]tapGradientTile{2: tapGradientTile2AVX512, 3: tapGradientTile3AVX512},
	transforms: []winogradTransforms{winogradAVX512, winogradAVX2},
	passes:     &assemblyPasses,
}

// assemblySets returns the sets of assembly that this processor can run, the fastest first.
func assemblySets() []InstructionSet {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return nil
	case cpu.X86.HasAVX512F:
		wide, narrow := avx512, avx2
		wide.halved = thisProcessor().halvesVectors()
		narrow.planesTile = planesTileAVX512
		wide.narrower = &narrow
		return []InstructionSet{wide, avx2}
	}
	return []InstructionSet{avx2}
}

// processor identifies the processor, as CPUID does.
type processor struct {
	vendor    uint32 // the first four letters of the maker's name, the first in the lowest byte
	signature uint32 // family, model and stepping
}

// cpuid runs the instruction CPUID and returns two of its four registers.
func cpuid(leaf uint32) (eax, ebx uint32)

// thisProcessor reads the vendor from leaf 0 and the signature from leaf 1.
func thisProcessor() (p processor) {
	_, p.vendor = cpuid(0)
	p.signature, _ = cpuid(1)
	return p
}

// family adds the extended family to the base family, as makers number their families.
func (p processor) family() uint32 {
	const extends = 15
	base, extended := p.signature>>8&15, p.signature>>20&255
	if base == extends {
		return base + extended
	}
	return base
}

const (
	amd        = 'A' | 'u'<<8 | 't'<<16 | 'h'<<24 // of AuthenticAMD
	zen4Family = 25                               // Zen 3's, too, which has no AVX-512
)

// halvesVectors reports whether the processor computes a vector of AVX-512 as two halves, one after
// the other.
func (p processor) halvesVectors() bool { return p.vendor == amd && p.family() == zen4Family }
