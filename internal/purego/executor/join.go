//go:build amd64

package executor

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// joining is the graph pass. It changes nodes in place: a joined node keeps its position and its operation, whose executor
// here knows the data that it gets, and takes the inputs of the nodes that it replaces, which nobody uses any more.
type joining struct{}

// Name is what the backend's log calls the pass.
func (joining) Name() string { return "workbench kernels" }

// Apply joins nodes of the main function. Closures are compiled before the pass, so they stay as they are.
func (joining) Apply(b *builder) (modified bool, err error) {
	if !installed.active.Load() || b.main == nil || slices.ContainsFunc(b.main.nodes, isDynamic) {
		return false, nil
	}
	j := newJoiner(b.main)
	for _, n := range b.main.nodes {
		if j.isFloat(n) && j.join(n) {
			installed.joined.Add(1)
		}
	}
	j = newJoiner(b.main) // who uses whom now
	for _, n := range b.main.nodes {
		if len(j.users[n]) > 0 && n.function == j.function && j.joinReading(n) {
			installed.joined.Add(1)
		}
	}
	return false, nil
}

func isDynamic(n *node) bool { return n.shape.Ok() && n.shape.IsDynamic() }

// joiner knows who uses whom in a function.
type joiner struct {
	function *function
	users    map[*node][]*node // an output of the function has nil among its users
}

func newJoiner(f *function) *joiner {
	j := &joiner{function: f, users: map[*node][]*node{}}
	seen := map[*node]bool{}
	for _, output := range f.outputs {
		j.visit(output, nil, seen)
	}
	return j
}

// visit notes that a node is used.
func (j *joiner) visit(n, user *node, seen map[*node]bool) {
	j.users[n] = append(j.users[n], user)
	if seen[n] {
		return
	}
	seen[n] = true
	for _, inputs := range append(slices.Clone(n.captured), n.inputs) {
		for _, input := range inputs {
			j.visit(input, n, seen)
		}
	}
}

// isFloat says whether a node is used and has one output of float32.
func (j *joiner) isFloat(n *node) bool {
	return len(j.users[n]) > 0 && n.function == j.function && !n.isSelection && len(n.multipleNodes) == 0 &&
		n.shape.DType == dtypes.Float32
}

// isOnly says whether a node is of an operation and used once, so that its user may replace it.
func (j *joiner) isOnly(n *node, operation compute.OpType) bool {
	return n.operation == operation && j.isFloat(n) && len(j.users[n]) == 1 && j.users[n][0] != nil
}

// join tries the patterns that end with a node.
func (j *joiner) join(n *node) bool {
	switch n.operation {
	case compute.OpTypeConvGeneral:
		return j.joinReverse(n) || j.joinSamples(n)
	case compute.OpTypeAdd:
		return j.joinBias(n)
	case compute.OpTypeMul:
		return j.joinNoiseGradient(n) || j.joinScale(n) || j.joinSign(n)
	case compute.OpTypeMax:
		return j.joinRectifier(n)
	case compute.OpTypeReduceSum:
		return j.joinProductSum(n)
	}
	return false
}

// pairs are both orders of a node's two inputs.
func pairs(n *node) [2][2]*node {
	return [2][2]*node{{n.inputs[0], n.inputs[1]}, {n.inputs[1], n.inputs[0]}}
}

// isPlainProduct says whether a node is a product that no pattern has changed.
func isPlainProduct(n *node) bool {
	return n.operation == compute.OpTypeMul && n.data == nil && len(n.inputs) == 2
}

// scaled recognises a product of images by one number a channel, or an image and channel.
func scaled(n *node) (images, scale *node, ok bool) {
	if !isPlainProduct(n) {
		return nil, nil, false
	}
	for _, pair := range pairs(n) {
		if pair[0].shape.Equal(n.shape) && isRowOf(pair[1].shape, n.shape) && !pair[1].shape.Equal(n.shape) {
			return pair[0], pair[1], true
		}
	}
	return nil, nil, false
}

// isZero recognises the constant 0.
func isZero(n *node) bool {
	if n.operation != compute.OpTypeConstant || n.data == nil || n.shape.DType != dtypes.Float32 || n.shape.Size() != 1 {
		return false
	}
	numbers := floats(constantOf(n))
	return len(numbers) == 1 && numbers[0] == 0
}

// hasPixels says whether a shape is that of images with which the kernels work.
func hasPixels(s shapes.Shape) bool {
	_, ok := pixelsOf(s)
	return ok && isLarge(s)
}

// sortedAxes are the axes of a ReduceSum that no pattern has changed.
func sortedAxes(n *node) []int {
	axes, _ := n.data.([]int)
	return slices.Sorted(slices.Values(axes))
}
