package network

import (
	"math"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// A trained ordinary network becomes a node-BNN by training the posterior of its latents alone. Its
// weights and the running statistics of its batch normalisations are constants then: the graph of a
// step has no gradients for them.

// The buffers and the coefficients of Adam (Kingma and Ba, ICLR 2015).
const (
	firstMoment, secondMoment = "first_moment", "second_moment"

	firstDecay, secondDecay = 0.9, 0.999
	adamEpsilon             = 1e-8
)

// posteriorOnly returns the rule of such a training with a number of steps an epoch: Adam for phi,
// and nothing for theta. The gradients of latents differ by orders of magnitude between networks
// with batch normalisation and without, and the terms of the posterior are small next to those of
// the likelihood. So no rate of plain SGD both converges and moves within a few epochs.
func posteriorOnly(steps int) Rule {
	return Rule{
		Name: "posterior only", PhiBuffers: []string{firstMoment, secondMoment},
		Inputs: func(p Position) []float32 {
			count := float64(p.Epoch*steps + p.Step + 1)
			return []float32{
				float32(1 / (1 - math.Pow(firstDecay, count))), float32(1 / (1 - math.Pow(secondDecay, count))),
			}
		},
		Update: func(s *StepGraph) {
			for i, gradient := range s.PosteriorGradients(s.Loss(nil)) {
				adamStep(s, s.Phi[i], gradient)
			}
		},
	}
}

// adamStep gives a parameter of the posterior its value after one step of Adam. The inputs of the
// rule correct the bias of both moments.
func adamStep(s *StepGraph, p StepParameter, gradient *Node) {
	average := func(buffer string, x *Node, decay float64, correction int) *Node {
		moment := Add(MulScalar(s.Buffer(buffer, p), decay), MulScalar(x, 1-decay))
		s.SetBuffer(buffer, p, moment)
		return Mul(moment, Squeeze(Slice(s.Inputs, AxisElem(correction))))
	}
	mean := average(firstMoment, gradient, firstDecay, 0)
	square := average(secondMoment, Square(gradient), secondDecay, 1)
	s.Set(p, Sub(p.Value, Mul(s.PhiRate, Div(mean, AddScalar(Sqrt(square), adamEpsilon)))))
}

// usualRule returns the update rule of settings with a number of steps an epoch, unless a method
// has its own.
func usualRule(s Settings, steps int) Rule {
	if s.FrozenWeights {
		return posteriorOnly(steps)
	}
	return Nesterov()
}

// usualSchedule returns the schedule of settings. That of frozen weights lowers the rate of the
// posterior, as other trainings lower that of the weights.
func usualSchedule(s Settings) func(epoch int) (theta, phi, beta float64) {
	if !s.FrozenWeights {
		return s.Training.Rates
	}
	return func(epoch int) (theta, phi, beta float64) {
		theta, phi, beta = s.Training.Rates(epoch)
		return theta, phi * LearningRateFactor(epoch, s.Training.Epochs), beta
	}
}

// exactPosterior returns the posterior N(1, std^2) of one component, mean and rho [1, D].
func exactPosterior(dimensions int, std float64) (mean, rho []float32) {
	mean = slices.Repeat([]float32{1}, dimensions)
	return mean, slices.Repeat([]float32{float32(inverseSoftplus(std))}, dimensions)
}

// isWeight reports whether a variable belongs to the ordinary network: to its weights, or to the
// running statistics of its batch normalisations.
func isWeight(path string) bool {
	return strings.HasPrefix(path, thetaScope) || strings.HasPrefix(path, runningScope)
}

// WeightsSHA256 returns the checksum of the weights and running statistics, without posterior and
// buffers: equal networks have equal checksums, however they were trained.
func (s State) WeightsSHA256() string {
	var weights []Tensor
	for _, tensor := range s.Variables {
		if isWeight(variablePath(tensor.Name)) {
			weights = append(weights, tensor)
		}
	}
	return safetensors.SHA256(weights)
}
