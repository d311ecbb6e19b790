package network

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// Tensor is a named array, of a network in memory or in a file of weights:
//
//	type Tensor struct {
//		Name  string // for example "theta.conv1.weights"
//		DType string // "F32" of a network; files may have "F16", "I32", "U8" and others
//		Shape []int  // empty for a scalar
//		Data  []byte // little-endian, row by row
//	}
//
// Its method Floats returns the values of a tensor of type F32 as []float32.
type Tensor = safetensors.Tensor

// Variables are named by their group: theta is deterministic, phi the posterior; the running
// statistics of batch normalisation belong to neither. The buffers of an update rule are a third
// group.
const (
	thetaScope   = "/theta/"
	phiScope     = "/phi/"
	runningScope = "/running/"
)

// Prefixes of the names of tensors of theta and phi in a file.
const (
	thetaPrefix = "theta."
	phiPrefix   = "phi."
)

func weightPath(l layer) string { return thetaScope + l.name + "/weights" }
func biasPath(l layer) string   { return thetaScope + l.name + "/bias" }
func meanPath(l layer) string   { return phiScope + l.name + "/mean" }
func rhoPath(l layer) string    { return phiScope + l.name + "/rho" }

func (n normalisation) scalePath() string    { return thetaScope + n.name + "/scale" }
func (n normalisation) shiftPath() string    { return thetaScope + n.name + "/shift" }
func (n normalisation) meanPath() string     { return runningScope + n.name + "/mean" }
func (n normalisation) variancePath() string { return runningScope + n.name + "/variance" }

// thetaPaths and phiPaths list the two groups of parameters in the order of the layers.
func (a Architecture) thetaPaths() (paths []string) {
	if a.graph != nil {
		return a.graph.paths(false)
	}
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

func (a Architecture) phiPaths(mode Mode) (paths []string) {
	if mode == Deterministic {
		return nil
	}
	for _, l := range a.noisy() {
		paths = append(paths, meanPath(l), rhoPath(l))
	}
	return paths
}

// bufferPath names a buffer of an update rule for a parameter: /momentum/conv1/weights for
// /theta/conv1/weights.
func bufferPath(name, path string) string {
	_, rest, _ := strings.Cut(path[1:], "/")
	return "/" + name + "/" + rest
}

// addBuffers adds the buffers of an update rule to a store with the variables of a network: zeros
// in the shapes of their parameters.
func addBuffers(store *model.Store, rule Rule, m *Model) error {
	for _, buffers := range []struct{ names, paths []string }{
		{rule.ThetaBuffers, m.Architecture.thetaPaths()},
		{rule.PhiBuffers, m.Architecture.phiPaths(m.Settings.Posterior.Mode)},
	} {
		for _, name := range buffers.names {
			for _, path := range buffers.paths {
				zeros := tensors.FromShape(store.GetVariable(path).Shape())
				if _, err := store.CreateVariable(bufferPath(name, path), zeros); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// tensorName returns the name of a variable in a file: theta.conv1.weights for
// /theta/conv1/weights.
func tensorName(v *model.Variable) string {
	return strings.ReplaceAll(strings.TrimPrefix(v.Path(), "/"), "/", ".")
}

// variablePath returns the path of the variable with a name in a file: the reverse of tensorName.
func variablePath(name string) string { return "/" + strings.ReplaceAll(name, ".", "/") }

// byPath maps tensors by the path of their variable.
func byPath(all []Tensor) map[string]Tensor {
	values := map[string]Tensor{}
	for _, tensor := range all {
		values[variablePath(tensor.Name)] = tensor
	}
	return values
}

// storeTensors copies all variables of a store, sorted by name. Zero variables, as momentum at the
// start, share memory: copies would take a quarter of an import's memory.
func storeTensors(store *model.Store) ([]Tensor, error) {
	var all []Tensor
	var zeros []byte
	for v := range store.IterVariables() {
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		tensor := Tensor{Name: tensorName(v), DType: "F32", Shape: v.Shape().Dimensions}
		if v.DType() != dtypes.Float32 {
			return nil, fmt.Errorf("nbbnn: variable %s is %s, not float32", v.Path(), v.DType())
		}
		if err := value.ConstBytes(func(data []byte) {
			if len(zeros) < len(data) {
				zeros = make([]byte, len(data))
			}
			if tensor.Data = zeros[:len(data)]; !bytes.Equal(data, tensor.Data) {
				tensor.Data = slices.Clone(data)
			}
		}); err != nil {
			return nil, err
		}
		all = append(all, tensor)
	}
	slices.SortFunc(all, safetensors.ByName)
	return all, nil
}

// setTensors gives the variables of a store whose paths are chosen the values of their tensors. The
// error names a tensor that doesn't fit; tensors without such a variable are ignored.
func setTensors(store *model.Store, values []Tensor, chosen func(path string) bool) error {
	stored := byPath(values)
	for v := range store.IterVariables() {
		if !chosen(v.Path()) {
			continue
		}
		tensor, found := stored[v.Path()]
		if !found {
			return fmt.Errorf("has no %s, want %v", tensorName(v), v.Shape().Dimensions)
		}
		if !slices.Equal(tensor.Shape, v.Shape().Dimensions) {
			return fmt.Errorf("has %v for %s, want %v", tensor.Shape, tensorName(v),
				v.Shape().Dimensions)
		}
		if err := setVariable(v, tensor.Data); err != nil {
			return err
		}
	}
	return nil
}

// setVariable gives a variable the values of little-endian bytes, in its place: a new one beside it
// would take a quarter of an import's memory.
func setVariable(v *model.Variable, data []byte) error {
	value, err := v.Value()
	if err != nil {
		return err
	}
	return value.MutableBytes(func(bytes []byte) { copy(bytes, data) })
}

// isWeight reports whether a variable belongs to the ordinary network: to its weights, or to the
// running statistics of its batch normalisations.
func isWeight(path string) bool {
	return strings.HasPrefix(path, thetaScope) || strings.HasPrefix(path, runningScope)
}
