package baseline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/progress"
)

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
