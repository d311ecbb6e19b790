package trial

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// apart is the largest difference of two lists, relative to the size of the second's value or to a
// smallest size. A difference that isn't a finite number counts as the largest one there is, which
// JSON can hold.
func apart(a, b []float64, smallest float64) (largest float64) {
	if len(a) != len(b) {
		return math.MaxFloat64
	}
	for i := range a {
		difference := math.Abs(a[i]-b[i]) / max(math.Abs(b[i]), smallest)
		if math.IsNaN(difference) {
			return math.MaxFloat64
		}
		largest = max(largest, min(difference, math.MaxFloat64))
	}
	return largest
}

// lengthsApart returns the length of the difference of two tensors of the same name, relative to
// that of the second; the largest of all tensors.
func lengthsApart(a, b []network.Tensor) (largest float64) {
	if !sameTensors(a, b) {
		return math.MaxFloat64
	}
	for i := range b {
		difference, length := 0.0, 0.0
		other := float32s(a[i])
		for j, value := range float32s(b[i]) {
			difference = math.Hypot(difference, float64(other[j])-float64(value))
			length = math.Hypot(length, float64(value))
		}
		largest = max(largest, part(difference, length))
	}
	return largest
}

// changesApart returns the largest difference of two trainings in the values of a tensor, relative
// to the largest change of its values since the start of the second; the largest of all tensors.
// What the storing of a float32 after each step may round on both sides isn't counted.
func changesApart(a, b, start []network.Tensor, steps int) (largest float64) {
	const stored = 1.0 / (1 << 23) // of a value: half its last bit, on both sides
	if !sameTensors(a, b) || !sameTensors(start, b) {
		return math.MaxFloat64
	}
	for i := range b {
		difference, change, size := 0.0, 0.0, 0.0
		other, before := float32s(a[i]), float32s(start[i])
		for j, value := range float32s(b[i]) {
			difference = max(difference, math.Abs(float64(other[j])-float64(value)))
			change = max(change, math.Abs(float64(value)-float64(before[j])))
			size = max(size, math.Abs(float64(value)))
		}
		largest = max(largest, part(max(0, difference-float64(steps)*stored*size), change))
	}
	return largest
}

// sameTensors reports whether two lists have tensors of the same names and sizes, and any at all.
func sameTensors(a, b []network.Tensor) bool {
	return len(b) > 0 && slices.EqualFunc(a, b, func(a, b network.Tensor) bool {
		return a.Name == b.Name && len(a.Data) == len(b.Data)
	})
}

// part returns a difference as a part of a size, 0 if there is none, and the largest number if that
// isn't finite.
func part(difference, size float64) float64 {
	if difference == 0 {
		return 0
	}
	return apart([]float64{difference}, []float64{0}, size)
}

// float32s returns the values of a tensor.
func float32s(tensor network.Tensor) []float32 {
	values := make([]float32, len(tensor.Data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(tensor.Data[4*i:]))
	}
	return values
}
