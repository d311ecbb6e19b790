package executor

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// The check runs small layers of the kinds that the kernels are for, forwards and backwards: odd
// sides, a stride, more channels than a vector has, a bias, noise and a rectifier; the same without
// the rectifier's own gradient, which takes the plain executors; and what package operation has.
// Its values are large enough for the kernels to take over.
const (
	checkImages, checkSide    = 2, 13
	checkInputs, checkOutputs = 5, 48
	checkStride               = 2
	checkTolerance            = 1e-5 // of the largest value of an output
)

// checkResults computes the outputs of the check.
func checkResults(backend compute.Backend) (results [][]float32, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("they fail: %v", problem)
		}
	}()
	for _, layer := range []func(inputs []*graph.Node) []*graph.Node{checkedLayer,
		checkedPlainLayer, checkedBlock, checkedOperations, checkedAlgorithms} {
		execution, err := graph.NewExec(backend, layer)
		if err != nil {
			return nil, err
		}
		outputs, err := execution.Call(
			checkInput(checkImages, 2*checkSide+1, 2*checkSide+1, checkInputs),
			checkInput(3, 3, checkInputs, checkOutputs),
			checkInput(1, 1, 1, checkOutputs), checkInput(checkImages, 1, 1, checkOutputs))
		if err != nil {
			return nil, err
		}
		for _, output := range outputs {
			numbers, err := tensors.CopyFlatData[float32](output)
			if err != nil {
				return nil, err
			}
			results = append(results, numbers)
		}
	}
	return results, nil
}

// check turns the kernels on and leaves them on if they give the results wanted.
func check(backend compute.Backend, wanted [][]float32) (err error) {
	installed.active.Store(true)
	defer func() {
		if err != nil {
			installed.active.Store(false)
		}
	}()
	calls, fused := installed.calls.Load(), installed.fused.Load()
	results, err := checkResults(backend)
	if err != nil {
		return err
	}
	if len(results) != len(wanted) {
		return fmt.Errorf("%d outputs of the check, want %d", len(results), len(wanted))
	}
	for i := range wanted {
		if err := checkEqual(results[i], wanted[i]); err != nil {
			return fmt.Errorf("output %d of the check: %w", i, err)
		}
	}
	if installed.calls.Load() == calls || installed.fused.Load() == fused {
		return fmt.Errorf("the backend doesn't call them")
	}
	return nil
}

func checkEqual(got, want []float32) error {
	if len(got) != len(want) {
		return fmt.Errorf("it has %d values, want %d", len(got), len(want))
	}
	var largest, worst float64
	for i := range want {
		largest = max(largest, math.Abs(float64(want[i])))
		worst = max(worst, math.Abs(float64(got[i])-float64(want[i])))
	}
	if !(worst <= checkTolerance*largest) { // also true for a NaN
		return fmt.Errorf("it differs by %.1e, with values up to %.1e", worst, largest)
	}
	return nil
}

// checkInput makes numbers between -1 and 1 that follow no simple pattern.
func checkInput(dimensions ...int) *tensors.Tensor {
	size := 1
	for _, dimension := range dimensions {
		size *= dimension
	}
	numbers := make([]float32, size)
	for i := range numbers {
		numbers[i] = float32(math.Sin(float64(i*i+7*i+len(dimensions)*size) * 0.37))
	}
	return tensors.FromFlatDataAndDimensions(numbers, dimensions...)
}

// checkedLayer is relu(noise (convolution + bias)) with the gradients of everything.
func checkedLayer(inputs []*graph.Node) []*graph.Node {
	product := graph.Mul(convolved(inputs), inputs[3])
	rectified, _ := graph.InternalFusedOpCaller(
		func() *graph.Node { return graph.MaxScalar(product, 0) },
		func() *graph.Node {
			return graph.Mul(product, graph.StopGradient(graph.Sign(graph.MaxScalar(product, 0))))
		},
		true)
	return withGradients(rectified, inputs)
}

// checkedPlainLayer computes noise max(convolution + bias, 0).
func checkedPlainLayer(inputs []*graph.Node) []*graph.Node {
	return withGradients(graph.Mul(graph.MaxScalar(convolved(inputs), 0), inputs[3]), inputs)
}

func convolved(inputs []*graph.Node) *graph.Node {
	convolution := graph.Convolve(inputs[0], inputs[1]).Strides(checkStride).PaddingPerDim([][2]int{
		{1, 1}, {1, 0}}).Done()
	return graph.Add(convolution, inputs[2])
}

// withGradients returns an output and the gradients of the sum of its sines, all of them different.
func withGradients(output *graph.Node, inputs []*graph.Node) []*graph.Node {
	return append([]*graph.Node{output}, graph.Gradient(graph.ReduceAllSum(graph.Sin(output)),
		inputs...)...)
}

// The next parts of the check cover package operation, with the same inputs.

// checkedBlock returns a residual block in small: normalisations by moments of the batch, given and
// constant ones, a sum with a convolution, a pool and a step of descent.
func checkedBlock(inputs []*graph.Node) []*graph.Node {
	x, noise := graph.Slice(inputs[0], graph.AxisRange(), graph.AxisRange(0, 12),
		graph.AxisRange(0, 12)), graph.Squeeze(inputs[3], 1, 2)
	x = graph.Add(graph.Convolve(x, inputs[1]).PadSame().Done(), graph.Convolve(graph.Sin(x),
		graph.Cos(inputs[1])).PadSame().Done())
	gain, shift := graph.Squeeze(inputs[2], 0, 1, 2), graph.Slice(graph.Reshape(inputs[1], -1),
		graph.AxisRange(0, checkOutputs))
	n := operation.Normalisation{Gain: gain, Shift: shift, Noise: noise, Rectify: true,
		Epsilon: 1e-3}
	y, mean, variance := n.NormaliseBatch(x)
	n.Residual, n.Gain = y, graph.Sin(gain)
	z, _, _ := n.NormaliseBatch(graph.Square(x))
	plain := operation.Normalisation{Gain: gain, Shift: shift, Epsilon: 1e-3}
	z = graph.Add(operation.HalveByMaximum(z),
		operation.HalveByMaximum(plain.NormaliseBy(x, mean, variance)))
	n.Residual = graph.Square(y)
	z = graph.Add(z, operation.HalveByMaximum(n.NormaliseConstant(x, mean, variance)))
	rate := graph.Scalar(x.Graph(), x.DType(), 0.1)
	weights, channels := inputs[1], []*graph.Node{gain, shift}
	next, momenta := operation.Descend([]*graph.Node{weights, gain},
		[]*graph.Node{graph.Cos(weights), shift}, []*graph.Node{graph.Sin(weights), mean}, rate,
		0.9, 0.01)
	moments := []*graph.Node{mean, variance}
	return slices.Concat(withGradients(z, inputs), moments, next, momenta,
		operation.DescendPlainly(channels, moments, rate), operation.Move(channels, moments,
			[]float64{1, 1.1}, rate, graph.OneMinus(rate)))
}

// checkedOperations covers the rest: views of images, repeated, latents that multiply them, a
// residual and an average.
func checkedOperations(inputs []*graph.Node) []*graph.Node {
	g, noise := inputs[0].Graph(), graph.Squeeze(inputs[3], 1, 2)
	whole := func(numbers ...int32) *graph.Node { return graph.Const(g, numbers) }
	data := graph.ConvertDType(graph.Iota(g, shapes.Make(dtypes.Int32, 2, checkSide, checkSide,
		checkOutputs), 2), dtypes.Uint8)
	views := operation.Views{Data: data, Chosen: whole(1, 0), Down: whole(0, 3),
		Across: whole(4, 2), Mirror: whole(1, 0), Padding: 2}
	channels := graph.Squeeze(inputs[2], 0, 1, 2)
	x := operation.RepeatRows(views.Normalised(channels, graph.Cos(channels)), checkImages)
	mean := graph.Reshape(graph.Slice(graph.Reshape(inputs[1], -1),
		graph.AxisRange(0, 2*checkOutputs)), 2, checkOutputs)
	epsilon := graph.Concatenate([]*graph.Node{noise, graph.Sin(noise)}, 0)
	joined := operation.Join([]*graph.Node{mean, graph.Sin(mean)})
	sampled := operation.SampleLatents(joined, graph.Cos(joined),
		[]*graph.Node{epsilon, graph.Sin(epsilon)})
	latents := graph.Add(sampled[0], sampled[1]) // [rows, channels]
	plain := operation.AddNoisy(x, latents, nil)
	y := operation.AddNoisy(graph.Sin(plain), graph.Cos(latents), plain)
	return append(withGradients(operation.AveragePixels(y), []*graph.Node{inputs[1], inputs[3]}),
		plain, latents)
}

// checkedAlgorithms covers the other algorithms of a convolution: Winograd's, and across images of
// few pixels, which products of matrices use too. The backend's own small products stop the race
// detector, so none is here. Their values are parts of the first input.
func checkedAlgorithms(inputs []*graph.Node) []*graph.Node {
	flat := graph.Reshape(inputs[0], -1)
	part := func(first int, dimensions ...int) *graph.Node {
		size := 1
		for _, dimension := range dimensions {
			size *= dimension
		}
		return graph.Reshape(graph.Slice(flat, graph.AxisRange(first, first+size)), dimensions...)
	}
	kernel := graph.MulScalar(part(1024, 3, 3, 16, 16), 0.1)
	large := graph.Convolve(part(0, 1, 8, 8, 16), kernel).PadSame().Done()
	small := graph.Convolve(part(512, 8, 2, 2, 16), kernel).PadSame().Done()
	return withGradients(graph.Concatenate([]*graph.Node{graph.Reshape(large, -1),
		graph.Reshape(small, -1)}, 0), inputs[:1])
}
