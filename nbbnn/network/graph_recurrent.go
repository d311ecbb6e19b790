package network

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute-onnx/support/protos"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/onnx"
)

// recur computes a GRU step by step: Y [steps, directions, rows, hidden] and the last states of
// each direction.
func (f *graphPass) recur(n *protos.NodeProto) {
	input := func(i int, shape ...int) *Node {
		if i < len(n.Input) && n.Input[i] != "" {
			return f.value(n.Input[i])
		}
		return Zeros(f.graph, shapes.Make(computeType, shape...))
	}
	x, w, r := input(0), input(1), input(2)
	d, hidden := x.Shape().Dimensions, r.Shape().Dim(2)
	for _, a := range n.Attribute {
		if !slices.Contains([]string{"direction", "hidden_size", "linear_before_reset"}, a.Name) {
			panic("it has its own " + a.Name)
		}
	}
	if len(n.Input) > 4 && n.Input[4] != "" {
		panic("it has lengths of sequences")
	}
	if steps := d[0] * w.Shape().Dim(0); steps > mostSteps {
		panic(fmt.Sprintf("it has %d steps in all directions, want up to %d", steps, mostSteps))
	}
	bias := input(3, w.Shape().Dim(0), 6*hidden)
	h := input(5, w.Shape().Dim(0), d[1], hidden)
	var outputs, last []*Node
	for direction := range w.Shape().Dim(0) {
		of := func(x *Node) *Node {
			return Reshape(Slice(x, AxisElem(direction)), x.Shape().Dimensions[1:]...)
		}
		u := gatedUnit{r: of(r), bias: Slice(of(bias), AxisRange(3*hidden)), hidden: hidden,
			resetsAfter: onnx.Int(n, "linear_before_reset", 0) != 0}
		inputs := Add(DotGeneral(x, []int{2}, nil, of(w), []int{1}, nil),
			Reshape(Slice(of(bias), AxisRange(0, 3*hidden)), 1, 1, -1))
		states, state := make([]*Node, d[0]), of(h)
		for step := range states {
			if direction > 0 || onnx.Text(n, "direction") == "reverse" {
				step = d[0] - 1 - step
			}
			state = u.next(Reshape(Slice(inputs, AxisElem(step)), d[1], -1), state)
			states[step] = state
		}
		outputs, last = append(outputs, Stack(states, 0)), append(last, state)
	}
	for i, y := range []*Node{Stack(outputs, 1), Stack(last, 0)}[:len(n.Output)] {
		if n.Output[i] != "" {
			f.values[n.Output[i]] = y
		}
	}
}

// mostSteps bounds the size of the graph.
const mostSteps = 4096

// gatedUnit is one direction of a GRU: r [3 hidden, hidden] has the matrices of its update gate,
// its reset gate and its candidate.
type gatedUnit struct {
	r, bias     *Node
	hidden      int
	resetsAfter bool // the product with the state, not before it
}

// next returns the state after h [rows, hidden], for the input's part of the sums [rows, 3 hidden].
func (u gatedUnit) next(input, h *Node) *Node {
	part := func(x *Node, k int) *Node {
		return Slice(x, AxisRange(), AxisRange(k*u.hidden, (k+1)*u.hidden))
	}
	times := func(x *Node) *Node {
		return Add(DotGeneral(x, []int{1}, nil, u.r, []int{1}, nil), ExpandAxes(u.bias, 0))
	}
	product := times(h)
	sums := Add(product, input)
	update, reset := Sigmoid(part(sums, 0)), Sigmoid(part(sums, 1))
	candidate := Mul(reset, part(product, 2))
	if !u.resetsAfter {
		candidate = part(times(Mul(reset, h)), 2)
	}
	candidate = Tanh(Add(candidate, part(input, 2)))
	return Add(candidate, Mul(update, Sub(h, candidate)))
}
