package nbbnn

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// computeType is the type that networks compute in.
const computeType = dtypes.Float32

// architecture is what a network is made of: its stochastic layers, in order, and its forward pass from images
// [rows, height, width, 3] to logits [rows, classes].
type architecture struct {
	layers       []layer
	smallestSide int // of an image that the network can take
	forward      func(p *pass, x *Node) *Node
}

// newArchitecture builds the architecture that the configuration names.
func newArchitecture(config Network, classes int) architecture {
	return allCNNC(config.Width, classes, config.Form)
}

// parameters is the number of deterministic parameters.
func (a architecture) parameters() (count int) {
	for _, l := range a.layers {
		count += l.parameters()
	}
	return count
}

// multiplications is the number of multiply-adds of one forward pass of one image with the given side.
func (a architecture) multiplications(side int) (count int) {
	for _, l := range a.layers {
		side = (side+2*l.padding-l.kernel)/l.stride + 1
		count += side * side * l.fanIn() * l.out
	}
	return count
}

// MultiplyAdds is the number of multiplications and additions of one forward pass of one image, 32 by 32 pixels of ten
// classes, in the layers with weights.
func (c Config) MultiplyAdds() int {
	return newArchitecture(c.WithDefaults().Network, 10).multiplications(32)
}

// pass is one forward pass under construction: it gives each layer its parameters and its draw of the latents.
type pass struct {
	graph   *Graph
	store   *model.Store
	mode    Mode
	epsilon map[string]*Node // standard normal draws of each layer, [rows, D]
}

// convolve applies one noisy convolution of the network.
func (p *pass) convolve(x *Node, l layer) *Node {
	z, s := splitLatents(p.sample(l), p.mode, l.in)
	var bias *Node
	if l.bias {
		bias = p.value(biasPath(l))
	}
	return noisyConvolution(x, p.value(weightPath(l)), bias, z, s, l.stride, l.padding)
}

// sample draws the layer's latents, [rows, D].
func (p *pass) sample(l layer) *Node {
	return SampleLatents(p.value(meanPath(l)), p.value(rhoPath(l)), p.epsilon[l.name])
}

func (p *pass) value(path string) *Node { return p.store.GetVariable(path).NodeValue(p.graph) }

// Variables are named by their group: theta is deterministic, phi the posterior.
const (
	thetaScope    = "/theta/"
	phiScope      = "/phi/"
	momentumScope = "/momentum/"
)

func weightPath(l layer) string { return thetaScope + l.name + "/weights" }
func biasPath(l layer) string   { return thetaScope + l.name + "/bias" }
func meanPath(l layer) string   { return phiScope + l.name + "/mean" }
func rhoPath(l layer) string    { return phiScope + l.name + "/rho" }
