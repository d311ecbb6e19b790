package nbbnn

import "fmt"

// block is one residual block: two 3x3 convolutions, and a 1x1 convolution on the shortcut where the shape changes.
type block struct {
	name         string // with a slash at its end
	conv1, conv2 layer
	norm1, norm2 normalisation
	shortcut     *layer // nil where the input is added as it is
	shortcutNorm normalisation
}

// residualBlocks returns the blocks of both residual networks: four stages of two blocks, with 1, 2, 4 and 8 times the width
// in channels; the first block of all stages but the first halves the image.
func residualBlocks(width int, start start) (blocks []block) {
	in := width
	for stage := range 4 {
		for index := range 2 {
			stride := 1
			if stage > 0 && index == 0 {
				stride = 2
			}
			name := fmt.Sprintf("stage%d/block%d/", stage+1, index+1)
			b := newBlock(name, in, width<<stage, stride, 1<<max(0, stage+1-stride), start)
			blocks, in = append(blocks, b), b.conv1.out
		}
	}
	return blocks
}

// newBlock returns a block whose input is shrink times smaller than the image.
func newBlock(name string, in, out, stride, shrink int, start start) block {
	b := block{
		name:  name,
		conv1: layer{name: name + "conv1", kernel: 3, in: in, out: out, stride: stride, padding: 1, shrink: shrink, start: start},
		conv2: layer{name: name + "conv2", kernel: 3, in: out, out: out, stride: 1, padding: 1, shrink: shrink * stride, start: start},
	}
	if stride != 1 || in != out {
		b.shortcut = &layer{name: name + "shortcut", kernel: 1, in: in, out: out, stride: stride, shrink: shrink, start: start}
	}
	return b
}

// layers are the block's layers in the order of the published code.
func (b block) layers() []layer {
	if b.shortcut == nil {
		return []layer{b.conv1, b.conv2}
	}
	return []layer{b.conv1, b.conv2, *b.shortcut}
}

// addResidual adds the blocks of a residual network and the dense layer behind them, which it returns.
func (a *architecture) addResidual(blocks []block, classes int) (dense layer) {
	for _, b := range blocks {
		a.layers = append(a.layers, b.layers()...)
		a.normalisations = append(a.normalisations, b.normalisations()...)
	}
	dense = layer{name: "dense", in: blocks[len(blocks)-1].conv2.out, out: classes, bias: true, start: uniformStart}
	a.layers = append(a.layers, dense)
	return dense
}
