package main

import (
	"fmt"

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
	function(fmt.Sprintf("sumRows%d", vectors), "func(sums, input *float32, stride uintptr, rows "+
		"int)",
		"adds rows of %d times eight numbers, stride bytes apart, to sums.", vectors)
	sums, input, stride, rows := load("sums"), load("input"), load("stride"), load("rows")
	accumulators := avx2.newVectors(vectors)
	loadSums(sums, accumulators)
	eachRow(rows, stride, func() {
		for j, accumulator := range accumulators {
			VADDPS(vectorAt(input, j), accumulator, accumulator)
		}
	}, input)
	storeSums(sums, accumulators)
	finish()
}

// sumProductRows writes the sum of the products of rows.
func sumProductRows(vectors int) {
	function(fmt.Sprintf("sumProductRows%d", vectors), "func(sums, left, right *float32, stride "+
		"uintptr, rows int)",
		"adds left times right over rows of %d times eight numbers, stride bytes apart, to sums.",
		vectors)
	sums, left, right, stride, rows := load("sums"), load("left"), load("right"), load("stride"),
		load("rows")
	accumulators, values := avx2.newVectors(vectors), avx2.newVectors(min(vectors, 4))
	loadSums(sums, accumulators)
	eachRow(rows, stride, func() {
		for j, accumulator := range accumulators {
			value := values[j%len(values)]
			VMOVUPS(vectorAt(left, j), value)
			VFMADD231PS(vectorAt(right, j), value, accumulator)
		}
	}, left, right)
	storeSums(sums, accumulators)
	finish()
}

// rectifiedNoiseRows writes everything that the backward pass of y = relu(scale input) needs,
// without y.
func rectifiedNoiseRows(vectors int) {
	function(fmt.Sprintf("rectifiedNoiseRows%d", vectors),
		"func(output, gradient, input, scale, scaleSums, outputSums *float32, stride uintptr, "+
			"rows int)",
		"forms x, the gradient where input times scale is positive, over rows of\n"+
			"%d times eight numbers, stride bytes apart. It writes x times scale to output, adds "+
			"that to outputSums and x times input to scaleSums.",
		vectors)
	scale, scaleSums, outputSums, zero := load("scale"), load("scaleSums"), load("outputSums"),
		YMM()
	VXORPS(zero, zero, zero)
	inputs, outputs := avx2.newVectors(vectors), avx2.newVectors(vectors)
	loadSums(scaleSums, inputs)
	loadSums(outputSums, outputs)
	output, gradient, input := load("output"), load("gradient"), load("input")
	stride, rows := load("stride"), load("rows")
	eachRow(rows, stride, func() {
		for j := range vectors {
			value, image, product := YMM(), YMM(), YMM()
			VMOVUPS(vectorAt(gradient, j), value)
			VMOVUPS(vectorAt(input, j), image)
			VMULPS(vectorAt(scale, j), image, product)
			keepWhere(value, product, zero)
			VFMADD231PS(image, value, inputs[j])
			VMULPS(vectorAt(scale, j), value, value)
			VADDPS(value, outputs[j], outputs[j])
			VMOVUPS(value, vectorAt(output, j))
		}
	}, output, gradient, input)
	storeSums(scaleSums, inputs)
	storeSums(outputSums, outputs)
	finish()
}
