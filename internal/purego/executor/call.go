package executor

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// installed holds the state that the executors use. The backend's executors are global to the
// process, so this is too.
var installed struct {
	kernels kernel.InstructionSet
	active  atomic.Bool
	calls   atomic.Int64 // that kernels answered
	fused   atomic.Int64 // nodes that the graph pass changed
}

// call is one execution of a node.
type call struct {
	backend unsafe.Pointer
	node    *node
	inputs  []*buffer
	owned   []bool
}

// attempt computes a node, or returns nil to leave it to the stock executor.
type attempt func(c call) (*buffer, error)

// execute runs an attempt for the backend.
func (try attempt) execute(backend unsafe.Pointer, n *node, inputs []*buffer,
	owned []bool) (*buffer, error) {
	if !installed.active.Load() && !isFused(n) {
		return nil, errDeclined
	}
	output, err := try.guarded(call{backend, n, inputs, owned})
	if output == nil && err == nil {
		return nil, errDeclined
	}
	installed.calls.Add(1)
	return output, err
}

// guarded turns a panic into an error.
func (try attempt) guarded(c call) (output *buffer, err error) {
	defer c.recoverInto(&err)
	return try(c)
}

func (c call) recoverInto(err *error) {
	if problem := recover(); problem != nil {
		*err = fmt.Errorf("executor: the %s kernels failed in %s %s: %v: set %s=off",
			installed.kernels.Name, c.node.operation,
			c.node.shape, problem, Setting)
	}
}

// floats returns the numbers of an input, nil when they aren't float32.
func (c call) floats(input int) []float32 { return floats(c.inputs[input]) }

func floats(b *buffer) []float32 {
	numbers, _ := b.flat.([]float32)
	return numbers
}

// newBuffer returns a buffer that may hold old values.
func (c call) newBuffer(shape shapes.Shape) (*buffer, error) {
	b, err := newBuffer(c.backend, shape)
	if err == nil {
		kernel.UseLargePages(floats(b))
	}
	return b, err
}

// write fills the output: the first of the leading candidates among the inputs that is owned and of
// its shape, or a new buffer.
func (c call) write(candidates int, fill func(output []float32)) (*buffer, error) {
	for i, input := range c.inputs[:candidates] {
		if c.owned[i] && input.shape.Equal(c.node.shape) {
			return c.writeOver(i, fill)
		}
	}
	output, err := c.newBuffer(c.node.shape)
	if err == nil {
		fill(floats(output))
	}
	return output, err
}

// writeOver is write with one candidate, of the output's shape.
func (c call) writeOver(input int, fill func(output []float32)) (*buffer, error) {
	if !c.owned[input] {
		return c.write(0, fill)
	}
	output := c.inputs[input]
	c.inputs[input] = nil
	fill(floats(output))
	return output, nil
}

// overwrite returns an input that may be overwritten, which is a copy unless it's owned.
func (c call) overwrite(input int) (*buffer, error) {
	if b := c.inputs[input]; c.owned[input] {
		c.inputs[input] = nil
		return b, nil
	}
	fresh, err := c.newBuffer(c.inputs[input].shape)
	if err == nil {
		copy(floats(fresh), c.floats(input))
	}
	return fresh, err
}

// smallest is the least number of values for which the kernels take over: below it, starting them
// costs more than they save.
const smallest = 4096

// isLarge reports whether a shape is static, float32, and of at least smallest values.
func isLarge(s shapes.Shape) bool {
	return s.DType == dtypes.Float32 && !s.IsDynamic() && s.Size() >= smallest
}

// pixelsOf returns the sizes of images [images, height, width, channels], and whether all kernels
// can do that many channels.
func pixelsOf(s shapes.Shape) (pixels kernel.Pixels, ok bool) {
	pixels, ok = anyPixelsOf(s)
	return pixels, ok && pixels.Channels%kernel.RowChannels == 0
}

// anyPixelsOf is pixelsOf for the kernels that can do any number of channels.
func anyPixelsOf(s shapes.Shape) (pixels kernel.Pixels, ok bool) {
	if s.Rank() != 4 {
		return kernel.Pixels{}, false
	}
	d := s.Dimensions
	return kernel.Pixels{Images: d[0], Pixels: d[1] * d[2], Channels: d[3]}, true
}

// isRowOf reports whether values have one number a channel, or an image and channel, of images.
func isRowOf(values, images shapes.Shape) bool {
	if values.Rank() != 4 || images.Rank() != 4 || values.DType != images.DType {
		return false
	}
	v, d := values.Dimensions, images.Dimensions
	return (v[0] == 1 || v[0] == d[0]) && v[1] == 1 && v[2] == 1 && v[3] == d[3]
}
