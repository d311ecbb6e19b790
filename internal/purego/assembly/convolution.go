package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const attributes = attr.NOSPLIT

const convolutionSignature = "func(input *float32, pixelStride uintptr, taps *uintptr, tapCount, " +
	"channels int, " +
	"weights, start, scale *float32, rectify int, output *float32, outputStride uintptr, tiles int)"

// convolutionTile writes the micro-kernel of the convolution: a tile of pixels by output channels.
func convolutionTile(s instructionSet, vectors int) {
	convolutionTileOf(s, vectors, s.pixels[vectors], fmt.Sprintf("convolutionTile%d%s", vectors,
		s.name))
}

// shortConvolutionTile writes the micro-kernel for rows of few pixels, if the set has one.
func shortConvolutionTile(s instructionSet, vectors int) {
	if s.shortPixels > 0 && vectors > 1 { // one vector times few pixels would wait for its own sums
		convolutionTileOf(s, vectors, s.shortPixels, fmt.Sprintf("shortConvolutionTile%d%s",
			vectors, s.name))
	}
}

func convolutionTileOf(s instructionSet, vectors, pixels int, name string) {
	function(name, convolutionSignature, "computes tiles of %d pixels by %d vectors of output "+
		"channels, one after another.\n"+
		"Each output is the sum over the taps (byte offsets from the pixel) and the input "+
		"channels of input times weights\n"+
		"[tap][channel][%d vectors]. It begins with the vectors at start or, when that is nil, "+
		"with what output holds; it ends\n"+
		"with the multiplication by scale, unless nil, and the replacement of negative results "+
		"by zero when rectify is not 0.\n"+
		"Strides are in bytes.", pixels, vectors, vectors)
	c := convolutionRegisters{set: s, vectors: vectors, accumulators: newTile(s, pixels, vectors)}
	c.weights, c.inputs = c.accumulators.factors(pixels)
	c.input, c.stride, c.threeStrides = load("input"), load("pixelStride"), GP64()
	LEAQ(Mem{Base: c.stride, Index: c.stride, Scale: 2}, c.threeStrides)
	output, outputStride, tiles := load("output"), load("outputStride"), load("tiles")

	Label("tile")
	c.begin(output, outputStride)
	c.sumTaps()
	c.end()
	last := c.accumulators.store(output, outputStride)
	ADDQ(outputStride, last)
	MOVQ(last, output)
	for range pixels / 4 {
		LEAQ(Mem{Base: c.input, Index: c.stride, Scale: 4}, c.input)
	}
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	finish()
}

// convolutionRegisters live through the inner loop of the convolution.
type convolutionRegisters struct {
	set                         instructionSet
	vectors                     int
	accumulators                tile
	weights, inputs             []reg.VecVirtual
	input, stride, threeStrides reg.Register
}

// begin sets the accumulators to start, or to output if it's nil.
func (c convolutionRegisters) begin(output, outputStride reg.Register) {
	start := load("start")
	TESTQ(start, start)
	JZ(LabelRef("continue"))
	for j, first := range c.accumulators.rows[0] {
		VMOVUPS(Mem{Base: start, Disp: j * c.set.bytes}, first)
		for _, row := range c.accumulators.rows[1:] {
			VMOVAPS(first, row[j])
		}
	}
	JMP(LabelRef("begun"))
	Label("continue")
	c.accumulators.load(output, outputStride)
	Label("begun")
}

// sumTaps adds all taps.
func (c convolutionRegisters) sumTaps() {
	tap, left, channels, weights := load("taps"), load("tapCount"), load("channels"),
		load("weights")
	near, far := GP64(), GP64()
	Label("tap")
	MOVQ(Mem{Base: tap}, near)
	ADDQ(c.input, near)
	c.pointFar(near, far)
	fourThenOne("channel", channels, func(unroll int) {
		c.addChannels(near, far, weights, unroll)
		ADDQ(U8(4*unroll), near)
		if c.isTall() {
			ADDQ(U8(4*unroll), far)
		}
		ADDQ(I32(unroll*c.vectors*c.set.bytes), weights)
	})
	ADDQ(U8(8), tap)
	DECQ(left)
	JNZ(LabelRef("tap"))
}

// isTall reports whether a tile has pixels beyond the fourth, which need a second pointer.
func (c convolutionRegisters) isTall() bool { return len(c.accumulators.rows) > 4 }

func (c convolutionRegisters) pointFar(near, far reg.Register) {
	if c.isTall() {
		LEAQ(Mem{Base: near, Index: c.stride, Scale: 4}, far)
	}
}

// addChannels adds the products of a number of input channels.
func (c convolutionRegisters) addChannels(near, far, weights reg.Register, channels int) {
	if c.set.byElement {
		for m, pixel := range c.pixelsAt(near, far, 0)[:len(c.inputs)] {
			loadNumbers(channels, pixel, c.inputs[m])
		}
	}
	for channel := range channels {
		at := Mem{Base: weights, Disp: channel * c.vectors * c.set.bytes}
		if c.set.byElement {
			c.accumulators.multiplyAddElements(c.elements(channel), channel, at, c.weights)
			continue
		}
		for j, w := range c.weights {
			VMOVUPS(at.Offset(j*c.set.bytes), w)
		}
		c.accumulators.multiplyAdd(c.pixelsAt(near, far, channel), c.weights, c.inputs)
	}
}

// pixelsAt addresses one channel, counted from the pointers, of up to eight pixels.
func (c convolutionRegisters) pixelsAt(near, far reg.Register, channel int) []Mem {
	var pixels []Mem
	for _, base := range []reg.Register{near, far} {
		pixels = append(pixels, fourRows(base, c.stride, c.threeStrides, 4*channel)...)
	}
	return pixels
}

// elements returns one channel of the inputs.
func (c convolutionRegisters) elements(channel int) []element {
	var elements []element
	for _, input := range c.inputs {
		elements = append(elements, element{input, channel})
	}
	return elements
}

// fourRows addresses four rows that are stride bytes apart.
func fourRows(base, stride, threeStrides reg.Register, displacement int) []Mem {
	return []Mem{
		{Base: base, Disp: displacement},
		{Base: base, Index: stride, Scale: 1, Disp: displacement},
		{Base: base, Index: stride, Scale: 2, Disp: displacement},
		{Base: base, Index: threeStrides, Scale: 1, Disp: displacement},
	}
}

// end scales and rectifies if asked.
func (c convolutionRegisters) end() {
	scale := load("scale")
	TESTQ(scale, scale)
	JZ(LabelRef("scaled"))
	for j := range c.vectors {
		for _, row := range c.accumulators.rows {
			VMULPS(Mem{Base: scale, Disp: j * c.set.bytes}, row[j], row[j])
		}
	}
	Label("scaled")
	c.accumulators.rectify(c.weights[0])
}

// rectify replaces negative results by zero if asked.
func (t tile) rectify(zero reg.VecVirtual) {
	rectify := load("rectify")
	TESTQ(rectify, rectify)
	JZ(LabelRef("rectified"))
	t.set.clearVector(zero)
	for _, row := range t.rows {
		for _, accumulator := range row {
			// the last source in Intel's order comes back for a NaN, which stays
			VMAXPS(accumulator, zero, accumulator)
		}
	}
	Label("rectified")
}
