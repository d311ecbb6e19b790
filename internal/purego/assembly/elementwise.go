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

// maximum keeps a NaN of either side. If either source is a NaN, VMAXPS returns its second, left,
// so a NaN of right has to be added.
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

func vectorAt(base reg.Register, index int) Mem {
	return Mem{Base: base, Disp: index * vectorBytes}
}

func advance(vectors int, pointers ...reg.Register) {
	for _, pointer := range pointers {
		ADDQ(I32(vectors*vectorBytes), pointer)
	}
}

// elementwiseRows writes output = left operation right for rows of the given number of vectors;
// right is one row for all.
func elementwiseRows(o operation) {
	function(o.name+"Rows", "func(output, left, right *float32, vectors, rows int)",
		"applies the operation to rows; right is one row for all. Each row has the given number "+
			"of vectors of eight.")
	output, left, vectors, rows := load("output"), load("left"), load("vectors"), load("rows")
	eachRow(rows, nil, func() {
		right := load("right")
		fourThenOne("vector", vectors, func(unroll int) {
			transform(unroll, output, left, func(i int, value reg.VecVirtual) {
				o.apply(vectorAt(right, i), value)
			})
			advance(unroll, output, left, right)
		})
	})
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
	function("copyBlocks", "func(output, input *float32, outputStride, inputStride uintptr, "+
		"blocks, rows int)",
		"copies rows. Each row has the given number of blocks of four numbers. Strides are in "+
			"bytes.")
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

// signConstants are the vectors that the sign needs.
type signConstants struct{ zero, signBits, one reg.VecVirtual }

func newSignConstants() signConstants {
	c := signConstants{YMM(), YMM(), YMM()}
	VXORPS(c.zero, c.zero, c.zero)
	VPCMPEQD(c.signBits, c.signBits, c.signBits)
	VPSRLD(U8(25), c.signBits, c.one)
	VPSLLD(U8(23), c.one, c.one) // the bits of 1.0
	VPSLLD(U8(31), c.signBits, c.signBits)
	return c
}

// of replaces a value by its sign: -1 or 1, and 0 for zeros and NaN.
func (c signConstants) of(value reg.VecVirtual) {
	nonzero := YMM()
	VCMPPS(notEqual, c.zero, value, nonzero)
	VANDPS(c.signBits, value, value)
	VORPS(c.one, value, value)
	VANDPS(nonzero, value, value)
}

func multiplySign() {
	function("multiplySign", "func(output, gradient, activation *float32, vectors int)",
		"writes gradient times the sign of activation for the given number of vectors of eight.")
	constants := newSignConstants()
	output, gradient, activation, vectors := load("output"), load("gradient"), load("activation"),
		load("vectors")
	fourThenOne("vector", vectors, func(unroll int) {
		transform(unroll, output, activation, func(i int, value reg.VecVirtual) {
			constants.of(value)
			VMULPS(vectorAt(gradient, i), value, value)
		})
		advance(unroll, output, gradient, activation)
	})
	finish()
}

// descend writes one step of gradient descent with Nesterov momentum and weight decay.
func descend() {
	function("descend", "func(parameter, momentum, gradient, settings *float32, vectors int)",
		"moves parameter and momentum by one step down the gradient, for the given number of "+
			"vectors of eight. settings are\n"+
			"the learning rate, the momentum's factor and the weight decay.")
	parameter, momentum, gradient := load("parameter"), load("momentum"), load("gradient")
	settings, vectors := load("settings"), load("vectors")
	rate, factor, decay := YMM(), YMM(), YMM()
	for i, setting := range []reg.VecVirtual{rate, factor, decay} {
		VBROADCASTSS(Mem{Base: settings, Disp: 4 * i}, setting)
	}
	fourThenOne("vector", vectors, func(unroll int) {
		for i := range unroll {
			weight, slope, speed := YMM(), YMM(), YMM()
			VMOVUPS(vectorAt(parameter, i), weight)
			VMOVUPS(vectorAt(gradient, i), slope)
			VMOVUPS(vectorAt(momentum, i), speed)
			VFMADD231PS(weight, decay, slope)
			VFMADD213PS(slope, factor, speed)
			VMOVUPS(speed, vectorAt(momentum, i))
			VFMADD231PS(speed, factor, slope)
			VFNMADD231PS(slope, rate, weight)
			VMOVUPS(weight, vectorAt(parameter, i))
		}
		advance(unroll, parameter, momentum, gradient)
	})
	finish()
}
