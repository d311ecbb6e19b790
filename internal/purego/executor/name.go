//go:build amd64

package executor

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// nameOf says what a node computes.
func nameOf(n *node, inputs []*buffer) string {
	switch n.operation {
	case compute.OpTypeConvGeneral:
		return convolutionName(n, inputs)
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
func convolutionName(n *node, inputs []*buffer) string {
	data := finishedOf(n)
	input, filter := inputs[0].shape, inputs[1].shape
	kind := kindOf(data.convolution, n.shape, input, filter)
	if kind == unknownConvolution {
		return "convolution, stock"
	}
	sizes := sizesOf(data.convolution, kind, input, filter, n.shape)
	sizes.Samples = data.samples
	what, way := "convolution", sizes.Way()
	switch {
	case kind == kernelGradient:
		what, way = "kernel gradient", sizes.GradientWay()
	case sizes.Transposed:
		what = "input gradient"
	}
	return fmt.Sprintf("%s %dx%d, %s", what, sizes.Vertical.Kernel, sizes.Horizontal.Kernel, way)
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
