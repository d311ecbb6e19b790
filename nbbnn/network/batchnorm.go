package network

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Constants of batch normalisation (METHOD.md 1.2).
const (
	normalisationEpsilon = 1e-5
	runningMomentum      = 0.1 // share of the batch in the running statistics
)

// normalise applies a batch normalisation to h s; s may be nil.
func (p *pass) normalise(h, s *Node, n normalisation) *Node {
	return p.applyNormalisation(h, n, operation.Normalisation{Noise: s})
}

// normaliseRectify applies a batch normalisation to h s, adds a residual and replaces negative
// results by zero; s and the residual may be nil.
func (p *pass) normaliseRectify(h, s *Node, n normalisation, residual *Node) *Node {
	if p.smooth {
		return p.activation(operation.AddNoisy(p.normalise(h, s, n), nil, residual))
	}
	o := operation.Normalisation{Noise: s, Residual: residual, Rectify: true}
	return p.applyNormalisation(h, n, o)
}

// applyNormalisation computes in the type of its parameters and returns the type of h.
func (p *pass) applyNormalisation(h *Node, n normalisation, o operation.Normalisation) *Node {
	compute := h.DType()
	o.Gain, o.Shift, o.Epsilon = p.value(n.scalePath()), p.value(n.shiftPath()), normalisationEpsilon
	if !p.training || p.constant || !operation.NormalisesAnyType(p.graph) {
		h = ConvertDType(h, o.Gain.DType())
		if o.Residual != nil {
			o.Residual = ConvertDType(o.Residual, o.Gain.DType())
		}
	}
	mean, variance := p.store.GetVariable(n.meanPath()), p.store.GetVariable(n.variancePath())
	if p.constant {
		return ConvertDType(o.NormaliseConstant(h, mean.NodeValue(p.graph), variance.NodeValue(p.graph)), compute)
	}
	if !p.training {
		return ConvertDType(o.NormaliseBy(h, mean.NodeValue(p.graph), variance.NodeValue(p.graph)), compute)
	}
	y, batchMean, batchVariance := o.NormaliseBatch(h)
	if !p.frozen {
		count := h.Shape().Size() / n.channels
		mean.SetNodeValue(runningMean(mean.NodeValue(p.graph), batchMean, p.share))
		variance.SetNodeValue(runningVariance(variance.NodeValue(p.graph), batchVariance, p.share, count))
	}
	return p.show(n.name, ConvertDType(y, compute))
}

// runningMean moves the running mean towards the batch's by its share, nil for runningMomentum.
func runningMean(running, batch, share *Node) *Node { return moved(running, batch, share) }

// runningVariance moves the running variance towards the batch's, made unbiased for a batch of
// count pixels.
func runningVariance(running, biased, share *Node, count int) *Node {
	return moved(running, MulScalar(biased, float64(count)/float64(max(1, count-1))), share)
}

func moved(running, batch, share *Node) *Node {
	batch = ConvertDType(batch, running.DType())
	if share != nil {
		return Add(Mul(running, OneMinus(share)), Mul(StopGradient(batch), share))
	}
	return Add(MulScalar(running, 1-runningMomentum), MulScalar(StopGradient(batch), runningMomentum))
}
