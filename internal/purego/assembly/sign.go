package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
	output, gradient, activation, vectors := load("output"), load("gradient"), load("activation"), load("vectors")
	fourThenOne("vector", vectors, func(unroll int) {
		transform(unroll, output, activation, func(i int, value reg.VecVirtual) {
			constants.of(value)
			VMULPS(vectorAt(gradient, i), value, value)
		})
		advance(unroll, output, gradient, activation)
	})
	finish()
}
