package executor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// withLoss returns outputs and the gradients of the sum of the first one's sines.
func withLoss(outputs []*Node, of ...*Node) []*Node {
	return append(outputs, Gradient(ReduceAllSum(Sin(outputs[0])), of...)...)
}

// agree executes a graph with the stock executors and the kernels and compares, the kernels having
// answered so many calls.
func agree(t *testing.T, what string, calls int64, tolerance float64, build func([]*Node) []*Node,
	inputs ...any) {
	t.Helper()
	before := installed.calls.Load()
	want, got := both(t, build, inputs...)
	if answered := installed.calls.Load() - before; answered < calls {
		t.Errorf("%s: %d calls of the kernels, want %d or more", what, answered, calls)
	}
	for i := range want {
		compare(t, fmt.Sprintf("%s: output %d", what, i), got[i], want[i], tolerance)
	}
}

func TestNormalisationsAgreeWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 52))
	for _, d := range [][]int{{3, 5, 7, 24}, {4, 2, 2, 136}, {9, 1, 1, 8}, {2, 33, 5, 40}} {
		for _, form := range operation.NormaliseForms() {
			agree(t, fmt.Sprintf("%v %+v", d, form), 3, 2e-5, func(in []*Node) []*Node {
				n := operation.Normalisation{Gain: in[1], Shift: in[2], Rectify: form.Rectify,
					Epsilon: 1e-5}
				of := []*Node{in[0], in[1], in[2]}
				if form.Noise {
					n.Noise, of = in[3], append(of, in[3])
				}
				if form.Residual {
					n.Residual, of = in[4], append(of, in[4])
				}
				y, mean, variance := n.NormaliseBatch(in[0])
				return withLoss([]*Node{y, n.NormaliseBy(in[0], Sin(mean), variance), mean,
					variance}, of...)
			}, normals(random, d...), normals(random, d[3]), normals(random, d[3]), normals(random,
				d[0], d[3]), normals(random, d...))
		}
	}
}

// Gradients by constant moments agree with the stock executors, and to the last bit with the plain
// products that they replace.
func TestConstantNormalisationsHaveThePlainGradients(t *testing.T) {
	random := rand.New(rand.NewPCG(57, 58))
	const epsilon = 1e-5
	for _, d := range [][]int{{3, 5, 7, 24}, {4, 2, 2, 136}, {2, 33, 5, 40}} {
		for _, form := range operation.NormaliseForms() {
			build := func(in []*Node, plain bool) []*Node {
				x, gain, shift, mean, variance, weights := in[0], in[1], in[2], in[5],
					Square(in[6]), in[7]
				n := operation.Normalisation{Gain: gain, Shift: shift, Rectify: form.Rectify,
					Epsilon: epsilon}
				of := []*Node{x}
				if form.Noise {
					n.Noise, of = in[3], append(of, in[3])
				}
				if form.Residual {
					n.Residual, of = in[4], append(of, in[4])
				}
				if !plain {
					y := n.NormaliseConstant(x, mean, variance)
					return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, weights)), of...)...)
				}
				y, h := n.NormaliseBy(x, mean, variance), weights
				factor := Reshape(Mul(gain,
					Div(OnesLike(variance), Sqrt(AddScalar(variance, epsilon)))), 1, d[3])
				if form.Rectify {
					h = Mul(h, Sign(y))
				}
				scale := factor
				if form.Noise {
					scale = Mul(in[3], factor)
				}
				outputs := []*Node{y, Mul(h, Reshape(scale, scale.Shape().Dim(0), 1, 1, d[3]))}
				if form.Noise {
					outputs = append(outputs, Mul(ReduceSum(Mul(h, x), 1, 2), factor))
				}
				if form.Residual {
					outputs = append(outputs, h)
				}
				return outputs
			}
			values := []any{normals(random, d...), normals(random, d[3]), normals(random, d[3]),
				normals(random, d[0], d[3]), normals(random, d...),
				normals(random, d[3]), normals(random, d[3]), normals(random, d...)}
			what := fmt.Sprintf("%v %+v", d, form)
			agree(t, what, 1, 2e-5, func(in []*Node) []*Node { return build(in, false) }, values...)
			want, got := run(t, func(in []*Node) []*Node {
				return build(in, true)
			}, values...), run(t, func(in []*Node) []*Node { return build(in, false) }, values...)
			for i := range want {
				compare(t, fmt.Sprintf("%s: output %d, as the plain products", what, i), got[i],
					want[i], 0)
			}
		}
	}
}

// Depthwise convolutions of random sizes agree with the stock executors, and with the sum over the
// places of the kernel that GoMLX differentiates.
func TestDepthwiseConvolutionsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(59, 60))
	for range 12 {
		up := func(most int) int { return 1 + random.IntN(most) }
		d := []int{up(3), 2 + up(9), 2 + up(9), []int{3, 8, 24, 40, 136}[random.IntN(5)]}
		strides, k := []int{up(2), up(3)}, []int{up(5), up(5)}
		pads := [][2]int{{k[0] / 2, random.IntN(k[0])}, {random.IntN(k[1]), k[1] / 2}}
		if d[1]+pads[0][0]+pads[0][1] < k[0] || d[2]+pads[1][0]+pads[1][1] < k[1] {
			continue
		}
		outputs := func(y *Node, in []*Node) []*Node {
			return withLoss([]*Node{y}, in...)
		}
		kernels := func(in []*Node) []*Node {
			return outputs(operation.Depthwise(in[0], in[1], pads, strides), in)
		}
		values := []any{normals(random, d...), normals(random, k[0], k[1], 1, d[3])}
		what := fmt.Sprintf("%v, kernel %v, padding %v, strides %v", d, k, pads, strides)
		agree(t, what, 2, 2e-5, kernels, values...)
		want := run(t, func(in []*Node) []*Node {
			return outputs(sumOverPlaces(in[0], in[1], pads, strides), in)
		}, values...)
		for i, got := range run(t, kernels, values...) {
			compare(t, fmt.Sprintf("%s: output %d", what, i), got, want[i], 2e-5)
		}
	}
}

func sumOverPlaces(x, w *Node, pads [][2]int, strides []int) (sum *Node) {
	d, k := x.Shape().Dimensions, w.Shape().Dimensions
	x = Pad(x, ScalarZero(x.Graph(), x.DType()), PadAxis{}, PadAxis{Start: pads[0][0],
		End: pads[0][1]}, PadAxis{Start: pads[1][0], End: pads[1][1]}, PadAxis{})
	for i := range k[0] {
		for j := range k[1] {
			part := Slice(x, AxisRange(),
				AxisRange(i, d[1]+pads[0][0]+pads[0][1]-k[0]+i+1).Stride(strides[0]),
				AxisRange(j, d[2]+pads[1][0]+pads[1][1]-k[1]+j+1).Stride(strides[1]))
			part = Mul(part, Reshape(Slice(w, AxisElem(i), AxisElem(j)), 1, 1, 1, -1))
			if sum == nil {
				sum = part
			} else {
				sum = Add(sum, part)
			}
		}
	}
	return sum
}

// The gradient passes where the output is positive, also for images at the mean, whose outputs are
// rounding errors.
func TestConstantNormalisationsMaskByTheirOutput(t *testing.T) {
	for _, images := range []int{4, 4096} {
		values := make([]float32, images*8)
		mean := []float32{0.1, -0.7, 1.3, 3.3, 0.01, -5.7, 0.3, 9.1}
		for i := range values {
			values[i] = mean[i%8]
		}
		got := run(t, func(in []*Node) []*Node {
			n := operation.Normalisation{Gain: in[2], Shift: ZerosLike(in[2]), Rectify: true,
				Epsilon: 1e-5}
			y := n.NormaliseConstant(in[0], in[1], Square(in[2]))
			return append([]*Node{y}, Gradient(ReduceAllSum(y), in[0])...)
		}, tensors.FromFlatDataAndDimensions(values, images, 1, 1, 8), mean, []float32{0.9, 0.3,
			0.7, 1.1, 2.3, 0.6, 3.1, 0.2})
		for i, y := range got[0] {
			if slope := got[1][i]; (y > 0) != (slope != 0) {
				t.Fatalf("%d images: output %g has the gradient %g", images, y, slope)
			}
		}
	}
}

func TestNoiseForAllRowsAgreesWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(63, 64))
	agree(t, "noise for all rows", 1, 2e-5, func(in []*Node) []*Node {
		n := operation.Normalisation{Gain: in[1], Shift: in[2], Noise: in[3], Epsilon: 1e-5}
		return []*Node{n.NormaliseBy(in[0], in[2], Square(in[1]))}
	}, normals(random, 3, 4, 5, 16), normals(random, 16), normals(random, 16), normals(random, 1,
		16))
}

// What comes after an operation may still need its inputs: they must not be written over.
func TestNormalisationLeavesInputsThatOthersUse(t *testing.T) {
	random := rand.New(rand.NewPCG(53, 54))
	agree(t, "inputs used twice", 2, 2e-5, func(in []*Node) []*Node {
		x, residual, g := Cos(in[0]), Sin(in[1]), Square(in[2])
		n := operation.Normalisation{Gain: in[3], Shift: in[4], Residual: residual, Rectify: true,
			Epsilon: 1e-5}
		y, _, _ := n.NormaliseBatch(x)
		gradients := Gradient(ReduceAllSum(Mul(y, g)), x, residual)
		return append(gradients, y, x, residual, g)
	}, normals(random, 3, 4, 5, 16), normals(random, 3, 4, 5, 16), normals(random, 3, 4, 5, 16),
		normals(random, 16), normals(random, 16))
}

func TestPoolsAgreeWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(55, 56))
	for _, d := range [][]int{{3, 4, 6, 24}, {2, 5, 7, 8}, {2, 2, 2, 10}, {5, 8, 8, 40}} {
		agree(t, fmt.Sprintf("pool %v", d), 0, 0, func(in []*Node) []*Node {
			x := MaxScalar(in[0], 0) // many equals
			y := operation.HalveByMaximum(x)
			return []*Node{y, Gradient(ReduceAllSum(Mul(y, y)), x)[0]}
		}, normals(random, d...))
	}
}

// MaxPool of GoMLX computes the same, and where no two are equal its gradient does.
func TestPoolIsMaxPool(t *testing.T) {
	random := rand.New(rand.NewPCG(57, 58))
	outputs := run(t, func(in []*Node) []*Node {
		want, got := MaxPool(in[0]).Window(2).NoPadding().Done(), operation.HalveByMaximum(in[0])
		return []*Node{want, got, Gradient(ReduceAllSum(Square(want)), in[0])[0],
			Gradient(ReduceAllSum(Square(got)), in[0])[0]}
	}, normals(random, 2, 7, 6, 16))
	compare(t, "pool", outputs[1], outputs[0], 0)
	compare(t, "gradient", outputs[3], outputs[2], 0)
}

func TestSmallOperationsAgreeWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(59, 60))
	for _, d := range [][]int{{3, 4, 6, 24}, {2, 5, 7, 3}, {1, 1, 1, 10}, {5, 8, 8, 40}} {
		agree(t, fmt.Sprintf("average %v", d), 2, 1e-5, func(in []*Node) []*Node {
			return withLoss([]*Node{operation.AveragePixels(in[0])}, in[0])
		}, normals(random, d...))
		agree(t, fmt.Sprintf("repeat %v", d), 2, 1e-6, func(in []*Node) []*Node {
			y := operation.RepeatRows(in[0], 3)
			return []*Node{y, Gradient(ReduceAllSum(Mul(Sin(y), in[1])), in[0])[0]}
		}, normals(random, d...), normals(random, 3*d[0], d[1], d[2], d[3]))
	}
	agree(t, "parts", 1, 0, func(in []*Node) []*Node {
		return operation.Cut(in[0], 7, shapes.Make(dtypes.Float32, 3, 5),
			shapes.Make(dtypes.Float32), shapes.Make(dtypes.Float32, 2, 2, 6))
	}, normals(random, 3, 20))
	agree(t, "absolute values", 1, 0, func(in []*Node) []*Node {
		return withLoss([]*Node{Abs(in[0])}, in[0])
	}, normals(random, 3, 5000))
}

// Latents of one layer and of several, and what a change of their posterior does to both sides of
// the loss: the latents, and the joined posterior itself.
func TestLatentsAgreeWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(69, 70))
	for _, c := range []struct {
		rows, components int
		widths           []int
		calls            int64
	}{{8, 1, []int{10}, 2}, {8, 2, []int{100, 3, 16}, 4}, {7, 3, []int{5, 8}, 4},
		{2, 3, []int{5, 1}, 4}, {12, 4, []int{129, 40}, 4}} {
		var means, rhos, epsilon []any
		for _, width := range c.widths {
			means, rhos = append(means, normals(random, c.components, width)),
				append(rhos, normals(random, c.components, width))
			epsilon = append(epsilon, normals(random, c.rows, width))
		}
		agree(t, fmt.Sprintf("latents %+v", c), c.calls, 1e-5, func(in []*Node) []*Node {
			layers := len(c.widths)
			mean, rho := operation.Join(in[:layers]), operation.Join(in[layers:2*layers])
			latents := operation.SampleLatents(mean, rho, in[2*layers:])
			loss := Add(ReduceAllSum(Square(mean)), ReduceAllSum(Sin(rho)))
			for _, z := range latents {
				loss = Add(loss, ReduceAllSum(Sin(z)))
			}
			return append(latents, Gradient(loss, in[:2*layers]...)...)
		}, slices.Concat(means, rhos, epsilon)...)
	}
}

// A layer whose latents nothing depends on leaves the gradients of the others, and has none itself.
// A second gradient of the same graph doesn't see the first.
func TestUnusedLatentsHaveNoGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(71, 72))
	outputs := run(t, func(in []*Node) []*Node {
		mean := operation.Join(in[:2])
		latents := operation.SampleLatents(mean, mean, in[2:])
		first, second := ReduceAllSum(Square(latents[0])), ReduceAllSum(Square(latents[1]))
		alone := operation.SampleLatents(in[1], in[1], in[3:])[0]
		both, one := Gradient(first, in[0], in[1]), Gradient(second, in[0], in[1])
		return append(append(both, one...), Gradient(ReduceAllSum(Square(alone)), in[1])...)
	}, normals(random, 2, 5), normals(random, 2, 16), normals(random, 8, 5), normals(random, 8, 16))
	zeros := func(like []float32) []float32 { return make([]float32, len(like)) }
	compare(t, "gradient of the unused layer", outputs[1], zeros(outputs[1]), 0)
	compare(t, "gradient of the layer used first", outputs[2], zeros(outputs[2]), 0)
	compare(t, "gradient of the layer used", outputs[3], outputs[4], 0)
	if slices.Equal(outputs[0], zeros(outputs[0])) {
		t.Error("the gradient of the layer that is used is zero")
	}
}

// GoMLX's switch for its fused operations leaves ours and their gradients on.
func TestGradientsDoNotDependOnTheSwitchOfFusedOperations(t *testing.T) {
	random := rand.New(rand.NewPCG(73, 74))
	inputs := []any{normals(random, 4, 3, 3, 16), normals(random, 16), normals(random, 2, 16),
		normals(random, 4, 16)}
	build := func(in []*Node) []*Node {
		latents := operation.SampleLatents(in[2], in[2], in[3:])[0]
		n := operation.Normalisation{Gain: in[1], Shift: in[1], Noise: latents, Rectify: true,
			Epsilon: 1e-5}
		y, mean, variance := n.NormaliseBatch(operation.AddNoisy(in[0], latents, nil))
		return withLoss([]*Node{y, mean, variance}, in[:3]...)
	}
	want := run(t, build, inputs...)
	t.Setenv(FusionEnv, "false")
	for i, got := range run(t, build, inputs...) {
		compare(t, fmt.Sprintf("output %d", i), got, want[i], 0)
	}
}

// Updates of any number of variables, small and large ones, have the bits of the stock executors,
// but for those with momentum, where the kernels round once less.
func TestUpdatesAgreeWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(67, 68))
	of := func(sizes ...int) (inputs []any) {
		for _, size := range sizes {
			inputs = append(inputs, normals(random, size))
		}
		return append(inputs, float32(0.2))
	}
	for _, c := range []struct {
		name      string
		calls     int64
		tolerance float64
		inputs    []any
		update    func(variables, by []*Node, rate *Node) []*Node
	}{
		{"descent", 2, 1e-6, of(3, 5000, 1, 3, 5000, 1),
			func(variables, by []*Node, rate *Node) []*Node {
				next, momenta := operation.Descend(variables, by, by, rate, 0.9, 0.01)
				return append(next, momenta...)
			}},
		{"plain descent", 1, 0, of(3, 5000, 3, 5000), operation.DescendPlainly},
		{"moving averages", 1, 0, of(7, 1, 900, 7, 1, 900),
			func(variables, by []*Node, rate *Node) []*Node {
				return operation.Move(variables, by, []float64{1, 4.0 / 3, 1.1}, OneMinus(rate),
					rate)
			}},
	} {
		agree(t, c.name, c.calls, c.tolerance, func(in []*Node) []*Node {
			count := len(in) / 2
			return c.update(in[:count], in[count:2*count], in[2*count])
		}, c.inputs...)
	}
}

func TestNoiseAgreesWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(65, 66))
	for _, d := range [][]int{{3, 4, 6, 24}, {2, 5, 7, 8}, {5, 1, 1, 40}} {
		agree(t, fmt.Sprintf("noise %v", d), 4, 1e-5, func(in []*Node) []*Node {
			x, residual := Sin(in[0]), Cos(in[2])
			return append(withLoss([]*Node{operation.AddNoisy(x, in[1], nil)}, in[0], in[1]),
				withLoss([]*Node{operation.AddNoisy(x, in[1], residual)}, in...)...)
		}, normals(random, d...), normals(random, d[0], d[3]), normals(random, d...))
	}
}

func TestViewsAgreeWithTheStockExecutors(t *testing.T) {
	random := rand.New(rand.NewPCG(61, 62))
	data := make([]uint8, 5*9*7*3)
	for i := range data {
		data[i] = uint8(random.IntN(256))
	}
	agree(t, "views", 1, 1e-6, func(in []*Node) []*Node {
		views := operation.Views{Data: in[0], Chosen: in[1], Down: in[2], Across: in[3],
			Mirror: in[4], Padding: 4}
		return []*Node{views.Normalised(in[5], in[6])}
	}, tensors.FromFlatDataAndDimensions(data, 5, 9, 7, 3), []int32{4, 0, 2, 2}, []int32{0, 4, 8,
		3}, []int32{8, 4, 0, 5}, []int32{1, 0, 0, 1},
		[]float32{2, 3, 4}, []float32{-1, 0.5, 0.25})
}
