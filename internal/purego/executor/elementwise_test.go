package executor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// withSpecial puts a NaN, infinities and zeros among normal numbers.
func withSpecial(random *rand.Rand, dimensions ...int) *tensors.Tensor {
	t := normals(random, dimensions...)
	t.MustMutableFlatData(func(flat any) {
		values := flat.([]float32)
		for i := 0; i < len(values); i += 1 + random.IntN(9) {
			values[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
				0}[random.IntN(4)]
		}
	})
	return t
}

func TestElementwiseAgreesWithTheStockExecutors(t *testing.T) {
	exact := func(in []*Node) []*Node {
		x, y, row, channel := in[0], in[1], in[2], in[3]
		return []*Node{
			Mul(x, y), Add(x, y), Max(x, y), Abs(x), Max(y, x),
			Mul(x, row), Add(row, x), Max(row, x), Mul(Mul(y, row), Sign(Sub(y, x))),
			Mul(x, channel), Add(x, channel), Max(x, channel),
			MulScalar(x, 3), AddScalar(x, 2), MaxScalar(x, 0), MaxScalar(x, math.NaN()),
		}
	}
	random := rand.New(rand.NewPCG(17, 18))
	for _, d := range [][]int{{3, 9, 11, 24}, {4, 16, 16, 96}, {2, 33, 5, 136}, {3, 20, 11, 10},
		{1, 70, 70, 1}, {2, 3, 4, 8}} {
		agree(t, fmt.Sprint(d), 0, 0, exact, withSpecial(random, d...), withSpecial(random, d...),
			withSpecial(random, d[0], 1, 1, d[3]),
			withSpecial(random, 1, 1, 1, d[3]))
	}
}

func TestSumsAgreeWithTheStockExecutors(t *testing.T) {
	sums := func(in []*Node) []*Node {
		x, y := in[0], in[1]
		return []*Node{
			ReduceSum(x, 0, 1, 2), ReduceSum(x, 1, 2), ReduceSum(x, 2, 1), ReduceSum(x, 3),
			ReduceAllSum(x), ReduceSum(x, 0),
			ReduceSum(Mul(x, y), 1, 2), ReduceSum(Mul(x, y), 0, 1, 2),
		}
	}
	random := rand.New(rand.NewPCG(19, 20))
	for _, d := range [][]int{{3, 9, 11, 24}, {4, 16, 16, 96}, {2, 33, 5, 136}, {3, 20, 11, 10}} {
		agree(t, fmt.Sprint(d), 1, 2e-5, sums, normals(random, d...), normals(random, d...))
	}
}

// Sums of a matrix' rows are those of the stock executors to the last bit.
func TestSumsOfRowsAreThoseOfTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for _, d := range [][]int{{128, 128}, {128, 1322}, {512, 10}, {5, 1000}, {77, 101}, {4096, 1}} {
		agree(t, fmt.Sprint(d), 1, 0, func(in []*Node) []*Node {
			return []*Node{ReduceSum(in[0], 0)}
		}, normals(random, d...))
	}
}

func TestValuesUsedTwiceAreNotFusedAway(t *testing.T) {
	l := layerSizes{3, 16, 16, 8, 24, 3, 1, 1, 1}
	agree(t, "values used twice", 1, 5e-6, func(in []*Node) []*Node {
		convolution := l.convolve(in[0], in[1])
		biased := Add(convolution, Reshape(in[2], 1, 1, 1, l.outputs))
		scaled := Mul(biased, in[3])
		y := relu(scaled)
		masked := Mul(in[4], Sign(y))
		product := Mul(masked, y)
		return []*Node{convolution, biased, scaled, y, masked, product, ReduceSum(product, 1, 2),
			ReduceSum(Mul(masked, in[3]), 0, 1, 2)}
	}, l.values()...)
}
