package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Go's compiler fuses multiplication and addition on arm64, so NEON's direct kernels, which add the
// same products in the same order, agree with the portable ones to the bit.
func TestDirectKernelsAgreeToTheBit(t *testing.T) {
	random := rand.New(rand.NewPCG(93, 94))
	for range *shapes {
		l := randomLayer(random)
		v := l.values()
		finish := Finish{Bias: normals(random, l.outputs),
			Scale: normals(random, l.images*l.outputs), Rectify: random.IntN(2) == 0}
		compute := func(s InstructionSet) map[string][]float32 {
			output, inputGradient, kernelGradient := make([]float32, len(v.gradient)),
				make([]float32, len(v.input)), make([]float32, len(v.kernel))
			s.convolveBy((*convolver).convolveDirect, l.forward(), finish, v.input, v.kernel,
				output)
			s.convolveBy((*convolver).convolveDirect, l.backward(), Finish{}, v.gradient, v.kernel,
				inputGradient)
			s.differentiateBy((*differentiator).differentiateDirect, l.forward(), v.input,
				v.gradient, kernelGradient)
			return map[string][]float32{"output": output, "input gradient": inputGradient,
				"kernel gradient": kernelGradient}
		}
		want := compute(portable)
		for name, got := range compute(neon) {
			compare(t, fmt.Sprintf("%v: %s", l, name), got, widened(want[name]), 0)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}
