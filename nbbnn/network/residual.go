package network

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// block is one residual block: two 3x3 convolutions, and a 1x1 convolution on the shortcut where
// the shape changes.
type block struct {
	name         string // with a slash at its end
	conv1, conv2 layer
	norm1, norm2 normalisation
	shortcut     *layer // nil where the input is added as it is
	shortcutNorm normalisation
}

// residualBlocks returns the blocks of the residual networks: four stages of two blocks, with 1, 2,
// 4 and 8 times the width in channels; the first block of all stages but the first halves the image.
// The input is shrink times smaller than the image.
func residualBlocks(width, shrink int, start start) (blocks []block) {
	in := width
	for stage := range 4 {
		for index := range 2 {
			stride := 1
			if stage > 0 && index == 0 {
				stride = 2
			}
			name := fmt.Sprintf("stage%d/block%d/", stage+1, index+1)
			b := newBlock(name, in, width<<stage, stride, shrink<<max(0, stage+1-stride), start)
			blocks, in = append(blocks, b), b.conv1.out
		}
	}
	return blocks
}

// newBlock returns a block whose input is shrink times smaller than the image.
func newBlock(name string, in, out, stride, shrink int, start start) block {
	b := block{
		name: name,
		conv1: layer{
			name: name + "conv1", kernel: 3, in: in, out: out, stride: stride, padding: 1,
			shrink: shrink, start: start,
		},
		conv2: layer{
			name: name + "conv2", kernel: 3, in: out, out: out, stride: 1, padding: 1,
			shrink: shrink * stride, start: start,
		},
	}
	if stride != 1 || in != out {
		b.shortcut = &layer{
			name: name + "shortcut", kernel: 1, in: in, out: out, stride: stride, shrink: shrink,
			start: start,
		}
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

// addResidual adds the blocks of a residual network and the dense layer behind them, which it
// returns.
func (a *Architecture) addResidual(blocks []block, classes int) (dense layer) {
	for _, b := range blocks {
		a.layers = append(a.layers, b.layers()...)
		a.normalisations = append(a.normalisations, b.normalisations()...)
	}
	features := blocks[len(blocks)-1].conv2.out
	dense = layer{name: "dense", in: features, out: classes, bias: true, start: uniformStart}
	a.layers = append(a.layers, dense)
	return dense
}

// resNet18 returns the architecture of METHOD.md 1.2: a 3x3 convolution, eight residual blocks with
// batch normalisation after every convolution, a global average pool and a dense layer. The
// published pool of 4x4 pixels is the global one for images of 32 pixels.
func resNet18(config Network, classes int) Architecture {
	stem := layer{
		name: "stem/conv", kernel: 3, in: 3, out: config.Width, stride: 1, padding: 1, shrink: 1,
		first: true, start: fanOutStart,
	}
	return resNet(stem, 1, func(_ *pass, x *Node) *Node { return x }, classes)
}

// resNet18ImageNet returns the ResNet18 for photos of He and others (CVPR 2016), as torchvision has
// it: its stem is a convolution of 7x7 pixels with stride 2 and a pool of 3x3 pixels with stride 2.
func resNet18ImageNet(config Network, classes int) Architecture {
	stem := layer{
		name: "stem/conv", kernel: 7, in: 3, out: config.Width, stride: 2, padding: 3, shrink: 1,
		first: true, start: fanOutStart,
	}
	return resNet(stem, 4, (*pass).poolStem, classes)
}

// resNet returns a network of a stem, whose output is shrink times smaller than the image after its
// pool, and the blocks of a ResNet18.
func resNet(stem layer, shrink int, pool func(*pass, *Node) *Node, classes int) Architecture {
	stemNorm := normalisation{"stem/norm", stem.out}
	blocks := residualBlocks(stem.out, shrink, fanOutStart)
	a := Architecture{
		layers: []layer{stem}, normalisations: []normalisation{stemNorm}, smallestSide: 8,
	}
	for i := range blocks {
		blocks[i].normaliseAfter()
	}
	dense := a.addResidual(blocks, classes)
	a.forward = func(p *pass, x *Node) *Node {
		h, noise := p.convolveApart(x, stem)
		x = pool(p, p.normaliseRectify(h, noise, stemNorm, nil))
		for _, b := range blocks {
			x = b.forwardResNet(p, x)
		}
		return p.dense(operation.AveragePixels(ConvertDType(x, p.numbers())), dense)
	}
	return a
}

// poolStem takes the largest value of every three by three pixels, two pixels apart, of images that
// aren't negative and that zeros surround: the largest in windows of two by two pixels that are
// shifted by one or not, each way. A smooth pass takes the mean of windows that aren't shifted.
func (p *pass) poolStem(x *Node) *Node {
	zero := ScalarZero(p.graph, x.DType())
	height, width := x.Shape().Dim(1), x.Shape().Dim(2)
	shifted := func(down, across int) *Node {
		return p.halve(Pad(x, zero, PadAxis{}, PadAxis{Start: down, End: height % 2}, PadAxis{Start: across, End: width % 2}, PadAxis{}))
	}
	if p.smooth {
		return shifted(0, 0)
	}
	return Max(Max(shifted(0, 0), shifted(0, 1)), Max(shifted(1, 0), shifted(1, 1)))
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

// preActResNet18 returns the architecture of METHOD.md 1.2: a 3x3 convolution, eight residual
// blocks with batch normalisation and ReLU before every convolution, a global average pool and a
// dense layer; nothing normalises the last block's output. The published pool of 8x8 pixels is the
// global one for images of 64 pixels.
func preActResNet18(config Network, classes int) Architecture {
	stem := layer{
		name: "stem/conv", kernel: 3, in: 3, out: config.Width, stride: 1, padding: 1, shrink: 1,
		first: true, start: uniformStart,
	}
	blocks := residualBlocks(config.Width, 1, uniformStart)
	a := Architecture{layers: []layer{stem}, smallestSide: 8}
	for i := range blocks {
		blocks[i].normaliseBefore()
	}
	dense := a.addResidual(blocks, classes)
	a.forward = func(p *pass, x *Node) *Node {
		x = p.convolve(x, stem)
		for _, b := range blocks {
			x = b.forwardPreAct(p, x)
		}
		return p.dense(operation.AveragePixels(ConvertDType(x, p.numbers())), dense)
	}
	return a
}

// normaliseBefore gives the block a batch normalisation before both convolutions.
func (b *block) normaliseBefore() {
	b.norm1 = normalisation{b.name + "norm1", b.conv1.in}
	b.norm2 = normalisation{b.name + "norm2", b.conv2.in}
}

// forwardPreAct is the block with its activations before the convolutions; the shortcut's
// convolution sees the activation.
func (b block) forwardPreAct(p *pass, x *Node) *Node {
	activation := p.normaliseRectify(x, nil, b.norm1, nil)
	h, noise := p.convolveApart(activation, b.conv1)
	h, noise = p.convolveApart(p.normaliseRectify(h, noise, b.norm2, nil), b.conv2)
	if b.shortcut != nil {
		shortcut, shortcutNoise := p.convolveApart(activation, *b.shortcut)
		x = addNoisy(shortcut, shortcutNoise, nil)
	}
	return addNoisy(h, noise, x)
}

// addNoisy returns h times its noise plus a residual, which may both be nil, computed in the type
// of the noise and returned in that of h.
func addNoisy(h, noise, residual *Node) *Node {
	compute := h.DType()
	if noise != nil {
		h = ConvertDType(h, noise.DType())
	}
	if residual != nil {
		residual = ConvertDType(residual, h.DType())
	}
	return ConvertDType(operation.AddNoisy(h, noise, residual), compute)
}
