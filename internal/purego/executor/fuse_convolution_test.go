package executor

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Convolutions that read rectified images through a reading give the same, to the last bit, as
// where these are an output of the graph and so must exist, and agree with the stock executors.
func TestConvolutionsReadWhatNobodyElseNeeds(t *testing.T) {
	const images, side, inputs, outputs = 9, 10, 16, 24
	random := rand.New(rand.NewPCG(85, 86))
	values := []any{normals(random, images, side, side, inputs), normals(random, inputs),
		normals(random, inputs),
		normals(random, images, inputs), normals(random, 3, 3, inputs, outputs),
		normals(random, 1, 1, inputs, outputs)}
	for _, test := range []struct {
		name      string
		rectified func(in []*Node) *Node
		of        int // inputs of which gradients are taken
	}{
		{"noise", func(in []*Node) *Node {
			return relu(Mul(in[0], Reshape(in[3], images, 1, 1, inputs)))
		}, 4},
		{"batch", func(in []*Node) *Node {
			y, _, _ := operation.Normalisation{Gain: in[1], Shift: in[2], Rectify: true,
				Epsilon: 1e-5}.NormaliseBatch(in[0])
			return y
		}, 3},
		{"batch and noise", func(in []*Node) *Node {
			y, _, _ := operation.Normalisation{Gain: in[1], Shift: in[2], Noise: in[3],
				Rectify: true, Epsilon: 1e-5}.NormaliseBatch(in[0])
			return y
		}, 4},
		{"given moments", func(in []*Node) *Node {
			return operation.Normalisation{Gain: in[1], Shift: in[2], Rectify: true,
				Epsilon: 1e-5}.NormaliseBy(in[0], in[2], Square(in[1]))
		}, 0},
		{"given moments and noise", func(in []*Node) *Node {
			return operation.Normalisation{Gain: in[1], Shift: in[2], Noise: in[3], Rectify: true,
				Epsilon: 1e-5}.NormaliseBy(in[0], in[2], Square(in[1]))
		}, 0},
	} {
		build := func(in []*Node, shown bool) []*Node {
			y := test.rectified(in)
			wide := Convolve(y, in[4]).PadSame().Done()
			narrow := Convolve(y, in[5]).Strides(2).Done()
			results := []*Node{wide, narrow}
			if test.of > 0 {
				loss := Add(ReduceAllSum(Sin(wide)), ReduceAllSum(Sin(narrow)))
				results = append(results, Gradient(loss, append(slices.Clone(in[:test.of]), in[4],
					in[5])...)...)
			}
			if shown {
				results = append(results, y)
			}
			return results
		}
		if more := fusedWhereHidden(t, test.name, build, values...); more <= 0 {
			t.Errorf("%s: %d nodes more are fused, want some", test.name, more)
		}
	}
}
