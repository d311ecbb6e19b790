package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tensor is a named array.
type Tensor struct {
	Name  string
	DType string // "F32", "I32", "U8" and the format's other types
	Shape []int  // empty for a scalar
	Data  []byte // little-endian, row by row
}

// sizes are the bytes of one value of each type.
var sizes = map[string]int{
	"BOOL": 1, "U8": 1, "I8": 1,
	"U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4,
	"U64": 8, "I64": 8, "F64": 8,
}

// check compares the length of the data with the type and the shape.
func (t Tensor) check() error {
	size, err := bytesOf(t.DType, t.Shape)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	if len(t.Data) != size {
		return fmt.Errorf("tensor %q has %d bytes, its type and shape say %d", t.Name, len(t.Data), size)
	}
	return nil
}

// typeError is the error of a type that isn't read, as of numbers of 8 bits.
type typeError struct{ dtype string }

func (e *typeError) Error() string {
	return fmt.Sprintf("numbers of type %.20q aren't read: convert them with x.float() before safetensors.torch.save_file", e.dtype)
}

// bytesOf is the length of the data of a tensor.
func bytesOf(dtype string, shape []int) (int, error) {
	size, known := sizes[dtype]
	if !known {
		return 0, &typeError{dtype}
	}
	for _, dimension := range shape {
		if dimension < 0 || dimension > 0 && size > math.MaxInt/dimension {
			return 0, fmt.Errorf("impossible shape %v", shape)
		}
		size *= dimension
	}
	return size, nil
}

// SHA256 returns the SHA-256, in hexadecimal, of tensors in the order of their names. Of each
// tensor it takes the name, the type and the shape, such as "2,3", each preceded by its length in
// bytes as 8 bytes little-endian, and then the data. The order of the tensors and of the bytes in a
// file doesn't matter.
func SHA256(tensors []Tensor) string {
	sorted := slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	hash := sha256.New()
	for _, t := range sorted {
		for _, text := range []string{t.Name, t.DType, shapeText(t.Shape)} {
			hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
			hash.Write([]byte(text))
		}
		hash.Write(t.Data)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func shapeText(shape []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ",")
}
