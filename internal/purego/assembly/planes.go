package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// planesTile writes the micro-kernel of the convolution of planes, whose vectors are pixels of one
// channel: few output channels fill them as well as many.
func planesTile(s instructionSet, rows, vectors int) {
	function("planesTile"+s.name, "func(input *float32, distance, planeStride uintptr, "+
		"taps *uintptr, tapCount, channels int, weights, start, scale *float32, rectify int, "+
		"output *float32, outputStride uintptr)",
		"computes %d output channels of %d vectors of pixels, the second of which is distance "+
			"bytes after the first.\n"+
			"Each output is what start has for the channel plus the sum over the taps (byte "+
			"offsets from the pixel) and the\n"+
			"input channels, planeStride bytes apart, of input times weights [tap][channel][%d]. "+
			"It's multiplied by the channel's\n"+
			"scale, unless that is nil, and negative results become zero when rectify is not 0. "+
			"Channels of the output are\n"+
			"outputStride bytes apart.", rows, vectors, rows)
	accumulators := newTile(s, rows, vectors)
	weights, start := load("weights"), load("start")
	for m, row := range accumulators.rows {
		VBROADCASTSS(Mem{Base: start, Disp: 4 * m}, row[0])
		VMOVAPS(row[0], row[1])
	}
	inputs, values := s.newVectors(vectors), s.newVectors(s.broadcasts[vectors])
	accumulators.sumTaps(weights, inputs, values)
	accumulators.scale(values[0])
	accumulators.rectify(inputs[0])
	accumulators.store(load("output"), load("outputStride"))
	finish()
}

// sumTaps adds input times weight to the tile, over the taps and the channels of the input.
func (t tile) sumTaps(weights reg.Register, inputs, values []reg.VecVirtual) {
	tap, left, distance, stride := load("taps"), load("tapCount"), load("distance"),
		load("planeStride")
	near, far, channels := GP64(), GP64(), GP64()
	numbers := make([]Mem, len(t.rows))
	for m := range numbers {
		numbers[m] = Mem{Base: weights, Disp: 4 * m}
	}
	Label("tap")
	MOVQ(Mem{Base: tap}, near)
	ADDQ(load("input"), near)
	LEAQ(Mem{Base: near, Index: distance, Scale: 1}, far)
	MOVQ(load("channels"), channels)
	align()
	Label("channel")
	VMOVUPS(Mem{Base: near}, inputs[0])
	VMOVUPS(Mem{Base: far}, inputs[1])
	t.multiplyAdd(numbers, inputs, values)
	ADDQ(stride, near)
	ADDQ(stride, far)
	ADDQ(I32(4*len(t.rows)), weights)
	DECQ(channels)
	JNZ(LabelRef("channel"))
	ADDQ(U8(8), tap)
	DECQ(left)
	JNZ(LabelRef("tap"))
}

// scale multiplies each row of the tile by its number at the argument scale, unless that is nil.
func (t tile) scale(number reg.VecVirtual) {
	scale := load("scale")
	TESTQ(scale, scale)
	JZ(LabelRef("scaled"))
	for m, row := range t.rows {
		VBROADCASTSS(Mem{Base: scale, Disp: 4 * m}, number)
		for _, accumulator := range row {
			VMULPS(number, accumulator, accumulator)
		}
	}
	Label("scaled")
}
