package trial

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/network"
)

func TestApartIsFinite(t *testing.T) {
	for _, test := range []struct{ got, want, apart float64 }{
		{3, 2, 0.5}, {2, 2, 0}, {math.Inf(1), 2, math.MaxFloat64}, {math.NaN(), 2, math.MaxFloat64}, {math.Inf(1), math.Inf(1), math.MaxFloat64},
	} {
		if got := apart([]float64{test.got}, []float64{test.want}, 1); got != test.apart {
			t.Errorf("apart(%g, %g) = %g, want %g", test.got, test.want, got, test.apart)
		}
	}
}

// The differences of tensors are parts of their lengths or changes, and what storing may round isn't
// counted.
func TestTensorsApart(t *testing.T) {
	start := []network.Tensor{vectorOf(0, 0), vectorOf(1, 1)}
	want := []network.Tensor{vectorOf(3, 4), vectorOf(1, 2)}
	last := math.Nextafter32(2, 3)
	for _, test := range []struct {
		name             string
		got              []network.Tensor
		lengths, changes float64
	}{
		{"equal", want, 0, 0},
		{"five of five", []network.Tensor{vectorOf(0, 0), vectorOf(1, 2)}, 1, 1},
		{"a tenth of the change", []network.Tensor{vectorOf(3, 4), vectorOf(1, 2.1)}, 0.1 / math.Sqrt(5), 0.1},
		{"the last bit", []network.Tensor{vectorOf(3, 4), vectorOf(1, last)}, float64(last-2) / math.Sqrt(5), 0},
		{"a tensor less", want[:1], math.MaxFloat64, math.MaxFloat64},
		{"another size", []network.Tensor{vectorOf(3), vectorOf(1, 2)}, math.MaxFloat64, math.MaxFloat64},
		{"not a number", []network.Tensor{vectorOf(3, float32(math.NaN())), vectorOf(1, 2)}, math.MaxFloat64, math.MaxFloat64},
	} {
		if got := lengthsApart(test.got, want); math.Abs(got-test.lengths) > 1e-6*test.lengths {
			t.Errorf("%s: %g of the length, want %g", test.name, got, test.lengths)
		}
		if got := changesApart(test.got, want, start, 2); math.Abs(got-test.changes) > 1e-5*test.changes {
			t.Errorf("%s: %g of the change, want %g", test.name, got, test.changes)
		}
	}
	if got := changesApart([]network.Tensor{vectorOf(1)}, []network.Tensor{vectorOf(2)}, []network.Tensor{vectorOf(2)}, 1); got != math.MaxFloat64 {
		t.Errorf("a change where there's none: %g, want the largest number", got)
	}
}

// vectorOf returns a tensor with these values.
func vectorOf(values ...float32) network.Tensor {
	tensor := network.Tensor{DType: "F32", Shape: []int{len(values)}}
	for _, value := range values {
		tensor.Data = binary.LittleEndian.AppendUint32(tensor.Data, math.Float32bits(value))
	}
	return tensor
}
