package baseline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/progress"
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
				return nil, fmt.Errorf("nbbnn: the checkpoint has %d collected weights, too few for the network: "+
					"train again",
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

// runningPrefix begins the names of running statistics in a checkpoint.
const runningPrefix = "running."

// drawName identifies the weights of a sample among those of one training: the mean, or the seed
// and the number of a draw.
func drawName(p Prediction, sample int) string {
	if p.Latents == network.MeanLatents {
		return "mean"
	}
	return fmt.Sprintf("seed%d-sample%d", p.Seed, sample)
}

// runningTensors returns the running statistics among the variables of a network.
func runningTensors(variables []network.Tensor) []network.Tensor {
	return slices.DeleteFunc(slices.Clone(variables), func(tensor network.Tensor) bool {
		return !strings.HasPrefix(tensor.Name, runningPrefix)
	})
}

// kept returns the variables of a draw with the running statistics that are kept; nil if one of
// them isn't kept in its shape, or if there are none to keep.
func (p Prediction) kept(draw string, variables []network.Tensor) []network.Tensor {
	running := runningTensors(variables)
	if p.Statistics == nil || len(running) == 0 {
		return nil
	}
	known := map[string]network.Tensor{}
	for _, tensor := range p.Statistics.Load(draw) {
		known[tensor.Name] = tensor
	}
	all := slices.Clone(variables)
	for i, tensor := range all {
		if !strings.HasPrefix(tensor.Name, runningPrefix) {
			continue
		}
		stored, found := known[tensor.Name]
		if !found || stored.DType != tensor.DType || !slices.Equal(stored.Shape, tensor.Shape) {
			return nil
		}
		all[i] = stored
	}
	return all
}

// reporter returns the function that reports the pass over the training images for a sample; nil if
// nobody wants to know.
func (p Prediction) reporter(sample int) func(done, total int) {
	if p.Progress == nil {
		return nil
	}
	samples := max(1, p.Samples)
	return func(done, total int) {
		p.Progress(progress.Update{
			Phase: "draw", Done: sample*total + done, Total: samples * total, Sample: sample + 1, Samples: samples,
		})
	}
}
