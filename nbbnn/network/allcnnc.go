package network

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// allCNNC returns the architecture of METHOD.md 1.2: seven 3x3 convolutions, of which the third and
// sixth halve the image, a 1x1 convolution to the classes and an average pool. The first three
// layers have the configured width, the others twice that.
func allCNNC(config Network, classes int) Architecture {
	width, wide := config.Width, 2*config.Width
	shapes := []struct{ in, out, stride, shrink int }{
		{3, width, 1, 1}, {width, width, 1, 1}, {width, width, 2, 1},
		{width, wide, 1, 2}, {wide, wide, 1, 2}, {wide, wide, 2, 2}, {wide, wide, 1, 4},
	}
	start := narrowStart
	if config.Form == Published {
		start = uniformStart
	}
	var layers []layer
	for i, s := range shapes {
		layers = append(layers, layer{
			name: numbered("conv", i), kernel: 3, in: s.in, out: s.out, stride: s.stride, padding: 1,
			bias: true, shrink: s.shrink, first: i == 0, start: start,
		})
	}
	last := layer{
		name: numbered("conv", len(shapes)), kernel: 1, in: wide, out: classes, stride: 1,
		bias: true, shrink: 4, start: start,
	}
	forward := func(p *pass, x *Node) *Node {
		if config.Form == Published {
			x = Div(x, Const(p.graph, [][][][]float32{{{allCNNCInputScale}}}))
		}
		for _, l := range layers {
			x = p.rectify(p.convolve(x, l), l)
		}
		x = p.convolve(x, last)
		if config.Form == Published {
			x = p.rectify(x, last) // the published network has it, so its logits are never negative
		}
		return operation.AveragePixels(ConvertDType(x, p.numbers()))
	}
	return Architecture{layers: append(layers, last), smallestSide: 4, forward: forward}
}

// allCNNCInputScale is the second normalisation that the published network applies to its input.
var allCNNCInputScale = []float32{0.2023 / 0.2470, 0.1994 / 0.2435, 0.2010 / 0.2616}
