package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tapGradientTile writes the micro-kernel of the kernel gradient for eight input channels, whose
// vectors are the input channels of one tap or two.
func tapGradientTile(s instructionSet, vectors int) {
	taps := s.bytes / vectorBytes
	function(fmt.Sprintf("tapGradientTile%d%s", vectors, s.name), "func(input *float32, taps "+
		"*uintptr, rowSkip, pixelStride uintptr, gradient *float32, gradientStride uintptr, rows, "+
		"columns int, output *float32, outputStride uintptr)",
		"adds, for %d output channels by %d vectors of %d taps by 8 input channels, the sum over "+
			"rows times columns pixels\n"+
			"of gradient times input, displaced by the tap. taps are byte offsets; rowSkip leads "+
			"from the end of a row to the next;\n"+
			"gradient's pixels follow each other over all rows. Strides are in bytes.",
		s.gradientRows, vectors, taps)
	offsets, from := make([]reg.Register, vectors*taps), load("taps")
	for i := range offsets {
		offsets[i] = GP64()
		MOVQ(Mem{Base: from, Disp: 8 * i}, offsets[i])
	}
	accumulators := newTile(s, s.gradientRows, vectors)
	accumulators.load(load("output"), load("outputStride"))
	inputs, values := s.newVectors(vectors), s.newVectors(s.broadcasts[vectors])
	input, gradient, pixelStride, gradientStride, rows := load("input"), load("gradient"),
		load("pixelStride"), load("gradientStride"), load("rows")
	numbers := make([]Mem, s.gradientRows)
	for m := range numbers {
		numbers[m] = Mem{Base: gradient, Disp: 4 * m}
	}
	left := GP64()
	Label("row")
	MOVQ(load("columns"), left)
	align()
	Label("pixel")
	for j, vector := range inputs {
		at := func(tap int) Mem { return Mem{Base: input, Index: offsets[j*taps+tap], Scale: 1} }
		if taps == 1 {
			VMOVUPS(at(0), vector)
		} else {
			VBROADCASTF64X4(at(0), vector)
			VINSERTF64X4(U8(1), at(1), vector, vector)
		}
	}
	accumulators.multiplyAdd(numbers, inputs, values)
	ADDQ(pixelStride, input)
	ADDQ(gradientStride, gradient)
	DECQ(left)
	JNZ(LabelRef("pixel"))
	ADDQ(load("rowSkip"), input)
	DECQ(rows)
	JNZ(LabelRef("row"))
	accumulators.store(load("output"), load("outputStride"))
	finish()
}
