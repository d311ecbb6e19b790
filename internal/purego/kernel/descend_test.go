package kernel

import (
	"math/rand/v2"
	"testing"
)

func TestStepAgreesWithItsDefinition(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(47, 48))
		for _, d := range []Descent{{0.1, 0.9, 5e-4}, {0.5, 0, 0}, {0.01, 0.5, 0.25}} {
			for _, size := range []int{1, 7, 8, 37, 200_003} {
				parameter, momentum, gradient := normals(random, size), normals(random, size), normals(random, size)
				want, wantMomentum := make([]float64, size), make([]float64, size)
				for i := range want {
					slope := float64(gradient[i]) + float64(d.Decay)*float64(parameter[i])
					wantMomentum[i] = float64(d.Momentum)*float64(momentum[i]) + slope
					want[i] = float64(parameter[i]) - float64(d.Rate)*(slope+float64(d.Momentum)*wantMomentum[i])
				}
				d.Step(parameter, momentum, gradient)
				compare(t, "parameter", parameter, want, 1e-6)
				compare(t, "momentum", momentum, wantMomentum, 1e-6)
			}
		}
	})
}
