package network

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// pass is one forward pass under construction: it gives each layer its parameters and its draw of
// the latents.
type pass struct {
	graph     *Graph
	store     *model.Store
	values    map[string]*Node // parameters that differ from the store's, by path; may be nil
	mode      Mode
	sign      bool   // the noise keeps only the sign of its draws
	samples   int    // rows of an image; 0 if every image is a row already
	precision string // of convolutions and of the values between layers
	double    bool   // parameters and all other values are float64
	smooth    bool   // see StepGraph.Smooth
	// batch normalisation uses the batch's statistics and moves the running ones
	training bool
	batch    bool // batch normalisation uses the batch's statistics in a prediction
	frozen   bool // a training pass that leaves the running statistics unchanged
	constant bool // weights and running statistics have no gradients, and normalise
	// of the batch in the running statistics; nil means runningMomentum
	share *Node
	fixed Latents          // "" draws the latents
	scale *float64         // of the latents' standard deviations; nil means 1
	noise map[string]*Node // latents of each layer, [rows, D], or its dropout mask
	// of the posterior of all layers, [K, sum of D], once they're needed
	mean, rho *Node
	running   []runningStatistic // that moveRunning moves at the end of the pass

	// observe receives the outputs of layers and normalisations; it may be nil.
	observe func(name string, x *Node)
}

// newPass returns a forward pass that has no noise yet.
func newPass(m *Model, g *Graph, samples int, training bool) *pass {
	p := &pass{
		graph: g, store: m.store, mode: m.Settings.Posterior.Mode, samples: samples,
		sign:      m.Settings.Posterior.Law == signLaw,
		precision: m.Settings.Network.Precision, training: training, observe: m.Observe,
	}
	if !training {
		p.fixed, p.scale, p.batch = m.fixed, m.scale, m.batchImages > 0
	}
	return p
}

// forward gives a pass its draws and runs it, from images [batch, height, width, 3] to logits
// [batch*samples, classes].
func forward(m *Model, p *pass, images *Node, noise []*Node) *Node {
	p.sample(m.drawnLayers(p.training), m.layerDraws(noise, images.Shape().Dim(0), p.samples,
		p.training))
	return p.logits(m.Architecture, images)
}

// sample gives the pass its draws for layers: the standard normal epsilon of each, [rows, D], or in
// a network without latents its dropout mask. One operation samples the latents of all layers,
// since even a small node costs time.
func (p *pass) sample(layers []layer, draws []*Node) {
	p.noise = map[string]*Node{}
	if len(layers) == 0 {
		return
	}
	own := make([]*Node, len(draws))
	for i, draw := range draws {
		own[i] = ConvertDType(draw, p.numbers())
		if p.sign {
			own[i] = Sign(own[i])
		}
		if p.scale != nil {
			own[i] = MulScalar(own[i], *p.scale)
		}
	}
	if p.mode != Deterministic {
		mean, rho := p.posterior(layers)
		own = operation.SampleLatents(mean, rho, own)
	}
	for i, l := range layers {
		p.noise[l.name] = own[i]
	}
}

// posterior returns the means and rho of the network's layers next to each other, [K, sum of D].
// Sampling and objective share them, so every call has the same layers.
func (p *pass) posterior(layers []layer) (mean, rho *Node) {
	if p.mean == nil {
		var means, rhos []*Node
		for _, l := range layers {
			means, rhos = append(means, p.value(meanPath(l))), append(rhos, p.value(rhoPath(l)))
		}
		p.mean, p.rho = operation.Join(means), operation.Join(rhos)
	}
	return p.mean, p.rho
}

// logits runs the pass of a network, which moves its running statistics.
func (p *pass) logits(a Architecture, images *Node) *Node {
	logits := a.forward(p, images)
	p.moveRunning()
	return logits
}

// convolveApart applies one noisy convolution without its output latents s [rows, out], nil if
// there are none: the result of the layer is h s. In the first layer, whose input is still one
// image for all its samples, h needs each image only once.
func (p *pass) convolveApart(x *Node, l layer) (h, s *Node) {
	z, s := p.latents(l)
	x, weights, bias := p.compute(x), p.value(weightPath(l)), p.bias(l)
	repeat := l.first && p.samples > 1
	if repeat && z != nil {
		x, repeat = operation.RepeatRows(x, p.samples), false
	}
	h = noisyConvolution(x, weights, bias, z, l.stride, l.padding)
	if repeat {
		h = operation.RepeatRows(h, p.samples)
	}
	if p.observe != nil {
		p.observe(l.name, scaleChannels(h, s))
	}
	return h, s
}

// dense applies one noisy dense layer, always in float32.
func (p *pass) dense(x *Node, l layer) *Node {
	z, s := p.latents(l)
	return p.show(l.name, noisyDense(ConvertDType(x, p.numbers()), p.value(weightPath(l)),
		p.bias(l), z, s))
}

// latents returns the layer's input latents z [rows, in] and output latents s [rows, out]; nil
// means ones. A network without latents may have dropout instead, whose mask multiplies the input.
func (p *pass) latents(l layer) (z, s *Node) {
	if p.mode == Deterministic {
		return p.noise[l.name], nil
	}
	switch {
	case l.certain || p.fixed == OneLatents:
		return nil, nil
	case p.fixed == MeanLatents:
		// [1, D]
		return splitLatents(ReduceAndKeep(p.value(meanPath(l)), ReduceMean, 0), p.mode, l.in)
	}
	return splitLatents(p.noise[l.name], p.mode, l.in)
}

// splitLatents splits a layer's draws [rows, D] by its inputs z [rows, in] and its outputs s [rows,
// out]; the side that the mode leaves without noise is nil.
func splitLatents(latents *Node, mode Mode, in int) (z, s *Node) {
	switch mode {
	case Input:
		return latents, nil
	case Both:
		return Slice(latents, AxisRange(), AxisRange(0, in)),
			Slice(latents, AxisRange(), AxisRange(in))
	default:
		return nil, latents
	}
}

// noisyConvolution returns W (x z) + b of equation 1 of the paper, which the output latents s
// multiply, for images x [rows, height, width, in], weights [kernel, kernel, in, out], bias [out]
// and input latents z [rows, in]. The padding is explicit on all four sides for any stride. bias
// and z may be nil. The convolution is computed in the type of x, which the result has too; the
// noise and the bias are computed in their own.
func noisyConvolution(x, weights, bias, z *Node, stride, padding int) *Node {
	compute := x.DType()
	weights, paddings := oddKernel(weights, [][2]int{{padding, padding}, {padding, padding}}, nil)
	h := Convolve(ConvertDType(scaleChannels(x, z), compute), ConvertDType(weights, compute)).
		Strides(stride).
		PaddingPerDim(paddings).
		Done() // [rows, height/stride, width/stride, out]
	if bias != nil {
		h = Add(ConvertDType(h, bias.DType()), Reshape(bias, 1, 1, 1, bias.Shape().Dim(-1)))
	}
	return ConvertDType(h, compute)
}

// oddKernel returns kernels [height, width, in, out] with zeros after an even side, and paddings
// with which they compute the same: GoMLX 0.28.16 returns a wrong gradient of the input of even
// ones.
func oddKernel(weights *Node, paddings [][2]int, dilations []int) (*Node, [][2]int) {
	pads := make([]PadAxis, 4)
	for axis := range paddings {
		if weights.Shape().Dim(axis)%2 == 1 {
			continue
		}
		pads[axis].End = 1
		paddings[axis][1]++
		if dilations != nil {
			paddings[axis][1] += dilations[axis] - 1
		}
	}
	if pads[0].End+pads[1].End == 0 {
		return weights, paddings
	}
	return Pad(weights, ScalarZero(weights.Graph(), weights.DType()), pads...), paddings
}

// noisyDense returns h = (W (x z) + b) s of equation 1 of the paper for features x [rows, in] and
// weights [in, out]. bias, z and s may be nil.
func noisyDense(x, weights, bias, z, s *Node) *Node {
	if z != nil {
		x = Mul(x, z)
	}
	h := Dot(x, weights).Product() // [rows, out]
	if bias != nil {
		h = Add(h, ExpandAxes(bias, 0))
	}
	if s != nil {
		h = Mul(h, s)
	}
	return h
}

// scaleChannels multiplies images [rows, height, width, channels] by one latent for each row and
// channel, constant over the pixels; nil latents leave the images as they are.
func scaleChannels(x, latents *Node) *Node {
	if latents == nil {
		return x
	}
	rows, channels := latents.Shape().Dim(0), latents.Shape().Dim(1)
	return Mul(ConvertDType(x, latents.DType()), Reshape(latents, rows, 1, 1, channels))
}

// rectified ends the name of a layer's output after the ReLU that follows it.
const rectified = " rectified"

// rectify replaces the negative outputs of a layer by zero.
func (p *pass) rectify(h *Node, l layer) *Node { return p.show(l.name+rectified, p.activation(h)) }

// activation returns the ReLU of x, or in a smooth pass x / (1 + exp(-x)), which is like it but has
// no kink.
func (p *pass) activation(x *Node) *Node {
	if p.smooth {
		return Mul(x, Sigmoid(x))
	}
	return relu(x)
}

// halve pools every two by two pixels to their maximum, or in a smooth pass to their mean.
func (p *pass) halve(x *Node) *Node {
	if p.smooth {
		return MeanPool(x).Window(2).NoPadding().Done()
	}
	return operation.HalveByMaximum(x)
}

// relu returns max(x, 0). Its gradient is written as one multiplication by the sign of the result,
// which the pure-Go engine computes in one pass.
func relu(x *Node) *Node {
	positive := func() *Node { return MaxScalar(x, 0) }
	masked := func() *Node { return Mul(x, StopGradient(Sign(MaxScalar(x, 0)))) }
	y, _ := InternalFusedOpCaller(positive, masked, true)
	return y
}

// show passes a layer's output to the observer of the pass.
func (p *pass) show(name string, x *Node) *Node {
	if p.observe != nil {
		p.observe(name, x)
	}
	return x
}

func (p *pass) bias(l layer) *Node {
	if !l.bias {
		return nil
	}
	return p.value(biasPath(l))
}

// value returns the value of a parameter.
func (p *pass) value(path string) *Node {
	if value := p.values[path]; value != nil {
		return value
	}
	return p.store.GetVariable(path).NodeValue(p.graph)
}

// computeType is the type in which networks compute, except for convolutions in another precision.
const computeType = dtypes.Float32

// numbers returns the type of the values of the pass, except for convolutions in another precision.
func (p *pass) numbers() dtypes.DType {
	if p.double {
		return dtypes.Float64
	}
	return computeType
}

// compute converts the input of a convolution to the precision of the pass.
func (p *pass) compute(x *Node) *Node {
	if p.precision == bfloat16 {
		return ConvertDType(x, dtypes.BFloat16)
	}
	return x
}
