package nbbnn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// tensorName is what a variable is called in a file: theta.conv1.weights for /theta/conv1/weights.
func tensorName(v *model.Variable) string {
	return strings.ReplaceAll(strings.TrimPrefix(v.Path(), "/"), "/", ".")
}

// variablePath is the path of the variable that has a name in a file, the reverse of tensorName.
func variablePath(name string) string { return "/" + strings.ReplaceAll(name, ".", "/") }

// byPath finds tensors of our layout by the path of their variable.
func byPath(tensors []safetensors.Tensor) map[string]safetensors.Tensor {
	values := map[string]safetensors.Tensor{}
	for _, tensor := range tensors {
		values[variablePath(tensor.Name)] = tensor
	}
	return values
}

// storeTensors copies all variables of a store, sorted by name.
func storeTensors(store *model.Store) ([]safetensors.Tensor, error) {
	var all []safetensors.Tensor
	for v := range store.IterVariables() {
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		tensor := safetensors.Tensor{Name: tensorName(v), DType: "F32", Shape: v.Shape().Dimensions}
		if v.DType() != dtypes.Float32 {
			return nil, fmt.Errorf("nbbnn: variable %s is %s, not float32", v.Path(), v.DType())
		}
		if err := value.ConstBytes(func(bytes []byte) { tensor.Data = slices.Clone(bytes) }); err != nil {
			return nil, err
		}
		all = append(all, tensor)
	}
	slices.SortFunc(all, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// setTensors gives every variable of a store the value of its tensor. The error says which tensor doesn't fit; tensors without a
// variable are left alone.
func setTensors(store *model.Store, values []safetensors.Tensor) error {
	stored := byPath(values)
	for v := range store.IterVariables() {
		tensor, found := stored[v.Path()]
		if !found {
			return fmt.Errorf("has no %s, want %v", tensorName(v), v.Shape().Dimensions)
		}
		if !slices.Equal(tensor.Shape, v.Shape().Dimensions) {
			return fmt.Errorf("has %v for %s, want %v", tensor.Shape, tensorName(v), v.Shape().Dimensions)
		}
		if err := setVariable(v, tensor.Data); err != nil {
			return err
		}
	}
	return nil
}

// setVariable gives a variable the values of little-endian bytes.
func setVariable(v *model.Variable, data []byte) error {
	value := tensors.FromShape(v.Shape())
	if err := value.MutableBytes(func(bytes []byte) { copy(bytes, data) }); err != nil {
		return err
	}
	return v.SetValue(value)
}
