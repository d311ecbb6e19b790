package network

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// vgg16Stages are the numbers of convolutions before each halving of the image, and their channels
// in multiples of the width.
var vgg16Stages = []struct{ convolutions, channels int }{{2, 1}, {2, 2}, {3, 4}, {3, 8}, {3, 8}}

// vgg16Dropout is the probability with which a network without latents drops an input of its first
// two dense layers.
const vgg16Dropout = 0.5

// vgg16 returns the architecture of METHOD.md 1.2: thirteen 3x3 convolutions in five stages, each
// ended by a max pool that halves the image, and three dense layers; no batch normalisation.
func vgg16(config Network, classes int) Architecture {
	var stages [][]layer
	var layers []layer
	in := 3
	for i, s := range vgg16Stages {
		var stage []layer
		for range s.convolutions {
			l := layer{
				name: numbered("conv", len(layers)), kernel: 3, in: in, out: s.channels * config.Width,
				stride: 1, padding: 1, bias: true, shrink: 1 << i, first: len(layers) == 0,
				start: fanOutStart,
			}
			stage, layers, in = append(stage, l), append(layers, l), l.out
		}
		stages = append(stages, stage)
	}
	dense := vgg16Classifier(in, classes, config.NoDropout)
	forward := func(p *pass, x *Node) *Node {
		for _, stage := range stages {
			for _, l := range stage {
				x = p.rectify(p.convolve(x, l), l)
			}
			x = p.halve(x)
		}
		x = Reshape(x, x.Shape().Dim(0), in) // one pixel is left
		for _, l := range dense[:2] {
			x = p.rectify(p.dense(x, l), l)
		}
		return p.dense(x, dense[2])
	}
	layers = append(layers, dense...)
	return Architecture{layers: layers, smallestSide: 32, largestSide: 63, forward: forward}
}

// vgg16Classifier returns the dense layers.
func vgg16Classifier(features, classes int, noDropout bool) []layer {
	dropout := vgg16Dropout
	if noDropout {
		dropout = 0
	}
	hidden := layer{in: features, out: features, bias: true, start: uniformStart, dropout: dropout}
	dense := []layer{hidden, hidden, {in: features, out: classes, bias: true, start: uniformStart}}
	for i := range dense {
		dense[i].name = numbered("dense", i)
	}
	return dense
}
