package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// descend writes one step of gradient descent with Nesterov momentum and weight decay.
func descend() {
	function("descend", "func(parameter, momentum, gradient, settings *float32, vectors int)",
		"moves parameter and momentum by one step down the gradient, for the given number of vectors of eight. settings are\n"+
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
