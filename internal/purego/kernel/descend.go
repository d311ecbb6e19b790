//go:build amd64

package kernel

// Descent is stochastic gradient descent with Nesterov momentum and weight decay, as PyTorch defines it.
type Descent struct{ Rate, Momentum, Decay float32 }

// Step moves a parameter and its momentum, in place, by one step down the gradient.
func (d Descent) Step(parameter, momentum, gradient []float32) {
	settings := []float32{d.Rate, d.Momentum, d.Decay}
	vectorwise(len(parameter), func(from, vectors int) {
		descend(&parameter[from], &momentum[from], &gradient[from], &settings[0], vectors)
	}, func(i int) {
		slope := gradient[i] + d.Decay*parameter[i]
		momentum[i] = d.Momentum*momentum[i] + slope
		parameter[i] -= d.Rate * (slope + d.Momentum*momentum[i])
	})
}
