package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// publishedWidth is the number of channels of the first layers of All-CNN-C in the paper.
const publishedWidth = 96

// allCNNC returns the architecture of METHOD.md 1.2: seven 3x3 convolutions, of which the third and sixth halve the image,
// a 1x1 convolution to the classes and an average pool. width is the number of channels of the first three layers.
func allCNNC(width, classes int, form Form) architecture {
	wide := 2 * width
	shapes := []struct{ in, out, stride int }{
		{3, width, 1}, {width, width, 1}, {width, width, 2},
		{width, wide, 1}, {wide, wide, 1}, {wide, wide, 2}, {wide, wide, 1},
	}
	var layers []layer
	for i, s := range shapes {
		layers = append(layers, layer{name: layerName(i), kernel: 3, in: s.in, out: s.out, stride: s.stride, padding: 1, bias: true})
	}
	layers = append(layers, layer{name: layerName(len(shapes)), kernel: 1, in: wide, out: classes, stride: 1, bias: true})
	return architecture{layers: layers, smallestSide: 4, forward: func(p *pass, x *Node) *Node {
		if form == Published {
			x = Div(x, Const(p.graph, [][][][]float32{{{allCNNCInputScale}}}))
		}
		for _, l := range layers[:len(layers)-1] {
			x = relu(p.convolve(x, l))
		}
		x = p.convolve(x, layers[len(layers)-1])
		if form == Published {
			x = relu(x) // the published network has it, so its logits are never negative
		}
		return ReduceMean(x, 1, 2)
	}}
}

// allCNNCInputScale is the second normalisation that the published network applies to its input.
var allCNNCInputScale = []float32{0.2023 / 0.2470, 0.1994 / 0.2435, 0.2010 / 0.2616}

func layerName(index int) string { return "conv" + string(rune('1'+index)) }
