//go:build amd64

package kernel

import "golang.org/x/sys/cpu"

// InstructionSet is the micro-kernels of one instruction set.
type InstructionSet struct {
	Name string // "AVX2", "AVX-512"

	lanes              int    // numbers in a vector
	tilePixels         [4]int // pixels of a convolution's tile, by its number of vectors
	convolutionTile    [4]convolutionTile
	gradientChannels   int // input channels of a kernel gradient's tile
	kernelGradientTile [4]kernelGradientTile
	transforms         []winogradTransforms // the widest first
}

// The signatures of the micro-kernels: micro_amd64.go says what they do.
type (
	convolutionTile func(input *float32, pixelStride uintptr, taps *uintptr, tapCount, channels int,
		weights, start, scale *float32, rectify int, output *float32, outputStride uintptr, tiles int)
	kernelGradientTile func(input *float32, inputRowStride, inputPixelStride uintptr, gradient *float32, gradientStride uintptr,
		rows, columns int, taps *uintptr, tapCount int, output *float32, outputStride, outputTapStride uintptr)
	transform func(input *float32, inputOffsets *uintptr, output *float32, outputOffsets *uintptr,
		constants, work *float32, vectors int)
	finishingTransform func(input *float32, inputOffsets *uintptr, output *float32, outputOffsets *uintptr,
		constants, work *float32, vectors int, bias, scale *float32)
)

// winogradTransforms are the transforms of Winograd's convolution: winograd_amd64.go says what they
// do.
type winogradTransforms struct {
	lanes                                   int // numbers in a vector
	input, gradient, kernel, kernelGradient transform
	output                                  finishingTransform
}

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
}

var avx512 = InstructionSet{
	Name: "AVX-512", lanes: 16, tilePixels: [4]int{0, 8, 8, 8}, gradientChannels: 8,
	convolutionTile:    [4]convolutionTile{nil, convolutionTile1AVX512, convolutionTile2AVX512, convolutionTile3AVX512},
	kernelGradientTile: [4]kernelGradientTile{nil, kernelGradientTile1AVX512, kernelGradientTile2AVX512, kernelGradientTile3AVX512},
	transforms:         []winogradTransforms{winogradAVX512, winogradAVX2},
}

// Available returns the sets that this processor can run, the fastest first.
func Available() []InstructionSet {
	var sets []InstructionSet
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	if cpu.X86.HasAVX512F {
		sets = append(sets, avx512)
	}
	return append(sets, avx2)
}

// block is a range of output channels that one micro-kernel computes.
type block struct {
	channel  int // the first one
	vectors  int
	width    int // channels, rounded up to whole vectors
	used     int // channels that exist
	previous int // channels in the blocks before, rounded up
}

// blocks divides output channels into blocks of at most three vectors and returns the sum of their
// widths. One vector left over is avoided, since short tiles are slow: two blocks of two vectors
// beat three and one.
func (s *InstructionSet) blocks(channels int) (all []block, width int) {
	for channel := 0; channel < channels; {
		vectors := 3
		switch left := channels - channel; {
		case left <= s.lanes:
			vectors = 1
		case left <= 2*s.lanes, left > 3*s.lanes && left <= 4*s.lanes:
			vectors = 2
		}
		b := block{channel: channel, vectors: vectors, width: vectors * s.lanes, previous: width}
		b.used = min(b.width, channels-channel)
		all = append(all, b)
		width += b.width
		channel += b.width
	}
	return all, width
}
