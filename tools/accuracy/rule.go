package main

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// precision is the numbers in which a step is computed.
type precision int

const (
	single precision = iota
	double
	movedDouble // with weights that are moved a little
)

// Buffers of a gradient: as float32, and what float64 has beyond that.
const (
	highBuffer = "high"
	lowBuffer  = "low"
)

// move is by how much of itself each weight is moved: outputs of layers change by about as much as
// Winograd's rounding changes them.
const move = 1e-6

// gradientRule keeps the gradients of a step and changes no parameter.
func gradientRule(numbers precision, smooth bool) network.Rule {
	buffers := []string{highBuffer, lowBuffer}
	return network.Rule{
		Name: "gradients", ThetaBuffers: buffers, PhiBuffers: buffers, Normals: 1,
		Update: func(s *network.StepGraph) {
			s.Smooth = smooth
			parameters := append(append([]network.StepParameter{}, s.Theta...), s.Phi...)
			changed := changedParameters(s, parameters, numbers)
			var values []*Node
			for _, p := range changed {
				values = append(values, p.Value)
			}
			for i, gradient := range Gradient(s.Loss(changed), values...) {
				keepGradient(s, parameters[i], gradient)
			}
		},
	}
}

// changedParameters returns the parameters in the numbers of the step.
func changedParameters(s *network.StepGraph, parameters []network.StepParameter, numbers precision) []network.StepParameter {
	changed := append([]network.StepParameter{}, parameters...)
	for i, p := range changed {
		if numbers == single {
			continue
		}
		changed[i].Value = ConvertDType(p.Value, dtypes.Float64)
		if numbers == movedDouble && i < len(s.Theta) {
			moves := MulScalar(Sign(ConvertDType(s.Normals(p), dtypes.Float64)), move)
			changed[i].Value = Add(changed[i].Value, Mul(changed[i].Value, moves))
		}
	}
	return changed
}

func keepGradient(s *network.StepGraph, p network.StepParameter, gradient *Node) {
	high := ConvertDType(gradient, dtypes.Float32)
	rest := Sub(gradient, ConvertDType(high, gradient.DType()))
	s.SetBuffer(highBuffer, p, high)
	s.SetBuffer(lowBuffer, p, ConvertDType(rest, dtypes.Float32))
}

// keptGradients returns the gradients among the variables of a state, by the names of their
// parameters.
func keptGradients(variables []network.Tensor) map[string][]float64 {
	gradients := map[string][]float64{}
	for _, tensor := range variables {
		buffer, name, _ := strings.Cut(tensor.Name, ".")
		if buffer != highBuffer && buffer != lowBuffer {
			continue
		}
		if gradients[name] == nil {
			gradients[name] = make([]float64, len(tensor.Data)/4)
		}
		for i := range gradients[name] {
			gradients[name][i] += float64(math.Float32frombits(binary.LittleEndian.Uint32(tensor.Data[4*i:])))
		}
	}
	return gradients
}
