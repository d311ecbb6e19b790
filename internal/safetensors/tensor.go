package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/quantity"
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
		return fmt.Errorf("tensor %q has %d bytes, its type and shape say %d", t.Name, len(t.Data),
			size)
	}
	return nil
}

// cureError is the error of a sound file that isn't read, with its cure.
type cureError string

func (e cureError) Error() string { return string(e) }

// bytesOf returns the length of the data of a tensor.
func bytesOf(dtype string, shape []int) (int, error) {
	size, known := sizes[dtype]
	if !known {
		return 0, cureError(fmt.Sprintf("numbers of type %.20q aren't read: convert them with "+
			"x.float() before safetensors.torch.save_file", dtype))
	}
	for _, dimension := range shape {
		if dimension < 0 || dimension > 0 && size > math.MaxInt/dimension {
			return 0, fmt.Errorf("impossible shape %v", shape)
		}
		size *= dimension
	}
	return size, nil
}

// ByName orders tensors by their names.
func ByName(a, b Tensor) int { return strings.Compare(a.Name, b.Name) }

// SHA256 returns the SHA-256, in hexadecimal, of tensors in the order of their names. Of each
// tensor it takes the name, the type and the shape ("2,3"), each preceded by its length in bytes as
// 8 bytes little-endian, and then the data. The order of the tensors and of the bytes in a file
// doesn't matter.
func SHA256(tensors []Tensor) string {
	sorted := slices.SortedFunc(slices.Values(tensors), ByName)
	hash := sha256.New()
	for _, t := range sorted {
		shape := strings.ReplaceAll(quantity.Spaced(t.Shape), " ", ",")
		for _, text := range []string{t.Name, t.DType, shape} {
			hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
			hash.Write([]byte(text))
		}
		hash.Write(t.Data)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

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
	size, value := 2, func(data []byte) float32 {
		return npy.Half(binary.LittleEndian.Uint16(data)).Float32()
	}
	switch t.DType {
	case "F16":
	case "BF16":
		value = func(data []byte) float32 {
			return math.Float32frombits(uint32(binary.LittleEndian.Uint16(data)) << 16)
		}
	case "F64":
		size, value = 8, func(data []byte) float32 {
			return float32(math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
	default:
		return t
	}
	values := make([]float32, len(t.Data)/size)
	for i := range values {
		values[i] = value(t.Data[size*i:])
	}
	return FromFloats(t.Name, values, t.Shape...)
}
