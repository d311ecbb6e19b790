package methods

import (
	"cmp"
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Published standard deviations for residual networks, on CIFAR-10 and on CIFAR-100, and the number
// of sub-batches. CIFAR-100's is the default for TinyImageNet, too, which has 0.2 in the published
// settings.
const (
	dampStd, dampStdMany = 0.2, 0.1
	dampSubBatches       = 8
)

func dampDefinition() definition {
	return definition{
		name:  baseline.DAMP,
		title: "DAMP",
		fill:  fillDAMP,
		check: checkDAMP,
		training: func(m Method, _ target) network.StepperOptions {
			return network.StepperOptions{Rule: dampRule(m.Std, m.SubBatches)}
		},
	}
}

func fillDAMP(m Method, at target) Method {
	std := dampStd
	if at.hasManyClasses() {
		std = dampStdMany
	}
	m.Std = cmp.Or(m.Std, std)
	m.SubBatches = cmp.Or(m.SubBatches, largestDivisor(at.settings.Training.Batch, dampSubBatches))
	return m
}

func checkDAMP(m Method, at target) error {
	batch := at.settings.Training.Batch
	if batch%m.SubBatches != 0 {
		return fmt.Errorf("nbbnn: a batch of %d images can't be split into %d equal sub-batches: "+
			"give a divisor of %d",
			batch, m.SubBatches, batch)
	}
	return nil
}

// dampRule is Nesterov momentum along the mean of the sub-batches' gradients, each taken at weights
// that were multiplied. As in the published code, kernels, matrices and the scales of batch
// normalisation are multiplied and biases and shifts aren't, the gradient is taken by the
// multiplied weights, and the running statistics come from the first sub-batch.
func dampRule(std float64, parts int) network.Rule {
	rule := network.Nesterov()
	rule.Name, rule.Normals = string(baseline.DAMP), parts
	rule.Update = func(s *network.StepGraph) {
		sums := make([]*Node, len(s.Theta))
		for part := range parts {
			values, changed := make([]*Node, len(s.Theta)), make([]network.StepParameter,
				len(s.Theta))
			for i, p := range s.Theta {
				values[i] = p.Value
				if strings.HasSuffix(p.Path, "/weights") || strings.HasSuffix(p.Path, "/scale") {
					values[i] = multiplied(p.Value, s.Normals(p), std)
				}
				changed[i] = network.StepParameter{Path: p.Path, Value: values[i]}
			}
			for i, gradient := range Gradient(s.LossOfPart(changed, part, parts), values...) {
				if sums[i] == nil {
					sums[i] = gradient
				} else {
					sums[i] = Add(sums[i], gradient)
				}
			}
		}
		for i, sum := range sums {
			sums[i] = MulScalar(sum, 1/float64(parts))
		}
		s.NesterovStep(sums)
	}
	return rule
}

// multiplied returns w (1 + std z) for standard normal z in the shape of w: w times N(1, std^2).
func multiplied(w, z *Node, std float64) *Node {
	return Mul(w, AddScalar(MulScalar(z, std), 1))
}
