package nbbnn

import (
	"context"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// shiftRows is the number of images of one execution of the graph.
const shiftRows = 64

// shifts computes the shifts of the images in batches.
func shifts(ctx context.Context, m *network.Model, images dataset.Images, changes [][]float32) (all []LogitShift, err error) {
	program, err := m.NewProgram("shift", func(args []*Node) []*Node {
		return shiftGraph(func(x *Node) *Node { return m.Logits(x, 1, args[3:]) })(args)
	})
	if err != nil {
		return nil, err
	}
	for first := 0; first < len(changes); first += shiftRows {
		if ctx.Err() != nil {
			return nil, stopped(ctx.Err())
		}
		count := min(shiftRows, len(changes)-first)
		batch := images.Slice(first, first+count)
		change := normalisedChange(m, changes[first:first+count], images.Height, images.Width)
		args := m.EvaluationNoise(0, first, count, 1)
		shifts, err := shiftsOf(program.Call, m.Normalised(batch, 1), change, m.Classes, args)
		if err != nil {
			return nil, err
		}
		all = append(all, shifts...)
	}
	return all, nil
}

// shiftsOf asks a shiftGraph for one class after the other.
func shiftsOf(call func([]any) ([]*tensors.Tensor, error), clean, change *tensors.Tensor, classes int, args []any) ([]LogitShift, error) {
	shifts := make([]LogitShift, clean.Shape().Dim(0))
	for class := range classes {
		hot := make([]float32, classes)
		hot[class] = 1
		outputs, err := call(append([]any{clean, change, hot}, args...))
		if err != nil {
			return nil, err
		}
		exact, firstOrder := tensors.MustCopyFlatData[float32](outputs[0]), tensors.MustCopyFlatData[float32](outputs[1])
		for row := range shifts {
			shifts[row].Exact = append(shifts[row].Exact, float64(exact[row*classes+class]))
			shifts[row].FirstOrder = append(shifts[row].FirstOrder, float64(firstOrder[row]))
		}
	}
	return shifts, nil
}

// normalisedChange are changes of pixels as changes of what the network sees, [images, height, width, 3].
func normalisedChange(m *network.Model, changes [][]float32, height, width int) *tensors.Tensor {
	var values []float32
	for _, change := range changes {
		for i, value := range change {
			values = append(values, value/float32(m.Std[i%3]))
		}
	}
	return tensors.FromFlatDataAndDimensions(values, len(changes), height, width, 3)
}

// shiftGraph returns, of normalised images and changes, [rows, ...], and a class, one-hot [classes], the exact shift, [rows,
// classes], and that of the class to first order, [rows].
func shiftGraph(f func(x *Node) *Node) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		clean, change, class := args[0], args[1], args[2]
		output := f(clean) // [rows, classes]
		slope := Gradient(ReduceAllSum(Mul(output, ExpandAxes(class, 0))), clean)[0]
		return []*Node{Sub(f(Add(clean, change)), output), sumOfRows(Mul(slope, change))}
	}
}
