package safetensors

import (
	"encoding/binary"
	"math"

	"github.com/nbbnn/workbench/internal/npy"
)

// FromFloats returns a tensor of type F32.
func FromFloats(name string, values []float32, shape ...int) Tensor {
	data := make([]byte, 0, 4*len(values))
	for _, x := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return Tensor{Name: name, DType: "F32", Shape: shape, Data: data}
}

// Floats returns the values of a tensor of type F32.
func (t Tensor) Floats() []float32 {
	values := make([]float32, len(t.Data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return values
}

// Float32 returns a tensor of F16, BF16 or F64 as F32: the first two exactly, the last rounded. A
// tensor of any other type stays as it is.
func (t Tensor) Float32() Tensor {
	size, value := 2, func(data []byte) float32 { return npy.Half(binary.LittleEndian.Uint16(data)).Float32() }
	switch t.DType {
	case "F16":
	case "BF16":
		value = func(data []byte) float32 {
			return math.Float32frombits(uint32(binary.LittleEndian.Uint16(data)) << 16)
		}
	case "F64":
		size, value = 8, func(data []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(data))) }
	default:
		return t
	}
	values := make([]float32, len(t.Data)/size)
	for i := range values {
		values[i] = value(t.Data[size*i:])
	}
	return FromFloats(t.Name, values, t.Shape...)
}
