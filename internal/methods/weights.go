package methods

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// weights are the several sets of weights of a method that doesn't have just one.
type weights struct {
	// count is the number of stored samples; 0 if they're drawn, any number of them.
	count int
	// mean returns the centre of the posterior; nil means that it has none.
	mean func() []float32
	// draw returns the weights of a sample, in the order of thetaValues. Their running statistics
	// are recomputed.
	draw func(seed uint64, sample int) []float32
	// stored returns the variables of a sample, with its running statistics; nil means draw.
	stored func(sample, samples int) []network.Tensor
}

// thetaPrefix begins the names of the weights in a checkpoint.
const thetaPrefix = "theta."

// thetaValues joins the weights of a network, in the order of the variables.
func thetaValues(variables []network.Tensor) (values []float32) {
	for _, tensor := range variables {
		if strings.HasPrefix(tensor.Name, thetaPrefix) {
			values = append(values, tensor.Floats()...)
		}
	}
	return values
}

// withTheta returns the variables with other weights, in the order of thetaValues.
func withTheta(variables []network.Tensor, values []float32) ([]network.Tensor, error) {
	replaced := make([]network.Tensor, len(variables))
	used := 0
	for i, tensor := range variables {
		if strings.HasPrefix(tensor.Name, thetaPrefix) {
			count := len(tensor.Data) / 4
			if used+count > len(values) {
				return nil, fmt.Errorf("nbbnn: the checkpoint has %d collected weights, too few "+
					"for the network: train again",
					len(values))
			}
			tensor.Data = safetensors.FromFloats("", values[used:][:count]).Data
			used += count
		}
		replaced[i] = tensor
	}
	return replaced, nil
}

// normalValues draws standard normal numbers.
func normalValues(rng *rand.Rand, count int) []float64 {
	values := make([]float64, count)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return values
}

// reporter returns the function that reports the pass over the training images for a sample; nil
// without Progress.
func (p Prediction) reporter(sample int) func(done, total int) {
	if p.Progress == nil {
		return nil
	}
	samples := max(1, p.Samples)
	return func(done, total int) {
		p.Progress(progress.Update{
			Phase: "draw", Done: sample*total + done, Total: samples * total, Sample: sample + 1,
			Samples: samples,
		})
	}
}
