package safetensors

import (
	"encoding/binary"
	"math"
)

// Float32 returns a tensor of F16, BF16 or F64 as F32: the first two exactly, the last rounded. A
// tensor of any other type stays as it is.
func (t Tensor) Float32() Tensor {
	size, value := 2, func(data []byte) float32 { return halfFloat(binary.LittleEndian.Uint16(data)) }
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

// halfFloat returns the value of a number of IEEE 754 in 16 bits: a sign, 5 bits of exponent and 10
// of fraction.
func halfFloat(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits>>15)<<31, uint32(bits>>10&31), uint32(bits&1023)
	switch exponent {
	case 0: // subnormal
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31: // infinite, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
