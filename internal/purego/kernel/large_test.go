//go:build unix

package kernel

import (
	"math"
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// largeImages returns images of zeros that together have more numbers, and so bytes, than an int32
// counts. Zeros take no memory until something is written to them.
func largeImages(t *testing.T, pixels Pixels) []float32 {
	t.Helper()
	length := pixels.Images * pixels.Pixels * pixels.Channels
	if length <= math.MaxInt32 {
		t.Fatalf("%d numbers, want more than %d", length, math.MaxInt32)
	}
	m, err := syscall.Mmap(-1, 0, length*numberBytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("this system doesn't lend 8 GB of addresses: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	return unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), length)
}

// A layer whose input has more numbers than an int32 counts computes of its last image what it
// computes of that image alone.
func TestSizesBeyondInt32(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 8 GB of zeros")
	}
	const side, stride, inputs, outputs, images = 64, 4, 256, 8, 2049
	p := Pixels{images, side * side, inputs}
	input := largeImages(t, p)
	last := layerSizes{1, side, side, inputs, outputs, 1, stride, 0, 0}
	all := last
	all.images = images
	v, numbers := last.values(), side*side*inputs
	copy(input[len(input)-numbers:], v.input)
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		output, want := make([]float32, images*len(v.gradient)), make([]float32, len(v.gradient))
		s.Convolve(all.forward(), Finish{}, input, v.kernel, output)
		s.Convolve(last.forward(), Finish{}, v.input, v.kernel, want)
		if !slices.Equal(output[len(output)-len(want):], want) {
			t.Error("the output of the last image differs from that of the image alone")
		}
		copy(output[len(output)-len(want):], v.gradient)
		kernelGradient, wantGradient := make([]float32, len(v.kernel)),
			make([]float32, len(v.kernel))
		s.KernelGradient(all.forward(), input, output, kernelGradient)
		s.KernelGradient(last.forward(), v.input, v.gradient, wantGradient)
		compare(t, "the kernel's gradient", kernelGradient, widened(wantGradient), setTolerance)
	})
	sums, want := make([]float32, images*inputs), make([]float32, inputs)
	SumPixels(p, sums, input)
	SumPixels(Pixels{1, p.Pixels, inputs}, want, v.input)
	if !slices.Equal(sums[len(sums)-inputs:], want) {
		t.Error("the sums over the last image's pixels differ from those of the image alone")
	}
}
