package baseline

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/network"
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
			values = append(values, vectorValues(tensor)...)
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
			tensor.Data = vector("", values[used:][:count]).Data
			used += count
		}
		replaced[i] = tensor
	}
	return replaced, nil
}

// hookTensors returns the tensors that the hook of a method keeps in a checkpoint.
func hookTensors(state []network.Tensor, name Name) (own []network.Tensor) {
	prefix := "hook." + string(name) + "."
	for _, tensor := range state {
		if rest, found := strings.CutPrefix(tensor.Name, prefix); found {
			tensor.Name = rest
			own = append(own, tensor)
		}
	}
	return own
}

// vector returns a named array of float32.
func vector(name string, values []float32) network.Tensor {
	data := make([]byte, 0, 4*len(values))
	for _, x := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return network.Tensor{Name: name, DType: "F32", Shape: []int{len(values)}, Data: data}
}

// vectorValues returns the values of an array of float32.
func vectorValues(tensor network.Tensor) []float32 {
	values := make([]float32, len(tensor.Data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(tensor.Data[4*i:]))
	}
	return values
}

// normalValues draws standard normal numbers.
func normalValues(rng *rand.Rand, count int) []float64 {
	values := make([]float64, count)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return values
}
