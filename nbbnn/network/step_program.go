package network

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/engine"
)

// stepProgram returns what the next call of a stepper computes on XLA: its text, and the arguments
// of its function main.
func stepProgram(s *Stepper) (text string, all []Tensor, err error) {
	program, arguments := s.single, s.arguments
	if steps := s.stepsAt(s.position); steps > 1 {
		program, arguments = s.many, func() []any { return s.manyArguments(steps) }
	}
	given := arguments()
	text, err = engine.ProgramText(func() (err error) {
		program.graph, err = program.exec.Compile(shapesOf(given)...)
		return err
	})
	if err != nil {
		return "", nil, err
	}
	for handle := range program.graph.NumParameters() {
		parameter := program.graph.GetParameterByHandle(graph.ParameterHandle(handle))
		tensor, err := parameterValue(s, parameter, given)
		if err != nil {
			return "", nil, err
		}
		all = append(all, tensor)
	}
	return text, all, nil
}

// parameterValue returns the value of a parameter of a graph: that of a variable, or one of the
// arguments, which come first.
func parameterValue(s *Stepper, parameter *graph.Node, arguments []any) (Tensor, error) {
	name := parameter.GetParameterName()
	if variable := s.model.store.GetVariable(name); variable != nil {
		value, err := variable.Value()
		if err != nil {
			return Tensor{}, err
		}
		return rawTensor(name, value)
	}
	argument := arguments[parameter.GetParameterHandle()]
	tensor, is := argument.(*tensors.Tensor)
	if !is {
		tensor = tensors.MustFromAnyValue(argument)
	}
	return rawTensor(name, tensor)
}

// rawTypes names the types of the arguments of a step.
var rawTypes = map[dtypes.DType]string{dtypes.Float32: "F32", dtypes.Int32: "I32", dtypes.Uint32: "U32", dtypes.Uint8: "U8"}

// rawTensor copies a tensor.
func rawTensor(name string, value *tensors.Tensor) (Tensor, error) {
	dtype, known := rawTypes[value.DType()]
	if !known {
		return Tensor{}, fmt.Errorf("nbbnn: a step has the argument %s of the unexpected type %s", name, value.DType())
	}
	result := Tensor{Name: name, DType: dtype, Shape: slices.Clone(value.Shape().Dimensions)}
	return result, value.ConstBytes(func(bytes []byte) { result.Data = slices.Clone(bytes) })
}
