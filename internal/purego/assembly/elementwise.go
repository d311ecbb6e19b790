package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// operation is an elementwise function of two values. Elementwise kernels are AVX2 only: memory
// sets their speed.
type operation struct {
	name  string
	apply func(right Op, left reg.VecVirtual) // left = left operation right
}

var operations = []operation{
	{"multiply", func(right Op, left reg.VecVirtual) { VMULPS(right, left, left) }},
	{"add", func(right Op, left reg.VecVirtual) { VADDPS(right, left, left) }},
	{"maximum", maximum},
}

// maximum keeps a NaN of either side. VMAXPS returns its second source, which is left, where one of
// them is a NaN; what is missing then is a NaN on the right.
func maximum(right Op, left reg.VecVirtual) {
	if target.maximumKeepsNaN {
		VMAXPS(right, left, left)
		return
	}
	value, isNaN := YMM(), YMM()
	VMOVUPS(right, value)
	VCMPPS(unordered, value, value, isNaN)
	VMAXPS(left, value, left)
	VBLENDVPS(isNaN, value, left, left)
}

// Predicates of VCMPPS.
const (
	equal     = U8(0)
	unordered = U8(3)
	notEqual  = U8(12) // false for a NaN
)

const vectorBytes = 32

func vectorAt(base reg.Register, index int) Mem { return Mem{Base: base, Disp: index * vectorBytes} }

func advance(vectors int, pointers ...reg.Register) {
	for _, pointer := range pointers {
		ADDQ(I32(vectors*vectorBytes), pointer)
	}
}

// elementwiseRows writes output = left operation right for rows of the given number of vectors;
// right is one row for all.
func elementwiseRows(o operation) {
	function(o.name+"Rows", "func(output, left, right *float32, vectors, rows int)",
		"applies the operation to rows; right is one row for all. Each row has the given number of vectors of eight.")
	output, left, vectors, rows := load("output"), load("left"), load("vectors"), load("rows")
	Label("row")
	right := load("right")
	fourThenOne("vector", vectors, func(unroll int) {
		transform(unroll, output, left, func(i int, value reg.VecVirtual) { o.apply(vectorAt(right, i), value) })
		advance(unroll, output, left, right)
	})
	DECQ(rows)
	JNZ(LabelRef("row"))
	finish()
}

// transform loads vectors, changes each and stores them. It doesn't move the pointers.
func transform(unroll int, output, input reg.Register, change func(i int, value reg.VecVirtual)) {
	values := avx2.newVectors(unroll)
	for i, value := range values {
		VMOVUPS(vectorAt(input, i), value)
	}
	for i, value := range values {
		change(i, value)
	}
	for i, value := range values {
		VMOVUPS(value, vectorAt(output, i))
	}
}

// copyBlocks writes the strided copy that rearranges images into panels.
func copyBlocks() {
	function("copyBlocks", "func(output, input *float32, outputStride, inputStride uintptr, blocks, rows int)",
		"copies rows. Each row has the given number of blocks of four numbers. Strides are in bytes.")
	output, input, blocks, rows := load("output"), load("input"), load("blocks"), load("rows")
	outputStride, inputStride := load("outputStride"), load("inputStride")
	value := XMM()
	CMPQ(blocks, U8(1))
	JNE(LabelRef("row"))
	Label("single")
	VMOVUPS(Mem{Base: input}, value)
	VMOVUPS(value, Mem{Base: output})
	ADDQ(inputStride, input)
	ADDQ(outputStride, output)
	DECQ(rows)
	JNZ(LabelRef("single"))
	RET()
	Label("row")
	offset, left := GP64(), GP64()
	XORQ(offset, offset)
	MOVQ(blocks, left)
	Label("block")
	VMOVUPS(Mem{Base: input, Index: offset, Scale: 1}, value)
	VMOVUPS(value, Mem{Base: output, Index: offset, Scale: 1})
	ADDQ(U8(16), offset)
	DECQ(left)
	JNZ(LabelRef("block"))
	ADDQ(inputStride, input)
	ADDQ(outputStride, output)
	DECQ(rows)
	JNZ(LabelRef("row"))
	RET()
}
