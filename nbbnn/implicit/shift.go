package implicit

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// logitShift is f(x + g) - f(x): how a change g of an image moves the logits of a network without
// noise (METHOD.md section 7).
type logitShift struct {
	exact      []float64 // [classes]
	firstOrder []float64 // [classes], the derivative of f along g, as if no ReLU switched
}

// MeanSquaredShift returns the mean squared distance by which corruptions move the logits of a
// network with fixed latents, exact and to first order, as if no ReLU switched.
func MeanSquaredShift(ctx context.Context, m *network.Model, latents network.Latents,
	corruptions []Corruption) (exact, firstOrder float64, err error) {
	if err := check.Known("latents", latents, network.OneLatents, network.MeanLatents); err != nil {
		return 0, 0, err
	}
	images, changes := dataset.Images{Height: m.Height, Width: m.Width}, [][]float32(nil)
	for _, c := range corruptions {
		if c.Height != m.Height || c.Width != m.Width {
			return 0, 0, fmt.Errorf("implicit: an image of %d x %d pixels, the network was "+
				"trained on %d x %d: give corruptions of its images", c.Height, c.Width, m.Height,
				m.Width)
		}
		images.Pixels, images.Labels = append(images.Pixels, c.Clean...), append(images.Labels, 0)
		changes = append(changes, c.Change)
	}
	all, err := shifts(ctx, m, latents, images, changes)
	exact, firstOrder = meanSquared(all)
	return exact, firstOrder, err
}

func meanSquared(shifts []logitShift) (exact, firstOrder float64) {
	for _, s := range shifts {
		for i := range s.exact {
			exact += s.exact[i] * s.exact[i] / float64(len(shifts))
			firstOrder += s.firstOrder[i] * s.firstOrder[i] / float64(len(shifts))
		}
	}
	return exact, firstOrder
}

// shiftRows is the number of images of one execution of the graph.
const shiftRows = 64

// shifts returns the shift of each image by its change, [images][height*width*3] in pixels of 0 to
// 1, in a network with fixed latents.
func shifts(ctx context.Context, m *network.Model, latents network.Latents, images dataset.Images,
	changes [][]float32) (all []logitShift, err error) {
	if m.Settings.Posterior.Mode != network.Deterministic {
		m = m.With(latents, 1, 0)
	}
	program, err := m.NewProgram("shift", func(args []*Node) []*Node {
		return shiftGraph(func(x *Node) *Node { return m.Logits(x, 1, args[3:]) })(args)
	})
	if err != nil {
		return nil, err
	}
	for first := 0; first < len(changes); first += shiftRows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		count := min(shiftRows, len(changes)-first)
		batch := m.Normalised(images.Slice(first, first+count), 1)
		change := normalisedChange(m, changes[first:first+count], images.Height, images.Width)
		args := m.EvaluationNoise(0, first, count, 1)
		shifts, err := shiftsOf(program.Call, batch, change, m.Classes, args)
		if err != nil {
			return nil, err
		}
		all = append(all, shifts...)
	}
	return all, nil
}

// checkImages checks that images have the size of the network's, and adds labels if there are none.
func checkImages(m *network.Model, images dataset.Images) (dataset.Images, error) {
	images, err := images.Labelled()
	if err == nil && (images.Height != m.Height || images.Width != m.Width) {
		err = fmt.Errorf("implicit: images of %d x %d pixels, the network was trained on %d x "+
			"%d: scale them to that",
			images.Height, images.Width, m.Height, m.Width)
	}
	return images, err
}

// shiftsOf runs a shiftGraph for each class.
func shiftsOf(call func([]any) ([]*tensors.Tensor, error), clean, change *tensors.Tensor,
	classes int, args []any) ([]logitShift, error) {
	shifts := make([]logitShift, clean.Shape().Dim(0))
	for class := range classes {
		hot := make([]float32, classes)
		hot[class] = 1
		outputs, err := call(append([]any{clean, change, hot}, args...))
		if err != nil {
			return nil, err
		}
		exact, firstOrder := tensors.MustCopyFlatData[float32](outputs[0]),
			tensors.MustCopyFlatData[float32](outputs[1])
		for row := range shifts {
			shifts[row].exact = append(shifts[row].exact, float64(exact[row*classes+class]))
			shifts[row].firstOrder = append(shifts[row].firstOrder, float64(firstOrder[row]))
		}
	}
	return shifts, nil
}

// normalisedChange returns changes of pixels as changes of the network's input, [images, height,
// width, 3].
func normalisedChange(m *network.Model, changes [][]float32, height, width int) *tensors.Tensor {
	var numbers []float32
	for _, change := range changes {
		for i, value := range change {
			numbers = append(numbers, value/float32(m.Std[i%3]))
		}
	}
	return tensors.FromFlatDataAndDimensions(numbers, len(changes), height, width, 3)
}

// shiftGraph returns the graph that maps normalised images and changes, [rows, ...], and a class,
// one-hot [classes], to the exact shift, [rows, classes], and the class's shift to first order,
// [rows].
func shiftGraph(f func(x *Node) *Node) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		clean, change, class := args[0], args[1], args[2]
		logits := f(clean) // [rows, classes]
		slope := Gradient(ReduceAllSum(Mul(logits, ExpandAxes(class, 0))), clean)[0]
		return []*Node{Sub(f(Add(clean, change)), logits), sumOfRows(Mul(slope, change))}
	}
}

// sumOfRows sums the values of each row, [rows, ...] to [rows].
func sumOfRows(x *Node) *Node {
	rows := x.Shape().Dim(0)
	return ReduceSum(Reshape(x, rows, x.Shape().Size()/rows), 1)
}
