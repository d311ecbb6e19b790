package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// pass is one forward pass under construction: it gives each layer its parameters and its draw of the latents.
type pass struct {
	graph     *Graph
	store     *model.Store
	mode      Mode
	samples   int                        // rows that an image becomes; 0 if every image is a row already
	precision Precision                  // of convolutions and of what is between layers
	training  bool                       // batch normalisation uses the batch's statistics, and updates the running ones
	observe   func(name string, x *Node) // is shown the outputs of layers and normalisations; nil for nobody
	fixed     Latents                    // "" draws the latents
	epsilon   map[string]*Node           // standard normal draws of each layer, [rows, D], or its dropout mask
}

// convolve applies one noisy convolution of the network.
func (p *pass) convolve(x *Node, l layer) *Node {
	h, s := p.convolveApart(x, l)
	return asType(scaleChannels(h, s), h.DType())
}

// convolveApart applies one noisy convolution of the network but for the output latents s [rows, out], nil where there are
// none: the result of the layer is h s. In the first layer, whose input is still one image for all its samples, h needs each
// image only once.
func (p *pass) convolveApart(x *Node, l layer) (h, s *Node) {
	z, s := p.latents(l)
	x, weights, bias := p.precision.of(x), p.value(weightPath(l)), p.bias(l)
	repeat := l.first && p.samples > 1
	if repeat && z != nil {
		x, repeat = operation.RepeatRows(x, p.samples), false
	}
	h = noisyConvolution(x, weights, bias, z, nil, l.stride, l.padding)
	if repeat {
		h = operation.RepeatRows(h, p.samples)
	}
	if p.observe != nil {
		p.observe(l.name, scaleChannels(h, s))
	}
	return h, s
}

// dense applies one noisy dense layer, in float32 whatever the convolutions compute in.
func (p *pass) dense(x *Node, l layer) *Node {
	z, s := p.latents(l)
	return p.show(l.name, noisyDense(asType(x, computeType), p.value(weightPath(l)), p.bias(l), z, s))
}

// latents draws the layer's input latents z [rows, in] and output latents s [rows, out]; nil stands for ones. A network
// without latents may have dropout instead, whose mask multiplies the input.
func (p *pass) latents(l layer) (z, s *Node) {
	if p.mode == Deterministic {
		return p.epsilon[l.name], nil
	}
	switch p.fixed {
	case OneLatents:
		return nil, nil
	case MeanLatents:
		return splitLatents(ReduceAndKeep(p.value(meanPath(l)), ReduceMean, 0), p.mode, l.in) // [1, D]
	}
	draw := SampleLatents(p.value(meanPath(l)), p.value(rhoPath(l)), p.epsilon[l.name])
	return splitLatents(draw, p.mode, l.in)
}

// normalise applies a batch normalisation to h s; s may be nil.
func (p *pass) normalise(h, s *Node, n normalisation) *Node {
	return p.applyNormalisation(h, n, operation.Normalisation{Noise: s})
}

// normaliseRectify applies a batch normalisation to h s, adds a residual and replaces negative results by zero; s and the
// residual may be nil.
func (p *pass) normaliseRectify(h, s *Node, n normalisation, residual *Node) *Node {
	return p.applyNormalisation(h, n, operation.Normalisation{Noise: s, Residual: residual, Rectify: true})
}

// applyNormalisation computes in the type of its parameters and returns the type of h.
func (p *pass) applyNormalisation(h *Node, n normalisation, o operation.Normalisation) *Node {
	compute := h.DType()
	o.Gain, o.Shift, o.Epsilon = p.value(n.scalePath()), p.value(n.shiftPath()), normalisationEpsilon
	h = asType(h, o.Gain.DType())
	if o.Residual != nil {
		o.Residual = asType(o.Residual, o.Gain.DType())
	}
	mean, variance := p.store.GetVariable(n.meanPath()), p.store.GetVariable(n.variancePath())
	if !p.training {
		return asType(o.NormaliseBy(h, mean.NodeValue(p.graph), variance.NodeValue(p.graph)), compute)
	}
	y, batchMean, batchVariance := o.NormaliseBatch(h)
	count := h.Shape().Size() / n.channels
	mean.SetNodeValue(runningMean(mean.NodeValue(p.graph), batchMean))
	variance.SetNodeValue(runningVariance(variance.NodeValue(p.graph), batchVariance, count))
	return p.show(n.name, asType(y, compute))
}

// show shows a layer's output to who observes the pass.
func (p *pass) show(name string, x *Node) *Node {
	if p.observe != nil {
		p.observe(name, x)
	}
	return x
}

// rectified ends the name of a layer's output after the ReLU that follows it.
const rectified = " rectified"

// rectify replaces the negative outputs of a layer by zero.
func (p *pass) rectify(h *Node, l layer) *Node { return p.show(l.name+rectified, relu(h)) }

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
