package network

import (
	"fmt"
	"regexp"
	"slices"
)

// Builder records the layers of a network for Define, which calls the definition several times:
// with the width of the configuration and the number of classes of the data. A definition starts
// with Image, and each method of a Value adds a layer.
type Builder struct {
	// filled settings; a definition that isn't built in sees only the width
	network Network
	classes int
	steps   []step
	names   map[string]bool // taken
	numbers map[string]int  // of layers named by their kind
}

// Value is the output of one layer of a network under construction, for all rows of a batch:
// images [rows, height, width, channels], or features [rows, features] after AveragePool or Dense.
type Value struct {
	builder *Builder
	step    int
}

// Convolution is a noisy convolution with a square kernel and zero padding: h = (W * (x z) + b) s
// of equation 1 of the paper.
type Convolution struct {
	Name      string // in files and in Layers; "" means conv1, conv2, ...
	Channels  int    // of the output; required
	Kernel    int    // side of the kernel in pixels; 0 means 3
	Stride    int    // in pixels; 0 means 1
	Padding   int    // zeros on each side; 0 means half of the kernel, which keeps the size
	NoPadding bool   // no zeros
	NoBias    bool   // no bias: for a convolution before a normalisation, which has its own
	NoLatents bool   // no latents in any mode
	Start     string // initial weights; "" means HeNormal
}

// Dense is a noisy dense layer: h = (W (x z) + b) s of equation 1 of the paper.
type Dense struct {
	Name      string // in files and in Layers; "" means dense1, dense2, ...
	Features  int    // of the output; required
	NoBias    bool   // no bias
	NoLatents bool   // no latents in any mode
	// probability of dropping an input if the network has no latents; 0 means none
	Dropout float64
	Start   string // initial weights; "" means HeNormal
}

// Distributions of a layer's initial weights.
const (
	// HeNormal is normal with variance 2/fan-in and zero bias: a narrow All-CNN-C needs it to start
	// learning (METHOD.md 4.2).
	HeNormal = ""
	HeFanOut = "fan_out" // normal with variance 2/fan-out, zero bias
	Uniform  = "uniform" // uniform within 1/sqrt(fan-in), the bias too
)

// starts are the distributions in the order in which fingerprints count them.
var starts = []string{Uniform, HeFanOut, HeNormal}

// Width returns the number of channels that the configuration gives the first layers.
func (b *Builder) Width() int { return b.network.Width }

// Classes returns the number of classes of the data: the features of the last layer.
func (b *Builder) Classes() int { return b.classes }

// Image returns the normalised images, [rows, height, width, 3].
func (b *Builder) Image() Value { return b.add(step{kind: imageStep, channels: 3, perImage: true}) }

// Convolve adds a convolution. A side of n pixels becomes (n + 2 Padding - Kernel) / Stride + 1.
func (v Value) Convolve(c Convolution) Value {
	in := v.images("a convolution")
	if c.Kernel == 0 {
		c.Kernel = 3
	}
	if c.Stride == 0 {
		c.Stride = 1
	}
	if c.Padding == 0 && !c.NoPadding {
		c.Padding = c.Kernel / 2
	}
	name := v.builder.name(c.Name, "conv")
	require(c.Channels >= 1, "%s has %d channels: give 1 or more", name, c.Channels)
	require(c.Kernel >= 1, "%s has a kernel of %d pixels: give 1 or more, or 0 for 3", name,
		c.Kernel)
	require(c.Stride >= 1, "%s has stride %d: give 1 or more", name, c.Stride)
	checkStart(name, c.Start)
	require(c.Padding >= 0 && c.Padding < c.Kernel,
		"%s has a padding of %d pixels: give 0 to %d", name, c.Padding, c.Kernel-1)
	return v.builder.add(step{kind: convolutionStep, inputs: []int{v.step},
		channels: c.Channels, layer: layer{
			name: name, kernel: c.Kernel, in: in.channels, out: c.Channels,
			stride: c.Stride, padding: c.Padding,
			bias: !c.NoBias, first: in.perImage, start: c.Start, certain: c.NoLatents,
		}})
}

// Dense adds a dense layer. Its input is features, or images of a single pixel.
func (v Value) Dense(d Dense) Value {
	in, name := v.of(), v.builder.name(d.Name, "dense")
	checkStart(name, d.Start)
	require(d.Features >= 1, "%s has %d features: give 1 or more", name, d.Features)
	require(d.Dropout >= 0 && d.Dropout < 1, "%s has dropout %g: give a number from 0 to below 1",
		name, d.Dropout)
	return v.builder.add(step{kind: denseStep, inputs: []int{v.step},
		channels: d.Features, flat: true, layer: layer{
			name: name, in: in.channels, out: d.Features, bias: !d.NoBias,
			start: d.Start, dropout: d.Dropout, certain: d.NoLatents,
		}})
}

// Normalise adds a batch normalisation over the channels of images (METHOD.md 1.2).
func (v Value) Normalise() Value { return v.normalise("") }

func (v Value) normalise(name string) Value {
	in := v.images("a batch normalisation")
	name = v.builder.name(name, "norm")
	return v.builder.add(step{kind: normaliseStep, inputs: []int{v.step},
		channels: in.channels, perImage: in.perImage,
		normalisation: normalisation{name, in.channels}})
}

// ReLU replaces negative values by zero.
func (v Value) ReLU() Value {
	in := v.of()
	return v.builder.add(step{kind: rectifyStep, inputs: []int{v.step}, channels: in.channels,
		flat: in.flat, perImage: in.perImage})
}

// MaxPool takes the largest value of every two by two pixels. It drops the last row or column of an
// odd side.
func (v Value) MaxPool() Value { return v.pool(maxPoolStep) }

// pool adds a pool over pixels near each other.
func (v Value) pool(kind stepKind) Value {
	in := v.images("a " + string(kind))
	return v.builder.add(step{kind: kind, inputs: []int{v.step}, channels: in.channels,
		perImage: in.perImage})
}

// AveragePool returns the mean over all pixels, [rows, channels].
func (v Value) AveragePool() Value {
	in := v.images("an average pool")
	return v.builder.add(step{kind: averagePoolStep, inputs: []int{v.step}, channels: in.channels,
		flat: true, perImage: in.perImage})
}

// Add returns the sum with another value of the same shape, for a residual connection.
func (v Value) Add(other Value) Value {
	require(other.builder == v.builder, "a sum takes values of two networks: use values of one "+
		"Builder")
	a, b := v.of(), other.of()
	require(a.channels == b.channels && a.flat == b.flat,
		"a sum takes %s and %s: make the shapes equal, for example with a convolution of kernel 1",
		a, b)
	return v.builder.add(step{kind: addStep, inputs: []int{v.step, other.step},
		channels: a.channels, flat: a.flat,
		perImage: a.perImage && b.perImage})
}

// of returns the step that computes the value.
func (v Value) of() step {
	require(v.builder != nil, "a layer's input is the zero Value: start with Builder.Image")
	return v.builder.steps[v.step]
}

// images returns the step of a value that must be images.
func (v Value) images(what string) step {
	in := v.of()
	require(!in.flat, "%s takes images, and its input is %s: add it before AveragePool and Dense",
		what, in)
	return in
}

func (b *Builder) add(s step) Value {
	b.steps = append(b.steps, s)
	return Value{b, len(b.steps) - 1}
}

// layerName is the form of the names of layers, which are part of the names of tensors.
var layerName = regexp.MustCompile(`^[a-z0-9_]+(/[a-z0-9_]+)*$`)

// name returns a layer's name, or a numbered one of its kind for "".
func (b *Builder) name(name, kind string) string {
	if name == "" {
		b.numbers[kind]++
		name = fmt.Sprint(kind, b.numbers[kind])
	}
	require(layerName.MatchString(name), "a layer is named %q: use lower-case letters, digits, "+
		"underscores and slashes between them",
		name)
	require(!b.names[name], "two layers are named %q: choose another name", name)
	b.names[name] = true
	return name
}

func checkStart(name, start string) {
	require(slices.Contains(starts, start), "%s has the unknown start %q: choose HeNormal, "+
		"HeFanOut or Uniform", name, start)
}

// mistake is the panic of a definition that can't be built. Define and Validate return it as an
// error.
type mistake struct{ text string }

func require(ok bool, format string, values ...any) {
	if !ok {
		panic(mistake{fmt.Sprintf(format, values...)})
	}
}
