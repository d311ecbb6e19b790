package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// nesterovStep returns a deterministic parameter and its momentum buffer after one step of SGD with Nesterov momentum and
// weight decay, as PyTorch defines them (METHOD.md section 4). All but the coefficients have the parameter's shape.
func nesterovStep(parameter, buffer, gradient, learningRate *Node, momentum, weightDecay float64) (next, nextBuffer *Node) {
	return operation.Descend(parameter, buffer, gradient, learningRate, momentum, weightDecay)
}

// plainStep returns a parameter of the posterior after one step of SGD: no momentum, no weight decay.
func plainStep(parameter, gradient, learningRate *Node) *Node {
	return Sub(parameter, Mul(learningRate, gradient))
}

// thetaPaths and phiPaths list the two groups of parameters in the order of the layers.
func (a architecture) thetaPaths() (paths []string) {
	for _, l := range a.layers {
		paths = append(paths, weightPath(l))
		if l.bias {
			paths = append(paths, biasPath(l))
		}
	}
	for _, n := range a.normalisations {
		paths = append(paths, n.scalePath(), n.shiftPath())
	}
	return paths
}

func (a architecture) phiPaths(mode Mode) (paths []string) {
	if mode == Deterministic {
		return nil
	}
	for _, l := range a.layers {
		paths = append(paths, meanPath(l), rhoPath(l))
	}
	return paths
}

// momentumPath names the momentum buffer of a deterministic parameter.
func momentumPath(path string) string { return momentumScope + path[len(thetaScope):] }

// addMomentum adds a buffer of zeros for every deterministic parameter.
func addMomentum(store *model.Store, a architecture) error {
	for _, path := range a.thetaPaths() {
		zeros := tensors.FromShape(store.GetVariable(path).Shape())
		if _, err := store.CreateVariable(momentumPath(path), zeros); err != nil {
			return err
		}
	}
	return nil
}

// rates are the scalars of the schedule that a training step takes.
type rates struct{ theta, phi, beta *Node }

// update sets every variable to its value after one step down the loss.
func update(a architecture, mode Mode, store *model.Store, loss *Node, rate rates, training Training) {
	theta, phi := a.thetaPaths(), a.phiPaths(mode)
	parameters := make([]*Node, 0, len(theta)+len(phi))
	for _, path := range append(append([]string{}, theta...), phi...) {
		parameters = append(parameters, store.GetVariable(path).NodeValue(loss.Graph()))
	}
	gradients := Gradient(loss, parameters...)
	for i, path := range theta {
		buffer := store.GetVariable(momentumPath(path))
		next, nextBuffer := nesterovStep(parameters[i], buffer.NodeValue(loss.Graph()), gradients[i], rate.theta,
			training.Momentum, training.WeightDecay)
		store.GetVariable(path).SetNodeValue(next)
		buffer.SetNodeValue(nextBuffer)
	}
	for i, path := range phi {
		k := len(theta) + i
		store.GetVariable(path).SetNodeValue(plainStep(parameters[k], gradients[k], rate.phi))
	}
}
