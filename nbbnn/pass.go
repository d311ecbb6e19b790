package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// pass is one forward pass under construction: it gives each layer its parameters and its draw of the latents.
type pass struct {
	graph    *Graph
	store    *model.Store
	mode     Mode
	samples  int              // rows that an image becomes; 0 if every image is a row already
	training bool             // batch normalisation uses the batch's statistics, and updates the running ones
	epsilon  map[string]*Node // standard normal draws of each layer, [rows, D], or its dropout mask
}

// convolve applies one noisy convolution of the network. In the first one, whose input is still one image for all its samples,
// output latents need each image only once.
func (p *pass) convolve(x *Node, l layer) *Node {
	z, s := p.latents(l)
	weights, bias := p.value(weightPath(l)), p.bias(l)
	if !l.first || p.samples <= 1 {
		return noisyConvolution(x, weights, bias, z, s, l.stride, l.padding)
	}
	if z != nil {
		return noisyConvolution(repeatImages(x, p.samples), weights, bias, z, s, l.stride, l.padding)
	}
	h := noisyConvolution(x, weights, bias, nil, nil, l.stride, l.padding)
	return scaleChannels(repeatImages(h, p.samples), s)
}

// dense applies one noisy dense layer.
func (p *pass) dense(x *Node, l layer) *Node {
	z, s := p.latents(l)
	return noisyDense(x, p.value(weightPath(l)), p.bias(l), z, s)
}

// latents draws the layer's input latents z [rows, in] and output latents s [rows, out]; nil stands for ones. A network
// without latents may have dropout instead, whose mask multiplies the input.
func (p *pass) latents(l layer) (z, s *Node) {
	if p.mode == Deterministic {
		return p.epsilon[l.name], nil
	}
	draw := SampleLatents(p.value(meanPath(l)), p.value(rhoPath(l)), p.epsilon[l.name])
	return splitLatents(draw, p.mode, l.in)
}

// normalise applies a batch normalisation.
func (p *pass) normalise(x *Node, n normalisation) *Node {
	scale, shift := p.value(n.scalePath()), p.value(n.shiftPath())
	mean, variance := p.store.GetVariable(n.meanPath()), p.store.GetVariable(n.variancePath())
	if !p.training {
		return normaliseWith(x, scale, shift, mean.NodeValue(p.graph), variance.NodeValue(p.graph))
	}
	y, batchMean, batchVariance := batchNormalise(x, scale, shift)
	count := x.Shape().Size() / n.channels
	mean.SetNodeValue(runningMean(mean.NodeValue(p.graph), batchMean))
	variance.SetNodeValue(runningVariance(variance.NodeValue(p.graph), batchVariance, count))
	return y
}

func (p *pass) bias(l layer) *Node {
	if !l.bias {
		return nil
	}
	return p.value(biasPath(l))
}

func (p *pass) value(path string) *Node { return p.store.GetVariable(path).NodeValue(p.graph) }

// Variables are named by their group: theta is deterministic, phi the posterior; the running statistics of batch
// normalisation belong to neither.
const (
	thetaScope    = "/theta/"
	phiScope      = "/phi/"
	runningScope  = "/running/"
	momentumScope = "/momentum/"
)

func weightPath(l layer) string { return thetaScope + l.name + "/weights" }
func biasPath(l layer) string   { return thetaScope + l.name + "/bias" }
func meanPath(l layer) string   { return phiScope + l.name + "/mean" }
func rhoPath(l layer) string    { return phiScope + l.name + "/rho" }

func (n normalisation) scalePath() string    { return thetaScope + n.name + "/scale" }
func (n normalisation) shiftPath() string    { return thetaScope + n.name + "/shift" }
func (n normalisation) meanPath() string     { return runningScope + n.name + "/mean" }
func (n normalisation) variancePath() string { return runningScope + n.name + "/variance" }
