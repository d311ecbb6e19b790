package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// A trained ordinary network becomes a node-BNN by training the posterior of its latents alone. Its
// weights and the running statistics of its batch normalisations are constants then: the graph of a
// step has no gradients for them.

// posteriorOnly returns the rule of such a training: plain SGD for phi, and nothing for theta.
func posteriorOnly() Rule {
	return Rule{Name: "posterior only", Update: func(s *StepGraph) {
		for i, gradient := range s.PosteriorGradients(s.Loss(nil)) {
			p := s.Phi[i]
			s.Set(p, plainStep(p.Value, gradient, s.PhiRate))
		}
	}}
}

// usualRule returns the update rule of settings, unless a method has its own.
func usualRule(s Settings) Rule {
	if s.FrozenWeights {
		return posteriorOnly()
	}
	return Nesterov()
}

// exactPosterior returns the posterior N(1, std^2) of one component, mean and rho [1, D].
func exactPosterior(dimensions int, std float64) (mean, rho []float32) {
	mean = slices.Repeat([]float32{1}, dimensions)
	return mean, slices.Repeat([]float32{float32(inverseSoftplus(std))}, dimensions)
}

// isWeight reports whether a tensor of a checkpoint belongs to the ordinary network: to its weights,
// or to the running statistics of its batch normalisations.
func isWeight(tensor Tensor) bool {
	path := variablePath(tensor.Name)
	return strings.HasPrefix(path, thetaScope) || strings.HasPrefix(path, runningScope)
}

// WeightsSHA256 returns the checksum of the weights and running statistics, without posterior and
// buffers: equal networks have equal checksums, however they were trained.
func (s State) WeightsSHA256() string {
	var weights []Tensor
	for _, tensor := range s.Variables {
		if isWeight(tensor) {
			weights = append(weights, tensor)
		}
	}
	return safetensors.SHA256(weights)
}

// setWeights is Model.SetWeights.
func setWeights(store *model.Store, variables []Tensor) error {
	values := byPath(variables)
	for v := range store.IterVariables() {
		if !isWeight(Tensor{Name: tensorName(v)}) {
			continue
		}
		if err := setWeight(v, values); err != nil {
			return err
		}
	}
	return nil
}

func setWeight(v *model.Variable, values map[string]Tensor) error {
	tensor, found := values[v.Path()]
	switch {
	case !found:
		return fmt.Errorf("has no %s, want %v", tensorName(v), v.Shape().Dimensions)
	case !slices.Equal(tensor.Shape, v.Shape().Dimensions):
		return fmt.Errorf("has %v for %s, want %v", tensor.Shape, tensorName(v), v.Shape().Dimensions)
	}
	return setVariable(v, tensor.Data)
}
