package kernel

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func word[Pointer *float32 | *uintptr](p Pointer) uint64 {
	return uint64(uintptr(unsafe.Pointer(p)))
}

// interpreted returns a copy of a set whose tiles are interpreted. What pointers lead to is kept
// alive, since addresses don't.
func interpreted(s InstructionSet, routines map[string]*routine) *InstructionSet {
	suffix := strings.ReplaceAll(s.Name, "-", "")
	for vectors := 1; vectors <= 3; vectors++ {
		s.convolutionTile[vectors] = interpretedConvolution(s.lanes,
			routines[fmt.Sprintf("convolutionTile%d%s", vectors, suffix)])
		if s.shortTile[vectors] != nil {
			s.shortTile[vectors] = interpretedConvolution(s.lanes,
				routines[fmt.Sprintf("shortConvolutionTile%d%s", vectors, suffix)])
		}
		gradientTile := routines[fmt.Sprintf("kernelGradientTile%d%s", vectors, suffix)]
		s.kernelGradientTile[vectors] = func(input *float32, inputRowStride,
			inputPixelStride uintptr, gradient *float32, gradientStride uintptr,
			rows, columns int, taps *uintptr, tapCount int, output *float32, outputStride,
			outputTapStride uintptr) {
			defer runtime.KeepAlive([]any{input, gradient, taps, output})
			gradientTile.run(s.lanes, []uint64{word(input), uint64(inputRowStride),
				uint64(inputPixelStride), word(gradient), uint64(gradientStride),
				uint64(rows), uint64(columns), word(taps), uint64(tapCount), word(output),
				uint64(outputStride), uint64(outputTapStride)})
		}
	}
	s.narrower = nil // isn't interpreted
	s.transforms = slices.Clone(s.transforms)
	for i := range s.transforms {
		s.transforms[i] = interpretedTransforms(s.transforms[i].lanes, suffix, routines)
	}
	return &s
}

func interpretedConvolution(lanes int, tile *routine) convolutionTile {
	return func(input *float32, pixelStride uintptr, taps *uintptr, tapCount, channels int,
		weights, start, scale *float32, rectify int, output *float32, outputStride uintptr,
		tiles int) {
		defer runtime.KeepAlive([]any{input, taps, weights, start, scale, output})
		tile.run(lanes, []uint64{word(input), uint64(pixelStride), word(taps), uint64(tapCount),
			uint64(channels),
			word(weights), word(start), word(scale), uint64(rectify), word(output),
			uint64(outputStride), uint64(tiles)})
	}
}

func interpretedTransforms(lanes int, set string, routines map[string]*routine) winogradTransforms {
	suffix := map[int]string{8: "AVX2", 16: "AVX512"}[lanes] // AVX-512 uses AVX2's, too
	if set == "NEON" {
		suffix = set
	}
	plain := func(name string) transform {
		return func(input *float32, inputOffsets *uintptr, output *float32, outputOffsets *uintptr,
			constants, work *float32, vectors int) {
			defer runtime.KeepAlive([]any{input, inputOffsets, output, outputOffsets, constants,
				work})
			routines[name+suffix].run(lanes, []uint64{word(input), word(inputOffsets), word(output),
				word(outputOffsets),
				word(constants), word(work), uint64(vectors)})
		}
	}
	finishing := func(input *float32, inputOffsets *uintptr, output *float32,
		outputOffsets *uintptr,
		constants, work *float32, vectors int, bias, scale *float32) {
		defer runtime.KeepAlive([]any{input, inputOffsets, output, outputOffsets, constants, work,
			bias, scale})
		routines["winogradOutput"+suffix].run(lanes, []uint64{word(input), word(inputOffsets),
			word(output), word(outputOffsets),
			word(constants), word(work), uint64(vectors), word(bias), word(scale)})
	}
	return winogradTransforms{
		lanes: lanes, input: plain("winogradInput"), gradient: plain("winogradGradient"),
		kernel:         plain("winogradKernel"),
		kernelGradient: plain("winogradKernelGradient"), output: finishing,
	}
}

// smallLayers are those of fewer products than the limit, and some more whose blocks of channels
// differ.
func smallLayers(limit int) []layerSizes {
	var small []layerSizes
	for _, l := range layers {
		if products := l.images * l.output(l.height) * l.output(
			l.width) * l.kernel * l.kernel * l.inputs * l.outputs; products < limit {
			small = append(small, l)
		}
	}
	return append(small, layerSizes{1, 3, 12, 16, 96, 3, 1, 1, 1}, layerSizes{1, 2, 9, 17, 32, 3, 1,
		1, 1}, layerSizes{1, 9, 9, 9, 48, 3, 2, 1, 1},
		layerSizes{1, 5, 4, 16, 48, 3, 1, 1, 1}, layerSizes{1, 4, 6, 24, 16, 3, 1, 1, 1})
}

// neonHere is the set of NEON on this processor, which can only interpret it.
var neonHere = InstructionSet{
	Name: "NEON", lanes: 8, tilePixels: [4]int{0, 8, 4, 4}, gradientChannels: 4,
	transforms: []winogradTransforms{{lanes: 8}}, passes: &assemblyPasses,
}

// interpretedFiles are those whose functions are interpreted.
var interpretedFiles = []string{"micro_amd64.s", "winograd_amd64.s", "micro_arm64.s",
	"winograd_arm64.s"}

func TestGeneratedAssemblyComputesConvolutions(t *testing.T) {
	routines := parseRoutines(t, interpretedFiles...)
	for _, s := range []InstructionSet{avx2, avx512, neonHere} {
		t.Run(s.Name, func(t *testing.T) {
			set := interpreted(s, routines)
			for _, l := range smallLayers(200_000) {
				checkLayer(t, set, l)
			}
			checkFinish(t, set, layerSizes{2, 4, 9, 5, 96, 3, 1, 1, 1})
		})
	}
}
