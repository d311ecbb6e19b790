package methods

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The running statistics of batch normalisation of drawn weights take a pass over the training
// images each. A file with them belongs to the weights and the engine that its metadata names.

func (p Prediction) path(draw string) string {
	return filepath.Join(p.Directory, draw+".safetensors")
}

func (p Prediction) metadata() map[string]string {
	return map[string]string{"weights_sha256": p.Weights, "engine": p.Engine}
}

// load returns the tensors of a draw, or nil if they aren't kept: a file of other weights, or a
// damaged one, isn't.
func (p Prediction) load(draw string) []network.Tensor {
	tensors, metadata, err := safetensors.ReadSealed(p.path(draw), draw)
	if err != nil || p.Weights == "" || !maps.Equal(metadata, p.metadata()) {
		return nil
	}
	return tensors
}

// save keeps the running statistics among the variables of a draw. A directory that can't be
// written costs only time.
func (p Prediction) save(draw string, variables []network.Tensor) {
	running := runningTensors(variables)
	if p.ReadOnly || p.Weights == "" || len(running) == 0 {
		return
	}
	if os.MkdirAll(p.Directory, 0o755) == nil {
		_ = safetensors.WriteSealed(p.path(draw), draw, running, p.metadata())
	}
}

// of returns the variables of a draw with the running statistics that are kept; nil if one of them
// isn't kept in its shape, or if there are none to keep.
func (p Prediction) of(draw string, variables []network.Tensor) []network.Tensor {
	known := map[string]network.Tensor{}
	for _, tensor := range p.load(draw) {
		known[tensor.Name] = tensor
	}
	if len(known) == 0 {
		return nil
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

// runningPrefix begins the names of running statistics in a checkpoint.
const runningPrefix = "running."

// runningTensors returns the running statistics among the variables of a network.
func runningTensors(variables []network.Tensor) []network.Tensor {
	return slices.DeleteFunc(slices.Clone(variables), func(tensor network.Tensor) bool {
		return !strings.HasPrefix(tensor.Name, runningPrefix)
	})
}

// drawName identifies a sample's weights among one training's: the mean, or the seed and the number
// of a draw.
func drawName(p Prediction, sample int) string {
	if p.Latents == network.MeanLatents {
		return "mean"
	}
	return fmt.Sprintf("seed%d-sample%d", p.Seed, sample)
}
