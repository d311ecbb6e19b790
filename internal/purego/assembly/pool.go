package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// window holds the addresses of the four pixels of a pooling window, in the order in which the
// first of equals wins.
type window struct{ pixels [4]reg.Register }

// newWindow places a window at the left of two rows of pixels of the given size in bytes.
func newWindow(top, bottom string, pixelBytes reg.Register) window {
	var w window
	for i, row := range []string{top, bottom} {
		left, right := load(row), GP64()
		MOVQ(left, right)
		ADDQ(pixelBytes, right)
		w.pixels[2*i], w.pixels[2*i+1] = left, right
	}
	return w
}

// nextVector moves the window to the next vector of its pixels, nextPixel from its last vector to
// the next window.
func (w window) nextVector() { advance(1, w.pixels[:]...) }

func (w window) nextPixel(pixelBytes reg.Register) {
	for _, pixel := range w.pixels {
		ADDQ(pixelBytes, pixel)
	}
}

// bytesOf returns the size of a number of vectors.
func bytesOf(vectors reg.Register) reg.Register {
	bytes := GP64()
	MOVQ(vectors, bytes)
	SHLQ(U8(5), bytes)
	return bytes
}

// poolRows writes the largest values of windows of two by two pixels.
func poolRows() {
	function("poolRows", "func(output, top, bottom *float32, vectors, windows int)",
		"writes the largest of the four pixels of windows that follow each other in two rows of "+
			"pixels of the given number of\n"+
			"vectors of eight; a NaN among them wins.")
	output, vectors, windows := load("output"), load("vectors"), load("windows")
	pixelBytes := bytesOf(vectors)
	w := newWindow("top", "bottom", pixelBytes)
	Label("window")
	left := GP64()
	MOVQ(vectors, left)
	Label("vector")
	largest := YMM()
	VMOVUPS(Mem{Base: w.pixels[0]}, largest)
	for _, pixel := range w.pixels[1:] {
		maximum(Mem{Base: pixel}, largest)
	}
	VMOVUPS(largest, Mem{Base: output})
	advance(1, output)
	w.nextVector()
	DECQ(left)
	JNZ(LabelRef("vector"))
	w.nextPixel(pixelBytes)
	DECQ(windows)
	JNZ(LabelRef("window"))
	finish()
}

// poolGradientRows gives the gradient of each window to the first of its largest pixels.
func poolGradientRows() {
	function("poolGradientRows", "func(outputTop, outputBottom, gradient, top, bottom *float32, "+
		"vectors, windows int)",
		"writes the gradient of windows of four pixels to the first of the largest, and zeros to "+
			"the others.\n"+
			"The windows follow each other in two rows of pixels of the given number of vectors "+
			"of eight.")
	vectors := load("vectors")
	gradient, windows := load("gradient"), load("windows")
	pixelBytes := bytesOf(vectors)
	input, output := newWindow("top", "bottom", pixelBytes), newWindow("outputTop", "outputBottom",
		pixelBytes)
	Label("window")
	left := GP64()
	MOVQ(vectors, left)
	Label("vector")
	values, largest, rest := avx2.newVectors(4), YMM(), YMM()
	for i, pixel := range input.pixels {
		VMOVUPS(Mem{Base: pixel}, values[i])
	}
	VMAXPS(values[0], values[1], largest)
	VMAXPS(values[2], largest, largest)
	VMAXPS(values[3], largest, largest)
	VMOVUPS(Mem{Base: gradient}, rest)
	for i, pixel := range output.pixels {
		VCMPPS(equal, values[i], largest, values[i])
		VANDPS(rest, values[i], values[i])
		VMOVUPS(values[i], Mem{Base: pixel})
		if i < 3 {
			VXORPS(values[i], rest, rest) // nothing is left where it was given
		}
	}
	advance(1, gradient)
	input.nextVector()
	output.nextVector()
	DECQ(left)
	JNZ(LabelRef("vector"))
	input.nextPixel(pixelBytes)
	output.nextPixel(pixelBytes)
	DECQ(windows)
	JNZ(LabelRef("window"))
	finish()
}
