package executor

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// fusion is the graph pass. It changes nodes in place: a fused node keeps its position and its
// operation, whose executor here knows the new data, and takes the inputs of the nodes that it
// replaces, which then have no users.
type fusion struct{}

// Name returns the pass's name in the backend's log.
func (fusion) Name() string { return "workbench kernels" }

// Apply fuses nodes of the main function. Closures are compiled before the pass, so they stay as
// they are.
func (fusion) Apply(b *builder) (modified bool, err error) {
	if !installed.active.Load() || b.main == nil || slices.ContainsFunc(b.main.nodes, isDynamic) {
		return false, nil
	}
	f := newFuser(b.main)
	for _, n := range b.main.nodes {
		if f.isFloat(n) && f.fuse(n) {
			installed.fused.Add(1)
		}
	}
	f = newFuser(b.main) // the users have changed
	for _, n := range b.main.nodes {
		if len(f.users[n]) > 0 && n.function == f.function && f.fuseInput(n) {
			installed.fused.Add(1)
		}
	}
	return false, nil
}

func isDynamic(n *node) bool { return n.shape.Ok() && n.shape.IsDynamic() }

// fuser holds the users of each node of a function.
type fuser struct {
	function *function
	users    map[*node][]*node // an output of the function has nil among its users
}

func newFuser(of *function) *fuser {
	f := &fuser{function: of, users: map[*node][]*node{}}
	seen := map[*node]bool{}
	for _, output := range of.outputs {
		f.visit(output, nil, seen)
	}
	return f
}

// visit notes that a node is used.
func (f *fuser) visit(n, user *node, seen map[*node]bool) {
	f.users[n] = append(f.users[n], user)
	if seen[n] {
		return
	}
	seen[n] = true
	for _, inputs := range append(slices.Clone(n.captured), n.inputs) {
		for _, input := range inputs {
			f.visit(input, n, seen)
		}
	}
}

// isFloat reports whether a node is used and has one output of float32.
func (f *fuser) isFloat(n *node) bool {
	return len(f.users[n]) > 0 && n.function == f.function && !n.isSelection &&
		len(n.multipleNodes) == 0 &&
		n.shape.DType == dtypes.Float32
}

// isOnly reports whether a node is of the given operation and used once, so that its user may
// replace it.
func (f *fuser) isOnly(n *node, operation compute.OpType) bool {
	return n.operation == operation && f.isFloat(n) && len(f.users[n]) == 1 && f.users[n][0] != nil
}

// fuse tries the patterns that end with a node.
func (f *fuser) fuse(n *node) bool {
	switch n.operation {
	case compute.OpTypeConvGeneral:
		return f.fuseReverse(n)
	case compute.OpTypeAdd:
		return f.fuseBias(n) || f.fuseResidual(n)
	case compute.OpTypeMul:
		return f.fuseNoiseGradient(n) || f.fuseScale(n) || f.fuseSign(n)
	case compute.OpTypeMax:
		return f.fuseRectifier(n)
	case compute.OpTypeReduceSum:
		return f.fuseProductSum(n)
	}
	return false
}

// pairs are both orders of a node's two inputs.
func pairs(n *node) [2][2]*node {
	return [2][2]*node{{n.inputs[0], n.inputs[1]}, {n.inputs[1], n.inputs[0]}}
}

// isPlainProduct reports whether a node is a product that no pattern has changed.
func isPlainProduct(n *node) bool {
	return n.operation == compute.OpTypeMul && !isFused(n) && len(n.inputs) == 2
}

// scaled recognises a product of images by one number a channel, or an image and channel.
func scaled(n *node) (images, scale *node, ok bool) {
	if !isPlainProduct(n) {
		return nil, nil, false
	}
	for _, pair := range pairs(n) {
		if pair[0].shape.Equal(n.shape) && isRowOf(pair[1].shape, n.shape) &&
			!pair[1].shape.Equal(n.shape) {
			return pair[0], pair[1], true
		}
	}
	return nil, nil, false
}

// isZero recognises the constant 0.
func isZero(n *node) bool {
	if n.operation != compute.OpTypeConstant || n.data == nil || n.shape.DType != dtypes.Float32 ||
		n.shape.Size() != 1 {
		return false
	}
	numbers := floats(constantOf(n))
	return len(numbers) == 1 && numbers[0] == 0
}

// hasPixels reports whether the kernels support images of a shape.
func hasPixels(s shapes.Shape) bool {
	_, ok := pixelsOf(s)
	return ok && isLarge(s)
}
