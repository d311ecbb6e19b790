package network

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Rule is an update rule: it says how one training step changes the parameters. The zero value means
// Nesterov, or with Settings.FrozenWeights Adam for the posterior alone.
//
// A rule builds its part of the graph from the objective of the batch. Some examples (METHOD.md
// section 8): SAM takes the gradient of Loss(nil), then that of Loss with the weights moved along
// it; DAMP takes that of Loss with weights that are multiplied by Normals; cSG-HMC keeps a velocity
// as a buffer, adds Normals to it, and has its rate of the step in Inputs.
type Rule struct {
	// Name is for errors and cards; "" means nesterov.
	Name string
	// ThetaBuffers are variables that the rule keeps for each parameter of theta, zero at first.
	ThetaBuffers []string
	// PhiBuffers are the same for each parameter of phi.
	PhiBuffers []string
	// Normals is how often the rule calls StepGraph.Normals for each parameter of theta, at most.
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
	return Rule{Name: "nesterov", ThetaBuffers: []string{momentumBuffer}, Update: nesterovUpdate}
}

func nesterovUpdate(s *StepGraph) {
	theta, phi := s.Gradients(s.Loss(nil))
	s.NesterovStep(theta)
	s.PlainStep(phi)
}

// nesterovStep returns deterministic parameters and their momentum buffers after one step of SGD
// with Nesterov momentum and weight decay.
func nesterovStep(
	parameters, buffers, gradients []*Node, learningRate *Node, momentum, weightDecay float64,
) (next, nextBuffers []*Node) {
	return operation.Descend(parameters, buffers, gradients, learningRate, momentum, weightDecay)
}

// plainStep returns parameters of the posterior after one step of SGD: no momentum, no weight
// decay.
func plainStep(parameters, gradients []*Node, learningRate *Node) []*Node {
	return operation.DescendPlainly(parameters, gradients, learningRate)
}

// Rates returns the published schedule in an epoch, counted from 0 (METHOD.md section 4): the
// learning rates of theta and phi, and the annealing of the regulariser.
func (t Training) Rates(epoch int) (theta, phi, beta float64) {
	theta = t.LearningRate * LearningRateFactor(epoch, t.Epochs)
	return theta, t.PosteriorLearningRate, Beta(epoch, t.BetaEpochs)
}

// Milestones of the learning rate of theta, as fractions of the epochs, and the factor at the end
// (METHOD.md section 4).
const (
	decayStart  = 0.5
	decayEnd    = 0.9
	decayFactor = 0.01
)

// LearningRateFactor returns the factor of the learning rate of theta in an epoch, counted from 0:
// one for the first half, then linearly down to a hundredth at nine tenths of the epochs (METHOD.md
// section 4).
func LearningRateFactor(epoch, epochs int) float64 {
	t := float64(epoch) / float64(epochs)
	switch {
	case t <= decayStart:
		return 1
	case t <= decayEnd:
		return 1 - (1-decayFactor)*(t-decayStart)/(decayEnd-decayStart)
	default:
		return decayFactor
	}
}

// Beta returns the annealing coefficient of the regulariser in an epoch, counted from 0: it rises
// linearly from zero to one at epoch rampEpochs; a ramp of no epochs is one throughout (METHOD.md
// section 4).
func Beta(epoch, rampEpochs int) float64 {
	if rampEpochs <= 0 {
		return 1
	}
	return min(1, float64(epoch)/float64(rampEpochs))
}
