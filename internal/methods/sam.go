package methods

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Published lengths of the move, for CIFAR-10 and for data sets with more classes.
const (
	samRho, samRhoMany   = 0.05, 0.1
	asamRho, asamRhoMany = 0.5, 1.0
)

func samDefinition(name baseline.Name, title string) definition {
	adaptive := name == baseline.ASAM
	return definition{
		name:   name,
		title:  title,
		passes: 2,
		fill: func(m Method, at target) Method {
			if m.Rho == 0 {
				m.Rho = publishedRho(adaptive, at.hasManyClasses())
			}
			return m
		},
		training: func(m Method, _ target) network.StepperOptions {
			return network.StepperOptions{Rule: samRule(m.Name, m.Rho, adaptive, m.BothPasses)}
		},
	}
}

func publishedRho(adaptive, many bool) float64 {
	switch {
	case adaptive && many:
		return asamRhoMany
	case adaptive:
		return asamRho
	case many:
		return samRhoMany
	}
	return samRho
}

// samRule is Nesterov momentum along the gradient at weights that were moved by ascent. Batch
// normalisation always uses the statistics of the batch; its running statistics come from the first
// pass, with the weights as they are, unless bothPasses updates them in the second pass too.
func samRule(name baseline.Name, rho float64, adaptive, bothPasses bool) network.Rule {
	buffers := network.Nesterov().ThetaBuffers
	return network.Rule{Name: string(name), ThetaBuffers: buffers,
		Update: func(s *network.StepGraph) {
			gradients, _ := s.Gradients(s.Loss(nil))
			var values []*Node
			for _, p := range s.Theta {
				values = append(values, p.Value)
			}
			moved := make([]network.StepParameter, len(values))
			for i, move := range ascent(values, gradients, rho, adaptive) {
				p := s.Theta[i]
				moved[i] = network.StepParameter{Path: p.Path,
					Value: Add(p.Value, StopGradient(move))}
			}
			s.AllPasses = bothPasses
			gradients, _ = s.Gradients(s.Loss(moved))
			s.NesterovStep(gradients)
		}}
}

// smallestNorm keeps the move finite if the gradient is zero.
const smallestNorm = 1e-12

// ascent returns the move of each parameter, in its shape: e = rho T^2 g / ||T g||, with the norm
// over all parameters together. T is 1 for SAM and |w| for ASAM. It's the steepest move with
// ||e/T|| <= rho.
func ascent(values, gradients []*Node, rho float64, adaptive bool) []*Node {
	squares := Scalar(values[0].Graph(), values[0].DType(), 0.0)
	scaled := make([]*Node, len(values)) // T g
	for i, g := range gradients {
		scaled[i] = g
		if adaptive {
			scaled[i] = Mul(Abs(values[i]), g)
		}
		squares = Add(squares, ReduceAllSum(Square(scaled[i])))
	}
	factor := MulScalar(Inverse(AddScalar(Sqrt(squares), smallestNorm)), rho)
	moves := make([]*Node, len(values))
	for i, x := range scaled {
		if adaptive {
			x = Mul(Abs(values[i]), x)
		}
		moves[i] = Mul(x, factor)
	}
	return moves
}
