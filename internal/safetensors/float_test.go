package safetensors

import (
	"encoding/binary"
	"math"
	"testing"
)

// The values are derived by hand from IEEE 754 and of the definition of BF16, the upper half of F32.
func TestFloat32(t *testing.T) {
	for _, c := range []struct {
		dtype string
		data  []byte
		want  float32
	}{
		{"F16", []byte{0x00, 0x3c}, 1}, {"F16", []byte{0x55, 0x35}, 0.333251953125}, {"F16", []byte{0x00, 0xc0}, -2},
		{"F16", []byte{0xff, 0x7b}, 65504}, {"F16", []byte{0x01, 0x00}, 0x1p-24}, {"F16", []byte{0xff, 0x83}, -1023 * 0x1p-24},
		{"F16", []byte{0x00, 0x7c}, float32(math.Inf(1))}, {"F16", []byte{0x00, 0x80}, float32(math.Copysign(0, -1))},
		{"BF16", []byte{0x80, 0x3f}, 1}, {"BF16", []byte{0x49, 0xc0}, -3.140625},
		{"F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1)), 0.1},
		{"F32", []byte{0x00, 0x00, 0x80, 0x3f}, 1},
	} {
		got := Tensor{"x", c.dtype, []int{1}, c.data}.Float32()
		value := math.Float32frombits(binary.LittleEndian.Uint32(got.Data))
		if got.DType != "F32" || len(got.Data) != 4 || math.Float32bits(value) != math.Float32bits(c.want) {
			t.Errorf("%s % x is %g of %s, want %g", c.dtype, c.data, value, got.DType, c.want)
		}
	}
	nan := math.Float32frombits(binary.LittleEndian.Uint32(Tensor{"x", "F16", []int{1}, []byte{0x01, 0x7e}}.Float32().Data))
	if !math.IsNaN(float64(nan)) {
		t.Errorf("NaN becomes %g", nan)
	}
	if kept := (Tensor{"x", "I64", nil, make([]byte, 8)}).Float32(); kept.DType != "I64" {
		t.Errorf("a whole number becomes %s", kept.DType)
	}
}
