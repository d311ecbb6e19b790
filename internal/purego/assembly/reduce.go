package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loadSums and storeSums move accumulators between registers and memory.
func loadSums(sums reg.Register, accumulators []reg.VecVirtual) {
	for j, accumulator := range accumulators {
		VMOVUPS(vectorAt(sums, j), accumulator)
	}
}

func storeSums(sums reg.Register, accumulators []reg.VecVirtual) {
	for j, accumulator := range accumulators {
		VMOVUPS(accumulator, vectorAt(sums, j))
	}
}

// sumRows writes the sum of rows.
func sumRows(vectors int) {
	function(fmt.Sprintf("sumRows%d", vectors), "func(sums, input *float32, stride uintptr, rows int)",
		"adds rows of %d times eight numbers, stride bytes apart, to sums.", vectors)
	sums, input, stride, rows := load("sums"), load("input"), load("stride"), load("rows")
	accumulators := avx2.newVectors(vectors)
	loadSums(sums, accumulators)
	Label("row")
	for j, accumulator := range accumulators {
		VADDPS(vectorAt(input, j), accumulator, accumulator)
	}
	ADDQ(stride, input)
	DECQ(rows)
	JNZ(LabelRef("row"))
	storeSums(sums, accumulators)
	finish()
}

// sumProductRows writes the sum of the products of rows.
func sumProductRows(vectors int) {
	function(fmt.Sprintf("sumProductRows%d", vectors), "func(sums, left, right *float32, stride uintptr, rows int)",
		"adds left times right over rows of %d times eight numbers, stride bytes apart, to sums.", vectors)
	sums, left, right, stride, rows := load("sums"), load("left"), load("right"), load("stride"), load("rows")
	accumulators, values := avx2.newVectors(vectors), avx2.newVectors(min(vectors, 4))
	loadSums(sums, accumulators)
	Label("row")
	for j, accumulator := range accumulators {
		value := values[j%len(values)]
		VMOVUPS(vectorAt(left, j), value)
		VFMADD231PS(vectorAt(right, j), value, accumulator)
	}
	ADDQ(stride, left)
	ADDQ(stride, right)
	DECQ(rows)
	JNZ(LabelRef("row"))
	storeSums(sums, accumulators)
	finish()
}

// noiseGradient writes, in one pass, everything that the backward pass of y = relu(scale c) needs.
func noiseGradient(vectors int) {
	function(fmt.Sprintf("noiseGradientRows%d", vectors),
		"func(output, gradient, activation, input, scale, scaleSums, outputSums *float32, stride uintptr, rows int)",
		"differentiates activation = max(scale input, 0) over rows of\n"+
			"%d times eight numbers, stride bytes apart: output is gradient times the sign of activation times scale; scaleSums grows by the sums\n"+
			"of gradient times sign times input and outputSums by those of output.", vectors)
	constants := newSignConstants()
	scale, scaleSums, outputSums := load("scale"), load("scaleSums"), load("outputSums")
	inputs, outputs := avx2.newVectors(vectors), avx2.newVectors(vectors)
	loadSums(scaleSums, inputs)
	loadSums(outputSums, outputs)
	output, gradient, activation, input := load("output"), load("gradient"), load("activation"), load("input")
	stride, rows := load("stride"), load("rows")
	Label("row")
	for j := range vectors {
		value := YMM()
		VMOVUPS(vectorAt(activation, j), value)
		constants.of(value)
		VMULPS(vectorAt(gradient, j), value, value)
		VFMADD231PS(vectorAt(input, j), value, inputs[j])
		VMULPS(vectorAt(scale, j), value, value)
		VADDPS(value, outputs[j], outputs[j])
		VMOVUPS(value, vectorAt(output, j))
	}
	for _, pointer := range []reg.Register{output, gradient, activation, input} {
		ADDQ(stride, pointer)
	}
	DECQ(rows)
	JNZ(LabelRef("row"))
	storeSums(scaleSums, inputs)
	storeSums(outputSums, outputs)
	finish()
}
