package network

import . "github.com/gomlx/gomlx/core/graph"

// allCNNC is the network of METHOD.md 1.2: seven 3x3 convolutions, of which the third and sixth halve
// the image, a 1x1 convolution to the classes and an average pool. The first three layers have the
// configured width, the others twice that.
func allCNNC(b *Builder) Value {
	x, width, start, published := b.Image(), b.Width(), HeNormal, b.network.Form == Published
	if published {
		start = Uniform
		x = b.add(step{kind: rescaleStep, inputs: []int{x.step}, channels: 3, perImage: true})
	}
	for _, c := range []Convolution{
		{Channels: width}, {Channels: width}, {Channels: width, Stride: 2},
		{Channels: 2 * width}, {Channels: 2 * width}, {Channels: 2 * width, Stride: 2}, {Channels: 2 * width},
	} {
		c.Start = start
		x = x.Convolve(c).ReLU()
	}
	x = x.Convolve(Convolution{Channels: b.Classes(), Kernel: 1, Start: start})
	if published {
		x = x.ReLU() // the published network has it, so its logits are never negative
	}
	return x.AveragePool()
}

// allCNNCInputScale is the second normalisation that the published network applies to its input.
var allCNNCInputScale = []float32{0.2023 / 0.2470, 0.1994 / 0.2435, 0.2010 / 0.2616}

// rescale divides images by allCNNCInputScale.
func rescale(images *Node) *Node {
	return Div(images, Const(images.Graph(), [][][][]float32{{{allCNNCInputScale}}}))
}

// vgg16 is the network of METHOD.md 1.2: thirteen 3x3 convolutions in five stages, each ended by a max
// pool that halves the image, and three dense layers; no batch normalisation. Without latents its
// first two dense layers have dropout.
func vgg16(b *Builder) Value {
	x := b.Image()
	for _, stage := range []struct{ convolutions, channels int }{{2, 1}, {2, 2}, {3, 4}, {3, 8}, {3, 8}} {
		for range stage.convolutions {
			x = x.Convolve(Convolution{Channels: stage.channels * b.Width(), Start: HeFanOut}).ReLU()
		}
		x = x.MaxPool()
	}
	hidden := Dense{Features: 8 * b.Width(), Dropout: 0.5, Start: Uniform}
	if b.network.NoDropout {
		hidden.Dropout = 0
	}
	return x.Dense(hidden).ReLU().Dense(hidden).ReLU().Dense(Dense{Features: b.Classes(), Start: Uniform})
}
