package network

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// imageNetResNet18 is the ResNet18 of torchvision, which isn't in the paper: it takes photos.
const imageNetResNet18 = "resnet18-imagenet"

// builtIn lists the networks in the order of METHOD.md 1.2, with the settings of the paper and its
// code, and torchvision's ResNet18 with the settings of the published one. All-CNN-C has two
// initial standard deviations, 0.16 and 0.32.
var builtIn = []definition{
	{"allcnnc", Defaults{96, 0.32, 90, 128, 0.05}, allCNNC, false},
	{"vgg16", Defaults{64, 0.30, 300, 128, 0.05}, vgg16, false},
	{"resnet18", Defaults{64, 0.40, 300, 128, 0.10}, resNet18, false},
	{"preactresnet18", Defaults{64, 0.30, 150, 256, 0.10}, preActResNet18, false},
	{imageNetResNet18, Defaults{64, 0.40, 300, 128, 0.10}, resNet18ImageNet, false},
}

// Names lists the networks of this program: the built-in ones, then Define's.
func Names() []string { return definitions.Names() }

// allCNNC is the network of METHOD.md 1.2: seven 3x3 convolutions, of which the third and sixth
// halve the image, a 1x1 convolution to the classes and an average pool. The first three layers
// have the configured width, the others twice that.
func allCNNC(b *Builder) Value {
	x, width, start, published := b.Image(), b.Width(), HeNormal, b.network.Form == Published
	if published {
		start = Uniform
		x = b.add(step{kind: rescaleStep, inputs: []int{x.step}, channels: 3, perImage: true})
	}
	for _, c := range []Convolution{
		{Channels: width}, {Channels: width}, {Channels: width, Stride: 2},
		{Channels: 2 * width}, {Channels: 2 * width}, {Channels: 2 * width, Stride: 2},
		{Channels: 2 * width},
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

// vgg16 is the network of METHOD.md 1.2: thirteen 3x3 convolutions in five stages, each ended by a
// max pool that halves the image, and three dense layers; no batch normalisation. Without latents
// its first two dense layers have dropout.
func vgg16(b *Builder) Value {
	x := b.Image()
	for _, stage := range []struct {
		convolutions, channels int
	}{{2, 1}, {2, 2}, {3, 4}, {3, 8}, {3, 8}} {
		for range stage.convolutions {
			x = x.Convolve(Convolution{Channels: stage.channels * b.Width(),
				Start: HeFanOut}).ReLU()
		}
		x = x.MaxPool()
	}
	hidden := Dense{Features: 8 * b.Width(), Dropout: 0.5, Start: Uniform}
	if b.network.NoDropout {
		hidden.Dropout = 0
	}
	return x.Dense(hidden).ReLU().Dense(hidden).ReLU().Dense(Dense{Features: b.Classes(),
		Start: Uniform})
}

// residual adds four stages of two blocks, with 1, 2, 4 and 8 times the width in channels, then a
// global average pool and a dense layer. A block adds itself to x; its name ends with a slash. The
// first block of all stages but the first has stride 2, which halves the image.
func (b *Builder) residual(x Value, block func(x Value, name string, channels,
	stride int) Value) Value {
	for stage := range 4 {
		for index := range 2 {
			stride := 1
			if stage > 0 && index == 0 {
				stride = 2
			}
			x = block(x, fmt.Sprintf("stage%d/block%d/", stage+1, index+1), b.Width()<<stage,
				stride)
		}
	}
	return x.AveragePool().Dense(Dense{Name: "dense", Features: b.Classes(), Start: Uniform})
}

// resNet18 is the network of METHOD.md 1.2: a 3x3 convolution, eight residual blocks with batch
// normalisation after every convolution, a global average pool and a dense layer. The published
// pool of 4x4 pixels is the global one for images of 32 pixels.
func resNet18(b *Builder) Value {
	stem := Convolution{Name: "stem/conv", Channels: b.Width(), NoBias: true, Start: HeFanOut}
	return b.residual(b.Image().Convolve(stem).normalise("stem/norm").ReLU(), resNetBlock)
}

// resNet18ImageNet is the ResNet18 for photos of He and others (CVPR 2016), as torchvision has it:
// its stem is a convolution of 7x7 pixels with stride 2 and a pool of 3x3 pixels with stride 2.
func resNet18ImageNet(b *Builder) Value {
	stem := Convolution{Name: "stem/conv", Channels: b.Width(), Kernel: 7, Stride: 2, NoBias: true,
		Start: HeFanOut}
	return b.residual(b.Image().Convolve(stem).normalise("stem/norm").ReLU().pool(stemPoolStep),
		resNetBlock)
}

// resNetBlock is a block with its activations after the convolutions. Where it changes the shape,
// the shortcut has a 1x1 convolution.
func resNetBlock(x Value, name string, channels, stride int) Value {
	convolve := func(x Value, part string, kernel, stride int) Value {
		return x.Convolve(Convolution{Name: name + part, Channels: channels, Kernel: kernel,
			Stride: stride, NoBias: true, Start: HeFanOut})
	}
	y := convolve(x, "conv1", 3, stride).normalise(name + "norm1").ReLU()
	y = convolve(y, "conv2", 3, 1).normalise(name + "norm2")
	if stride > 1 {
		x = convolve(x, "shortcut", 1, stride).normalise(name + "shortcut_norm")
	}
	return y.Add(x).ReLU()
}

// preActResNet18 is the network of METHOD.md 1.2: a 3x3 convolution, eight residual blocks with
// batch normalisation and ReLU before every convolution, a global average pool and a dense layer;
// nothing normalises the last block's output. The published pool of 8x8 pixels is the global one
// for images of 64 pixels.
func preActResNet18(b *Builder) Value {
	stem := Convolution{Name: "stem/conv", Channels: b.Width(), NoBias: true, Start: Uniform}
	return b.residual(b.Image().Convolve(stem), preActBlock)
}

// preActBlock is a block with its activations before the convolutions; the shortcut's convolution
// sees the activation.
func preActBlock(x Value, name string, channels, stride int) Value {
	convolve := func(x Value, part string, kernel, stride int) Value {
		return x.Convolve(Convolution{Name: name + part, Channels: channels, Kernel: kernel,
			Stride: stride, NoBias: true, Start: Uniform})
	}
	activation := x.normalise(name + "norm1").ReLU()
	y := convolve(activation, "conv1", 3, stride).normalise(name + "norm2").ReLU()
	y = convolve(y, "conv2", 3, 1)
	if stride > 1 {
		x = convolve(activation, "shortcut", 1, stride)
	}
	return y.Add(x)
}

// poolStem takes the largest value of every three by three pixels, two pixels apart, of images that
// aren't negative and that zeros surround: the largest in windows of two by two pixels that are
// shifted by one or not, each way. A smooth pass takes the mean of windows that aren't shifted.
func (p *pass) poolStem(x *Node) *Node {
	zero := ScalarZero(p.graph, x.DType())
	height, width := x.Shape().Dim(1), x.Shape().Dim(2)
	shifted := func(down, across int) *Node {
		return p.halve(Pad(x, zero, PadAxis{}, PadAxis{Start: down, End: height % 2},
			PadAxis{Start: across, End: width % 2}, PadAxis{}))
	}
	if p.smooth {
		return shifted(0, 0)
	}
	return Max(Max(shifted(0, 0), shifted(0, 1)), Max(shifted(1, 0), shifted(1, 1)))
}
