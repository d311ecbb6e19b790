package executor

import (
	"fmt"
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	_ "github.com/gomlx/compute/gobackend" // the backend that is extended
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
)

// Only this file knows the internals of the pure-Go backend: the backend has no public way to add
// executors, so its variables and functions are reached by their linker names, and its structs are
// mirrored by structs with the same first fields. The tags name the backend's fields, and fields
// that we don't use are blank. A test compares all of them with the version below, verifyVersion
// keeps others away, and UPGRADE.md lists what else to check for a new one. Other files call
// addSingle, addPass and newBuffer and set multipleExecutors, for which docs/upstream proposes
// public names.

// backendVersion is the version of github.com/gomlx/compute that this file fits.
const backendVersion = "v0.1.14"

// verifyVersion returns an error unless a program is linked with that version.
func verifyVersion(program *debug.BuildInfo) error {
	const path = "github.com/gomlx/compute"
	linked := "an unknown version"
	if program != nil {
		for _, module := range program.Deps {
			if module.Path == path && module.Replace != nil {
				linked = "a replacement"
			} else if module.Path == path {
				linked = module.Version
			}
		}
	}
	if linked == backendVersion {
		return nil
	}
	return fmt.Errorf("the kernels are off, and training takes some hundred times as long: they "+
		"need %s %s, this program has %s of it: go get %[1]s@%[2]s", path, backendVersion, linked)
}

// buffer is the beginning of gobackend.Buffer.
type buffer struct {
	_     unsafe.Pointer `field:"RawBackend"`
	shape shapes.Shape   `field:"RawShape"`
	_     [8]int         `field:"ShapeDimensionsBuffer"`
	_     bool           `field:"InUse"`
	_     bool           `field:"isUserFed"`
	_     []byte         `field:"RawBytes"`
	flat  any            `field:"Flat"`
}

// node is gobackend.Node.
type node struct {
	index          int            `field:"Index"`
	inputs         []*node        `field:"Inputs"`
	captured       [][]*node      `field:"CapturedInputs"`
	operation      compute.OpType `field:"OpType"`
	shape          shapes.Shape   `field:"Shape"`
	_              unsafe.Pointer `field:"Builder"`
	function       *function      `field:"Function"`
	multipleShapes []shapes.Shape `field:"MultiOutputsShapes"`
	multipleNodes  []*node        `field:"MultiOutputsNodes"`
	isSelection    bool           `field:"IsNodeSelectOutput"`
	selection      int            `field:"SelectOutputIdx"`
	data           any            `field:"Data"`
}

// function is the beginning of gobackend.Function.
type function struct {
	_       notimplemented.Function `field:"Function"`
	_       *builder                `field:"RawBuilder"`
	name    string                  `field:"name"`
	_       *function               `field:"RawParent"`
	_       bool                    `field:"IsReturned"`
	nodes   []*node                 `field:"Nodes"`
	outputs []*node                 `field:"Outputs"`
}

// builder is the beginning of gobackend.Builder.
type builder struct {
	_    notimplemented.Builder `field:"Builder"`
	_    string                 `field:"name"`
	_    unsafe.Pointer         `field:"Backend"`
	_    bool                   `field:"IsCompiled"`
	main *function              `field:"MainFn"`
}

// convolutionData is the beginning of the data of a ConvGeneral node.
type convolutionData struct {
	axes              compute.ConvolveAxesConfig `field:"axes"`
	strides           []int                      `field:"strides"`
	paddings          [][2]int                   `field:"paddings"`
	inputDilations    []int                      `field:"inputDilations"`
	kernelDilations   []int                      `field:"kernelDilations"`
	channelGroupCount int                        `field:"channelGroupCount"`
	batchGroupCount   int                        `field:"batchGroupCount"`
}

// dotData is the beginning of the data of a DotGeneral node: [batch, rows, inner] with [batch,
// inner, columns], or with [batch, columns, inner] when that is transposed. The batch may be
// absent.
type dotData struct {
	input   dtypes.DType             `field:"InputDType"`
	output  dtypes.DType             `field:"OutputDType"`
	_       compute.DotGeneralConfig `field:"Config"`
	layout  dotLayout                `field:"Layout"`
	_       []int                    `field:"LHSContractingAxes"`
	_       []int                    `field:"LHSBatchAxes"`
	_       []int                    `field:"RHSContractingAxes"`
	_       []int                    `field:"RHSBatchAxes"`
	batch   int                      `field:"BatchSize"`
	rows    int                      `field:"LHSCrossSize"`
	columns int                      `field:"RHSCrossSize"`
	inner   int                      `field:"ContractingSize"`
}

type dotLayout int

const (
	plainDot dotLayout = iota
	transposedDot
)

// callData is the data of a Call node.
type callData struct {
	target *function `field:"target"`
}

// reductionData is the beginning of the data of a ReduceSum node.
type reductionData struct {
	axes []int `field:"Axes"`
}

// single computes the output of a node, or returns errDeclined to leave it to the next executor. An
// executor may write into an input that is owned: it then sets it to nil.
type single func(backend unsafe.Pointer, n *node, inputs []*buffer, owned []bool) (*buffer, error)

// multiple computes the outputs of a node that has several.
type multiple func(backend unsafe.Pointer, n *node, inputs []*buffer, owned []bool) ([]*buffer,
	error)

// entry is gobackend.executorEntry.
type entry struct {
	priority int
	executor single
}

// pass is called by the backend with each graph before it's compiled. Apply reports whether nodes
// may be out of order.
type pass interface {
	Apply(b *builder) (modified bool, err error)
	Name() string
}

// singleExecutors are tried in order. A node keeps the place of the first that didn't decline.
//
//go:linkname singleExecutors github.com/gomlx/compute/internal/gobackend.nodeExecutors
var singleExecutors [compute.OpTypeLast][]entry

//go:linkname multipleExecutors github.com/gomlx/compute/internal/gobackend.MultiOutputsNodeExecutors
var multipleExecutors [compute.OpTypeLast]multiple

//go:linkname errDeclined github.com/gomlx/compute/internal/gobackend.ErrFallback
var errDeclined error

//go:linkname registerPass github.com/gomlx/compute/internal/gobackend.RegisterTransformation
func registerPass(priority int, p pass)

//go:linkname newBuffer github.com/gomlx/compute/internal/gobackend.(*Backend).GetBuffer
func newBuffer(backend unsafe.Pointer, shape shapes.Shape) (*buffer, error)

// Priorities: above the backend's own executors, below its own pass, which removes broadcasts.
const (
	executorPriority = 100
	passPriority     = 50
)

// pointerIn returns the pointer that an interface holds.
func pointerIn(value *any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(value))[1] }

// convolutionOf returns the data of a ConvGeneral node that the backend built.
func convolutionOf(n *node) *convolutionData { return (*convolutionData)(pointerIn(&n.data)) }

// dotOf returns the data of a DotGeneral node that the backend built.
func dotOf(n *node) *dotData { return (*dotData)(pointerIn(&n.data)) }

// constantOf returns the value of a Constant node.
func constantOf(n *node) *buffer { return (*buffer)(pointerIn(&n.data)) }

// reducedAxes returns the axes of a ReduceSum node in order, nil if it sums a product.
func reducedAxes(n *node) []int {
	switch data := n.data.(type) {
	case productSum:
		return nil
	case []int:
		return data
	}
	return (*reductionData)(pointerIn(&n.data)).axes
}

// functionOf returns the name of the function that a Call node calls.
func functionOf(n *node) string { return (*callData)(pointerIn(&n.data)).target.name }

// addSingle adds an executor of an operation with one output, which is tried before the backend's.
func addSingle(operation compute.OpType, executor single) {
	singleExecutors[operation] = slices.Insert(singleExecutors[operation], 0,
		entry{executorPriority, executor})
}

// addPass adds a pass over each graph.
func addPass(p pass) {
	keepMethods(p)
	registerPass(passPriority, p)
}

// keepMethods calls a pass's methods, for an empty graph, through our own interface. Without that
// the linker, which can't see the backend's calls, would remove them.
func keepMethods(p pass) {
	_ = p.Name()
	_, _ = p.Apply(&builder{})
}
