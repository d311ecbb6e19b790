//go:build amd64

package executor

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// The parts of the check for package operation, with the inputs of the others.

// checkedBlock is a residual block in small: normalisations of all forms, a pool and a step of descent.
func checkedBlock(inputs []*graph.Node) []*graph.Node {
	x, noise := graph.Slice(inputs[0], graph.AxisRange(), graph.AxisRange(0, 12), graph.AxisRange(0, 12)), graph.Squeeze(inputs[3], 1, 2)
	x = graph.Convolve(x, inputs[1]).PadSame().Done()
	gain, shift := graph.Squeeze(inputs[2], 0, 1, 2), graph.Slice(graph.Reshape(inputs[1], -1), graph.AxisRange(0, checkOutputs))
	n := operation.Normalisation{Gain: gain, Shift: shift, Noise: noise, Rectify: true, Epsilon: 1e-3}
	y, mean, variance := n.NormaliseBatch(x)
	n.Residual, n.Gain = y, graph.Sin(gain)
	z, _, _ := n.NormaliseBatch(graph.Square(x))
	plain := operation.Normalisation{Gain: gain, Shift: shift, Epsilon: 1e-3}
	z = graph.Add(operation.HalveByMaximum(z), operation.HalveByMaximum(plain.NormaliseBy(x, mean, variance)))
	next, momentum := operation.Descend(inputs[1], graph.Cos(inputs[1]), graph.Sin(inputs[1]), graph.Scalar(x.Graph(), x.DType(), 0.1), 0.9, 0.01)
	return append(withGradients(z, inputs), mean, variance, next, momentum)
}

// checkedOperations is what else there is: views of images, repeated, latents that multiply them, a residual and an average.
func checkedOperations(inputs []*graph.Node) []*graph.Node {
	g, noise := inputs[0].Graph(), graph.Squeeze(inputs[3], 1, 2)
	whole := func(numbers ...int32) *graph.Node { return graph.Const(g, numbers) }
	data := graph.ConvertDType(graph.Iota(g, shapes.Make(dtypes.Int32, 2, checkSide, checkSide, checkOutputs), 2), dtypes.Uint8)
	views := operation.Views{Data: data, Chosen: whole(1, 0), Down: whole(0, 3), Across: whole(4, 2), Mirror: whole(1, 0), Padding: 2}
	channels := graph.Squeeze(inputs[2], 0, 1, 2)
	x := operation.RepeatRows(views.Normalised(channels, graph.Cos(channels)), checkImages)
	mean := graph.Reshape(graph.Slice(graph.Reshape(inputs[1], -1), graph.AxisRange(0, 2*checkOutputs)), 2, checkOutputs)
	epsilon := graph.Concatenate([]*graph.Node{noise, graph.Sin(noise)}, 0)
	latents := operation.SampleLatents(mean, graph.Sin(mean), epsilon) // [rows, channels]
	plain := operation.AddNoisy(x, latents, nil)
	y := operation.AddNoisy(graph.Sin(plain), graph.Cos(latents), plain)
	return append(withGradients(operation.AveragePixels(y), []*graph.Node{inputs[1], inputs[3]}), plain, latents)
}
