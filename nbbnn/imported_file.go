package nbbnn

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// importedFile is a file of weights for a configuration.
type importedFile struct {
	path    string
	config  Config
	tensors map[string]safetensors.Tensor // those not taken yet, by name
	theirs  bool                          // the layout is that of the published code
}

// readImported reads a file of weights, unless its latents are folded in.
func readImported(path string, config Config) (*importedFile, error) {
	stored, metadata, err := safetensors.Read(path)
	if err != nil {
		return nil, err
	}
	if latents := metadata[latentsKey]; latents != "" {
		return nil, fmt.Errorf("nbbnn: %s is run %.12s with its latents fixed at %s, not an ordinary network that was trained: export the run without --latents and import that",
			path, metadata[runKey], latents)
	}
	file := &importedFile{path, config, map[string]safetensors.Tensor{}, true}
	for _, tensor := range stored {
		file.tensors[tensor.Name] = tensor
		file.theirs = file.theirs && !strings.HasPrefix(tensor.Name, thetaScope[1:len(thetaScope)-1]+".")
	}
	return file, nil
}

// take returns the values that the file has for a variable.
func (f *importedFile) take(entry referenceEntry, v *model.Variable) ([]byte, error) {
	name, shape := tensorName(v), v.Shape().Dimensions
	if f.theirs {
		name, shape = entry.name, entry.theirShape(shape)
	}
	tensor, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("nbbnn: %s has no tensor %s %v, which %s in mode %s has: give the configuration that it was trained with",
			f.path, name, shape, f.config.Network.Name, f.config.Posterior.Mode)
	}
	if tensor.DType != "F32" || !slices.Equal(tensor.Shape, shape) {
		return nil, fmt.Errorf("nbbnn: %s has %s of type %s and shape %v, want F32 and %v: give the configuration that it was trained with",
			f.path, name, tensor.DType, tensor.Shape, shape)
	}
	delete(f.tensors, name)
	if f.theirs {
		tensor.Data = entry.fromTheirs(tensor, v.Shape().Dimensions)
	}
	if notFinite([]safetensors.Tensor{tensor}) != "" {
		return nil, fmt.Errorf("nbbnn: %s has %s with an infinity or no number in it: choose weights of a training that didn't diverge", f.path, name)
	}
	return tensor.Data, nil
}

// checkRest refuses tensors that the network doesn't have. The published code keeps the prior with each layer, which must be
// the configuration's, and counts the batches of its normalisations, which nothing depends on.
func checkRest(rest map[string]safetensors.Tensor, config Config, path string) error {
	for _, name := range sortedKeys(rest) {
		prior := priorMean
		switch {
		case strings.HasSuffix(name, ".num_batches_tracked"), strings.HasPrefix(name, "momentum."):
			continue
		case strings.HasSuffix(name, ".prior_std"):
			prior = config.Posterior.PriorStd
		case !strings.HasSuffix(name, ".prior_mean"):
			return fmt.Errorf("nbbnn: %s has %s %v, which %s in mode %s hasn't: give the configuration that it was trained with",
				path, name, rest[name].Shape, config.Network.Name, config.Posterior.Mode)
		}
		if len(rest[name].Data) != 4 {
			return fmt.Errorf("nbbnn: %s has %s %v, want a single float32", path, name, rest[name].Shape)
		}
		if got := float64(math.Float32frombits(binary.LittleEndian.Uint32(rest[name].Data))); math.Abs(got-prior) > 1e-6 {
			return fmt.Errorf("nbbnn: %s has %s %g, the configuration %g: give the prior that it was trained with", path, name, got, prior)
		}
	}
	return nil
}
