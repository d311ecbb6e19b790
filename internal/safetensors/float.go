package safetensors

import (
	"encoding/binary"
	"math"

	"github.com/nbbnn/workbench/internal/npy"
)

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
	converted := Tensor{Name: t.Name, DType: "F32", Shape: t.Shape, Data: make([]byte, 0, len(t.Data)/size*4)}
	for data := t.Data; len(data) >= size; data = data[size:] {
		converted.Data = binary.LittleEndian.AppendUint32(converted.Data, math.Float32bits(value(data)))
	}
	return converted
}
