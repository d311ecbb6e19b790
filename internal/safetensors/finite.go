package safetensors

import "encoding/binary"

// NotFinite returns the name of the first tensor that holds an infinity or NaN, or "". All have the
// type F32.
func NotFinite(tensors ...Tensor) string {
	for _, tensor := range tensors {
		for i := 0; i+4 <= len(tensor.Data); i += 4 {
			const exponent = 0x7f800000 // all ones only in infinities and NaN
			if binary.LittleEndian.Uint32(tensor.Data[i:])&exponent == exponent {
				return tensor.Name
			}
		}
	}
	return ""
}
