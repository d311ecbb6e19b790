package network

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/schedule"
)

// Rule is an update rule: how a training step changes the parameters. The zero value means
// Nesterov, or with Settings.FrozenWeights Adam for only the posterior.
//
// A rule builds its part of the graph from the objective of the batch. Some examples (METHOD.md
// section 8): SAM takes the gradient of Loss(nil), then of Loss with the weights moved along it;
// DAMP takes the gradient of Loss with weights that are multiplied by Normals; cSG-HMC keeps a
// velocity as a buffer, adds Normals to it, and has its rate of the step in Inputs.
type Rule struct {
	// Name is for errors and cards; "" means nesterov.
	Name string
	// ThetaBuffers are variables that the rule keeps for each parameter of theta, zero at first.
	ThetaBuffers []string
	// PhiBuffers are the same for each parameter of phi.
	PhiBuffers []string
	// Normals is the largest number of calls of StepGraph.Normals for each parameter of theta.
	Normals int
	// Inputs returns numbers that the host computes for each step; nil means none.
	Inputs func(position Position) []float32
	// Update calls s.Loss, and s.Set for every parameter that changes.
	Update func(s *StepGraph)
}

// momentumBuffer names the buffers of Nesterov momentum.
const momentumBuffer = "momentum"

// Nesterov returns the rule of the paper (METHOD.md section 4): SGD with Nesterov momentum and
// weight decay, as PyTorch defines them, for theta, and plain SGD for phi.
func Nesterov() Rule {
	return Rule{Name: "nesterov", ThetaBuffers: []string{momentumBuffer},
		Update: func(s *StepGraph) {
			theta, phi := s.Gradients(s.Loss(nil))
			s.NesterovStep(theta)
			s.PlainStep(phi)
		}}
}

// Rates returns the published schedule in an epoch, counted from 0 (METHOD.md section 4): the
// learning rates of theta and phi, and the annealing of the regulariser, which rises linearly from
// zero to one at epoch BetaEpochs; a ramp of no epochs is one throughout.
func (t Training) Rates(epoch int) (theta, phi, beta float64) {
	theta = t.LearningRate * schedule.Factor(epoch, t.Epochs, decayFactor)
	if t.BetaEpochs <= 0 {
		return theta, t.PosteriorLearningRate, 1
	}
	return theta, t.PosteriorLearningRate, min(1, float64(epoch)/float64(t.BetaEpochs))
}

// decayFactor is the factor of the learning rate of theta at the end (METHOD.md section 4).
const decayFactor = 0.01

// A trained ordinary network becomes a node-BNN by training only the posterior of its latents. Its
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
// with batch normalisation and without, and the terms of the posterior are small next to the
// likelihood's. So no rate of plain SGD both converges and moves within a few epochs.
func posteriorOnly(steps int) Rule {
	return Rule{
		Name: "posterior only", PhiBuffers: []string{firstMoment, secondMoment},
		Inputs: func(p Position) []float32 {
			count := float64(p.Epoch*steps + p.Step + 1)
			return []float32{
				float32(1 / (1 - math.Pow(firstDecay, count))),
				float32(1 / (1 - math.Pow(secondDecay, count))),
			}
		},
		Update: func(s *StepGraph) {
			for i, gradient := range s.posteriorGradients(s.Loss(nil)) {
				adamStep(s, s.Phi[i], gradient)
			}
		},
	}
}

// adamStep gives a parameter of the posterior its value after one step of Adam. The inputs of the
// rule correct the bias of both moments.
func adamStep(s *StepGraph, p StepParameter, gradient *Node) {
	average := func(buffer string, x *Node, decay float64, correction int) *Node {
		before := s.Buffer(buffer, p)
		moment := Add(MulScalar(before.Value, decay), MulScalar(x, 1-decay))
		s.Set(before, moment)
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

// usualSchedule returns the schedule of settings. With frozen weights it lowers the rate of the
// posterior, as other trainings lower the weights' rate.
func usualSchedule(s Settings) func(epoch int) (theta, phi, beta float64) {
	if !s.FrozenWeights {
		return s.Training.Rates
	}
	return func(epoch int) (theta, phi, beta float64) {
		theta, phi, beta = s.Training.Rates(epoch)
		return theta, phi * schedule.Factor(epoch, s.Training.Epochs, decayFactor), beta
	}
}
