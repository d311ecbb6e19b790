package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// preActResNet18 returns the architecture of METHOD.md 1.2: a 3x3 convolution, eight residual blocks with batch
// normalisation and ReLU before every convolution, a global average pool and a dense layer; nothing normalises the last
// block's output. The published pool of 8x8 pixels is the global one for images of 64 pixels.
func preActResNet18(config Network, classes int) architecture {
	stem := layer{name: "stem/conv", kernel: 3, in: 3, out: config.Width, stride: 1, padding: 1, shrink: 1, first: true, start: uniformStart}
	blocks := residualBlocks(config.Width, uniformStart)
	a := architecture{layers: []layer{stem}, smallestSide: 8}
	for i := range blocks {
		blocks[i].normaliseBefore()
	}
	dense := a.addResidual(blocks, classes)
	a.forward = func(p *pass, x *Node) *Node {
		x = p.convolve(x, stem)
		for _, b := range blocks {
			x = b.forwardPreAct(p, x)
		}
		return p.dense(operation.AveragePixels(asType(x, computeType)), dense)
	}
	return a
}

// normaliseBefore gives the block a batch normalisation before both convolutions.
func (b *block) normaliseBefore() {
	b.norm1 = normalisation{b.name + "norm1", b.conv1.in}
	b.norm2 = normalisation{b.name + "norm2", b.conv2.in}
}

// forwardPreAct is the block with its activations before the convolutions; the shortcut's convolution sees the activation.
func (b block) forwardPreAct(p *pass, x *Node) *Node {
	activation := p.normaliseRectify(x, nil, b.norm1, nil)
	h, noise := p.convolveApart(activation, b.conv1)
	h, noise = p.convolveApart(p.normaliseRectify(h, noise, b.norm2, nil), b.conv2)
	if b.shortcut != nil {
		shortcut, shortcutNoise := p.convolveApart(activation, *b.shortcut)
		x = operation.AddNoisy(shortcut, shortcutNoise, nil)
	}
	return operation.AddNoisy(h, noise, x)
}
