package network

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/nearest"
)

// importedFile is a file of weights for a network.
type importedFile struct {
	path     string
	settings Settings
	tensors  map[string]Tensor // those not taken yet, by name
	theirs   bool              // the layout is that of the published code
	layers   []layer           // of the network
}

// wrapper begins the names of a network that PyTorch's DataParallel trained.
const wrapper = "module."

// withoutWrapper removes the prefix of DataParallel if all names have it.
func withoutWrapper(stored []Tensor) []Tensor {
	inner := slices.Clone(stored)
	for i, tensor := range stored {
		name, wrapped := strings.CutPrefix(tensor.Name, wrapper)
		if !wrapped {
			return stored
		}
		inner[i].Name = name
	}
	return inner
}

// take returns the values that the file has for a variable.
func (f *importedFile) take(entry referenceEntry, v *model.Variable) ([]byte, error) {
	name, shape := tensorName(v), v.Shape().Dimensions
	if f.theirs {
		name, shape = entry.name, entry.theirShape(shape)
	}
	tensor, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("nbbnn: %s has no tensor %s %v, which %s in mode %s has%s",
			f.path, name, shape, f.settings.Network.Name, f.settings.Posterior.Mode, f.missingAdvice(entry, name, shape))
	}
	if tensor.DType != "F32" || !slices.Equal(tensor.Shape, shape) {
		return nil, fmt.Errorf("nbbnn: %s has %s of type %s and shape %v, want F32 and %v: %s",
			f.path, name, tensor.DType, tensor.Shape, shape, f.shapeAdvice(entry, tensor.Shape, shape))
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

// missingAdvice says what the reason for a missing tensor may be.
func (f *importedFile) missingAdvice(entry referenceEntry, name string, shape []int) string {
	layout := WorkbenchLayout
	if f.theirs {
		layout = ReferenceLayout
	}
	if strings.HasPrefix(entry.path, phiScope) && !slices.ContainsFunc(slices.Collect(maps.Keys(f.tensors)), layout.InPosterior) {
		return ": it holds a network without latents: give --mode none to import it as one"
	}
	if prefix := f.prefix(name); prefix != "" {
		return fmt.Sprintf(" (the nearest is %s%s %v): take the prefix %[1]s from the names of the file's tensors",
			prefix, name, f.tensors[prefix+name].Shape)
	}
	return f.nearest(name, shape) + ": give the configuration that it was trained with"
}

// prefix returns what all names of the file begin with before a missing name; "" if it isn't there.
func (f *importedFile) prefix(name string) string {
	names := slices.Sorted(maps.Keys(f.tensors))
	at := slices.IndexFunc(names, func(other string) bool { return strings.HasSuffix(other, "."+name) })
	if at < 0 {
		return ""
	}
	prefix := strings.TrimSuffix(names[at], name)
	if slices.ContainsFunc(names, func(other string) bool { return !strings.HasPrefix(other, prefix) }) {
		return ""
	}
	return prefix
}

// nearest names the tensor of the file that a missing one most resembles: one of its shape first.
func (f *importedFile) nearest(name string, shape []int) string {
	var others, alike []string // of the same shape
	for _, other := range slices.Sorted(maps.Keys(f.tensors)) {
		others = append(others, other)
		if slices.Equal(f.tensors[other].Shape, shape) {
			alike = append(alike, other)
		}
	}
	for _, names := range [][]string{alike, others} {
		if found, ok := nearest.Name(name, names); ok {
			return fmt.Sprintf(" (the nearest is %s %v)", found, f.tensors[found].Shape)
		}
	}
	return ""
}

// shapeAdvice says what the reason for another shape is, if it is one of the usual ones.
func (f *importedFile) shapeAdvice(entry referenceEntry, have, want []int) string {
	first, last := f.layers[0], f.layers[len(f.layers)-1]
	outputs := len(want) - 1 // the axis of the classes
	if f.theirs {
		outputs = 0
	}
	kernel := 0
	if f.theirs {
		kernel = 2
	}
	switch {
	case len(have) != len(want):
	case (entry.path == weightPath(last) || entry.path == biasPath(last)) && have[outputs] != want[outputs]:
		return fmt.Sprintf("the file tells %d classes apart, the data set has %d: give the data set that it was trained on",
			have[outputs], want[outputs])
	case entry.path == weightPath(first) && len(want) == 4 && have[kernel] != want[kernel]:
		return fmt.Sprintf("its first convolution has %d x %d pixels, that of our %s %d x %d, for small images: "+
			"replace it and train again",
			have[kernel], have[kernel], f.settings.Network.Name, want[kernel], want[kernel])
	}
	return "give the configuration that it was trained with"
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
