package network

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"
)

// importedFile is a file of weights for a network.
type importedFile struct {
	path     string
	settings Settings
	tensors  map[string]Tensor // those not taken yet, by name
	theirs   bool              // the layout is that of the published code
}

// take returns the values that the file has for a variable.
func (f *importedFile) take(entry referenceEntry, v *model.Variable) ([]byte, error) {
	name, shape := tensorName(v), v.Shape().Dimensions
	if f.theirs {
		name, shape = entry.name, entry.theirShape(shape)
	}
	tensor, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("nbbnn: %s has no tensor %s %v, which %s in mode %s has: "+
			"give the configuration that it was trained with",
			f.path, name, shape, f.settings.Network.Name, f.settings.Posterior.Mode)
	}
	if tensor.DType != "F32" || !slices.Equal(tensor.Shape, shape) {
		return nil, fmt.Errorf("nbbnn: %s has %s of type %s and shape %v, want F32 and %v: "+
			"give the configuration that it was trained with",
			f.path, name, tensor.DType, tensor.Shape, shape)
	}
	delete(f.tensors, name)
	if f.theirs {
		tensor.Data = entry.fromTheirs(tensor, v.Shape().Dimensions)
	}
	if notFinite([]Tensor{tensor}) != "" {
		return nil, fmt.Errorf("nbbnn: %s has %s with an infinity or NaN in it: "+
			"choose weights of a training that didn't diverge",
			f.path, name)
	}
	return tensor.Data, nil
}

// checkRest refuses tensors that the network doesn't have. The published code keeps the prior with
// each layer, which must be that of the settings, and counts the batches of its normalisations,
// which nothing depends on.
func (f *importedFile) checkRest() error {
	rest := f.tensors
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		prior := priorMean
		switch {
		case strings.HasSuffix(name, ".num_batches_tracked"), strings.HasPrefix(name, momentumBuffer+"."),
			strings.HasPrefix(name, hookPrefix):
			continue
		case strings.HasSuffix(name, ".prior_std"):
			prior = f.settings.Posterior.PriorStd
		case !strings.HasSuffix(name, ".prior_mean"):
			return fmt.Errorf("nbbnn: %s has %s %v, which %s in mode %s hasn't: "+
				"give the configuration that it was trained with",
				f.path, name, rest[name].Shape, f.settings.Network.Name, f.settings.Posterior.Mode)
		}
		if len(rest[name].Data) != 4 {
			return fmt.Errorf("nbbnn: %s has %s %v, want a single float32", f.path, name, rest[name].Shape)
		}
		got := float64(math.Float32frombits(binary.LittleEndian.Uint32(rest[name].Data)))
		if math.Abs(got-prior) > 1e-6 {
			return fmt.Errorf("nbbnn: %s has %s %g, the configuration %g: "+
				"give the prior that it was trained with",
				f.path, name, got, prior)
		}
	}
	return nil
}
