package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rectifiedNoiseRows writes everything that the backward pass of y = relu(scale input) needs,
// without y.
func rectifiedNoiseRows(vectors int) {
	function(fmt.Sprintf("rectifiedNoiseRows%d", vectors),
		"func(output, gradient, input, scale, scaleSums, outputSums *float32, stride uintptr, rows int)",
		"forms x, the gradient where input times scale is positive, over rows of\n"+
			"%d times eight numbers, stride bytes apart. It writes x times scale to output, adds that to outputSums and x times input to scaleSums.",
		vectors)
	scale, scaleSums, outputSums, zero := load("scale"), load("scaleSums"), load("outputSums"), YMM()
	VXORPS(zero, zero, zero)
	inputs, outputs := avx2.newVectors(vectors), avx2.newVectors(vectors)
	loadSums(scaleSums, inputs)
	loadSums(outputSums, outputs)
	output, gradient, input := load("output"), load("gradient"), load("input")
	stride, rows := load("stride"), load("rows")
	Label("row")
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
	for _, pointer := range []reg.Register{output, gradient, input} {
		ADDQ(stride, pointer)
	}
	DECQ(rows)
	JNZ(LabelRef("row"))
	storeSums(scaleSums, inputs)
	storeSums(outputSums, outputs)
	finish()
}
