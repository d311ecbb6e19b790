package network

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Layout is how an exported file names and orders its tensors; docs/method.md states both.
type Layout string

// The layouts. The published code keeps its weights in the state dictionary of PyTorch: kernels are
// [out, in, kernel, kernel], matrices [out, in], and the posterior of a convolution [K, D, 1, 1].
// Its names are listed in docs/method.md.
const (
	// WorkbenchLayout has the names of a checkpoint, theta.conv1.weights for example, and kernels
	// [kernel, kernel, in, out].
	WorkbenchLayout Layout = "workbench"
	// ReferenceLayout is the state dictionary of the published code, with kernels [out, in,
	// kernel, kernel].
	ReferenceLayout Layout = "reference"
)

// Check returns an error if the layout is unknown or can't hold the network.
func (l Layout) Check(network Network) error {
	if l == ReferenceLayout && network.Latents != "" {
		return fmt.Errorf("network: the published code has latents in all layers, not only in %s: "+
			"choose the layout %s",
			network.Latents, WorkbenchLayout)
	}
	if d := definitionOf(network.Name); l == ReferenceLayout && (d.own || d.build == nil) {
		return fmt.Errorf("network: the published code has no %s: choose the layout %s",
			network.Name, WorkbenchLayout)
	}
	return check.Known("layout", l, WorkbenchLayout, ReferenceLayout)
}

// Export returns the weights, the posterior and the statistics of batch normalisation in the
// layout, from the variables of a network with filled settings. The error names a variable that is
// missing.
func (l Layout) Export(settings Settings, variables []Tensor) (exported []Tensor, err error) {
	values := byPath(variables)
	network, mode := settings.Network, settings.Posterior.Mode
	for _, entry := range referenceEntries(network.Name, network.Architecture(1), mode) {
		tensor, ok := values[entry.path]
		if !ok {
			return nil, fmt.Errorf("has no %s", entry.path)
		}
		if l == ReferenceLayout {
			tensor = entry.toTheirs(tensor)
		}
		exported = append(exported, tensor)
	}
	if l == ReferenceLayout {
		exported = append(exported, referencePriors(settings)...)
	}
	return exported, nil
}

// referenceEntry pairs one of our variables with a tensor of the published code.
type referenceEntry struct {
	path string // of our variable
	name string // of their tensor
	// the axis of ours that each axis of theirs is; nil if the values have the same order
	axes []int
	tail int // axes of length one at the end of theirs
}

// priorMean is the mean of the prior of every latent.
const priorMean = 1.0

// Axes of kernels [kernel, kernel, in, out] and matrices [in, out] in the order of PyTorch.
var (
	kernelAxes = []int{3, 2, 0, 1}
	matrixAxes = []int{1, 0}
)

// referencePosterior is in the names of the published code's tensors of the latents.
const referencePosterior = "posterior_U"

// InPosterior reports whether a tensor with this name in the layout belongs to the posterior.
func (l Layout) InPosterior(name string) bool {
	if l == ReferenceLayout {
		return strings.Contains(name, referencePosterior)
	}
	return strings.HasPrefix(name, phiPrefix)
}

// referenceEntries lists the variables of a network with their names in the published code.
func referenceEntries(name string, a Architecture, mode Mode) (entries []referenceEntry) {
	if a.graph != nil {
		return a.graph.entries(a, mode)
	}
	for index, l := range a.layers {
		theirs := referenceLayer(name, l, index)
		axes, tail := matrixAxes, 0
		if l.kernel > 0 {
			axes, tail = kernelAxes, 2
		}
		weights := referenceEntry{path: weightPath(l), name: theirs + ".weight", axes: axes}
		entries = append(entries, weights)
		if l.bias {
			entries = append(entries, referenceEntry{path: biasPath(l), name: theirs + ".bias"})
		}
		if mode != Deterministic && !l.certain {
			entries = append(entries,
				referenceEntry{path: meanPath(l), name: theirs + "." + referencePosterior + "_mean",
					tail: tail},
				referenceEntry{path: rhoPath(l), name: theirs + "." + referencePosterior + "_std",
					tail: tail})
		}
	}
	for _, n := range a.normalisations {
		theirs := referenceResidual(n.name)
		entries = append(entries,
			referenceEntry{path: n.scalePath(), name: theirs + ".weight"},
			referenceEntry{path: n.shiftPath(), name: theirs + ".bias"},
			referenceEntry{path: n.meanPath(), name: theirs + ".running_mean"},
			referenceEntry{path: n.variancePath(), name: theirs + ".running_var"})
	}
	return entries
}

// vgg16Features are the indices of the convolutions among the modules of the published VGG16, with
// ReLU and pools.
var vgg16Features = []int{0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28}

// referenceLayer returns the name of a layer in the published code.
func referenceLayer(network string, l layer, index int) string {
	switch {
	case network == "vgg16" && index < len(vgg16Features):
		return fmt.Sprintf("features.%d", vgg16Features[index])
	case network == "vgg16":
		return fmt.Sprintf("classifier.%d", 2*(index-len(vgg16Features)))
	case (network == "resnet18" || network == imageNetResNet18) && l.name == "dense":
		return "fc"
	case network == "preactresnet18" && l.name == "dense":
		return "linear"
	case network == "preactresnet18":
		return strings.Replace(referenceResidual(l.name), "downsample.0", "shortcut.0", 1)
	case network == "resnet18", network == imageNetResNet18:
		return referenceResidual(l.name)
	}
	return l.name
}

// referenceResidual renames a part of a residual network: stage2/block1/conv1 is layer2.0.conv1.
var referenceResidual = strings.NewReplacer(strings.Fields(`
	stem/conv conv1  stem/norm bn1  stage layer  block1 0  block2 1  / .
	shortcut_norm downsample.1  shortcut downsample.0  norm bn
`)...).Replace

// referencePriors returns the mean and the standard deviation of the prior, which the published
// code keeps with every layer.
func referencePriors(settings Settings) (priors []Tensor) {
	if settings.Posterior.Mode == Deterministic {
		return nil
	}
	for index, l := range settings.Network.Architecture(1).layers {
		theirs := referenceLayer(settings.Network.Name, l, index)
		priors = append(priors,
			safetensors.FromFloats(theirs+".prior_mean", []float32{priorMean}),
			safetensors.FromFloats(theirs+".prior_std",
				[]float32{float32(settings.Posterior.PriorStd)}))
	}
	return priors
}

// theirShape returns the shape that their tensor has for a variable of ours.
func (e referenceEntry) theirShape(ours []int) []int {
	shape := append([]int{}, ours...)
	for axis, from := range e.axes {
		shape[axis] = ours[from]
	}
	for range e.tail {
		shape = append(shape, 1)
	}
	return shape
}

// toTheirs returns one of our variables as their tensor.
func (e referenceEntry) toTheirs(ours Tensor) Tensor {
	theirs := Tensor{Name: e.name, DType: ours.DType, Shape: e.theirShape(ours.Shape),
		Data: ours.Data}
	if e.axes != nil {
		theirs.Data = transposed(ours, ours.Shape, e.axes)
	}
	return theirs
}

// fromTheirs returns the values of their tensor for a variable of ours with the given shape.
func (e referenceEntry) fromTheirs(theirs Tensor, shape []int) []byte {
	if e.axes == nil {
		return theirs.Data
	}
	back := make([]int, len(e.axes))
	for axis, from := range e.axes {
		back[from] = axis
	}
	return transposed(theirs, e.theirShape(shape), back)
}

// transposed returns the data of an array of a shape with its axes in another order.
func transposed(array Tensor, shape, axes []int) []byte {
	return safetensors.FromFloats(array.Name, npy.Transpose(array.Floats(), shape, axes)).Data
}
