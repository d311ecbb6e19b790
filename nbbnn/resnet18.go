package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// resNet18 returns the architecture of METHOD.md 1.2: a 3x3 convolution, eight residual blocks with batch normalisation
// after every convolution, a global average pool and a dense layer. The published pool of 4x4 pixels is the global one for
// images of 32 pixels.
func resNet18(config Network, classes int) architecture {
	stem := layer{name: "stem/conv", kernel: 3, in: 3, out: config.Width, stride: 1, padding: 1, shrink: 1, first: true, start: fanOutStart}
	stemNorm := normalisation{"stem/norm", config.Width}
	blocks := residualBlocks(config.Width, fanOutStart)
	a := architecture{layers: []layer{stem}, normalisations: []normalisation{stemNorm}, smallestSide: 8}
	for i := range blocks {
		blocks[i].normaliseAfter()
	}
	dense := a.addResidual(blocks, classes)
	a.forward = func(p *pass, x *Node) *Node {
		h, noise := p.convolveApart(x, stem)
		x = p.normaliseRectify(h, noise, stemNorm, nil)
		for _, b := range blocks {
			x = b.forwardResNet(p, x)
		}
		return p.dense(operation.AveragePixels(asType(x, computeType)), dense)
	}
	return a
}

// normaliseAfter gives the block a batch normalisation after every convolution.
func (b *block) normaliseAfter() {
	b.norm1 = normalisation{b.name + "norm1", b.conv1.out}
	b.norm2 = normalisation{b.name + "norm2", b.conv2.out}
	if b.shortcut != nil {
		b.shortcutNorm = normalisation{b.name + "shortcut_norm", b.shortcut.out}
	}
}

// normalisations are the block's batch normalisations.
func (b block) normalisations() []normalisation {
	if b.shortcutNorm.channels == 0 {
		return []normalisation{b.norm1, b.norm2}
	}
	return []normalisation{b.norm1, b.norm2, b.shortcutNorm}
}

// forwardResNet is the block with its activations after the convolutions.
func (b block) forwardResNet(p *pass, x *Node) *Node {
	h, noise := p.convolveApart(x, b.conv1)
	h, noise = p.convolveApart(p.normaliseRectify(h, noise, b.norm1, nil), b.conv2)
	if b.shortcut != nil {
		shortcut, shortcutNoise := p.convolveApart(x, *b.shortcut)
		x = p.normalise(shortcut, shortcutNoise, b.shortcutNorm)
	}
	return p.normaliseRectify(h, noise, b.norm2, x)
}
