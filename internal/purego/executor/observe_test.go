package executor

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/gomlx/compute"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Execution is one execution of an operation of a graph.
type Execution struct {
	Name  string // what was computed, such as "convolution 3x3, Winograd"
	Shape string // of its first output, such as "128x32x32x24"
}

// Observe notes every operation that the pure-Go backend executes until stop is called, which
// returns them in order; operations in the body of a function count as that function. The kernels
// must be installed, and the backend execute one operation after the other.
func Observe() (stop func() []Execution) {
	o := &observer{}
	var restore []func()
	for operation := range compute.OpTypeLast {
		restore = append(restore, wrapSingle(operation, o.single), wrapMultiple(operation, o.multiple))
	}
	return func() []Execution {
		for _, before := range restore {
			before()
		}
		return o.executions
	}
}

// observer notes what executors do.
type observer struct {
	executions []Execution
	inside     bool // the body of a function
}

func (o *observer) single(execute single) single {
	return func(backend unsafe.Pointer, n *node, inputs []*buffer, owned []bool) (output *buffer, err error) {
		o.note(n, func() bool {
			output, err = execute(backend, n, inputs, owned)
			return err != errDeclined
		})
		return output, err
	}
}

func (o *observer) multiple(execute multiple) multiple {
	if execute == nil {
		return nil
	}
	return func(backend unsafe.Pointer, n *node, inputs []*buffer, owned []bool) (outputs []*buffer, err error) {
		o.note(n, func() bool {
			outputs, err = execute(backend, n, inputs, owned)
			return true
		})
		return outputs, err
	}
}

// note executes a node and notes it, unless the executor declined.
func (o *observer) note(n *node, execute func() (done bool)) {
	if o.inside {
		execute()
		return
	}
	o.inside = true
	done := execute()
	o.inside = false
	if done {
		o.executions = append(o.executions, Execution{nameOf(n), shapeOf(n)})
	}
}

// nameOf returns a description of what a node computes.
func nameOf(n *node) string {
	switch n.operation {
	case compute.OpTypeConvGeneral:
		return convolutionName(n)
	case compute.OpTypeCall:
		if _, ok := n.data.(*momentsOnly); ok {
			return "moments"
		}
		if kind := operation.KindOf(functionOf(n)); kind != "" {
			return string(kind)
		}
	}
	switch n.data.(type) {
	case scaledRectifier:
		return "noise rectify"
	case signProduct:
		return "rectify gradient"
	case productSum:
		return "sum of products"
	case noiseGradients:
		return "noise rectify gradient"
	}
	return strings.ToLower(n.operation.String())
}

// convolutionName tells the three products of a layer apart, and the ways to compute them.
func convolutionName(n *node) string {
	data := finishedOf(n)
	input, filter := n.inputs[0].shape, n.inputs[1].shape
	kind := kindOf(data.convolution, n.shape, input, filter)
	if kind == unknownConvolution {
		return "convolution, stock"
	}
	sizes := sizesOf(data.convolution, kind, input, filter, n.shape)
	what, algorithm := "convolution", sizes.Algorithm()
	switch {
	case kind == kernelGradient:
		what, algorithm = "kernel gradient", installed.kernels.GradientAlgorithm(&sizes)
	case sizes.Transposed:
		what = "input gradient"
	}
	return fmt.Sprintf("%s %dx%d, %s", what, sizes.Vertical.Kernel, sizes.Horizontal.Kernel, algorithm)
}

// shapeOf is the shape of a node's first output.
func shapeOf(n *node) string {
	shape := n.shape
	if len(n.multipleShapes) > 0 {
		shape = n.multipleShapes[0]
	}
	sizes := make([]string, shape.Rank())
	for axis, size := range shape.Dimensions {
		sizes[axis] = fmt.Sprint(size)
	}
	return strings.Join(sizes, "x")
}

// wrapSingle replaces all executors of an operation with one output. restore puts them back.
func wrapSingle(operation compute.OpType, wrap func(single) single) (restore func()) {
	before := singleExecutors[operation]
	wrapped := slices.Clone(before)
	for i := range wrapped {
		wrapped[i].executor = wrap(wrapped[i].executor)
	}
	singleExecutors[operation] = wrapped
	return func() { singleExecutors[operation] = before }
}

// wrapMultiple replaces the executor of an operation with several outputs; wrap gets the one before,
// nil if there is none. restore puts that back.
func wrapMultiple(operation compute.OpType, wrap func(stock multiple) multiple) (restore func()) {
	stock := multipleExecutors[operation]
	multipleExecutors[operation] = wrap(stock)
	return func() { multipleExecutors[operation] = stock }
}
