// Package safetensors reads and writes the safetensors format: named arrays and a table of strings
// in one file, which programs in many languages read.
//
//	tensors := []safetensors.Tensor{{Name: "bias", DType: "F32", Shape: []int{2}, Data: make([]byte, 8)}}
//	err := safetensors.Write("weights.safetensors", tensors, map[string]string{"epoch": "3"})
//
// A file is an 8-byte little-endian length, a JSON header of that length, and the bytes of all
// tensors without gaps, little-endian and row by row. Files are written whole or not at all.
// Reading trusts nothing: a header that contradicts the file is an error, and no more memory is
// taken than the file is long.
package safetensors
