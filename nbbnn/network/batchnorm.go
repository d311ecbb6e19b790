package network

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/random"
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
	o.Gain, o.Shift, o.Epsilon = p.value(n.scalePath()), p.value(n.shiftPath()),
		normalisationEpsilon
	if !p.training || p.constant || !operation.NormalisesAnyType(p.graph) {
		h = ConvertDType(h, o.Gain.DType())
		if o.Residual != nil {
			o.Residual = ConvertDType(o.Residual, o.Gain.DType())
		}
	}
	mean, variance := p.store.GetVariable(n.meanPath()), p.store.GetVariable(n.variancePath())
	if p.constant {
		return ConvertDType(o.NormaliseConstant(h, mean.NodeValue(p.graph),
			variance.NodeValue(p.graph)), compute)
	}
	if !p.training && !p.batch {
		return ConvertDType(o.NormaliseBy(h, mean.NodeValue(p.graph), variance.NodeValue(p.graph)),
			compute)
	}
	// one row for all images, and the kernels want one for each
	if p.fixed == MeanLatents && o.Noise != nil {
		o.Noise = BroadcastToDims(o.Noise, h.Shape().Dim(0), n.channels)
	}
	y, batchMean, batchVariance := o.NormaliseBatch(h)
	if p.training && !p.frozen {
		count := h.Shape().Size() / n.channels
		p.running = append(p.running, runningStatistic{mean, batchMean, 1},
			runningStatistic{variance, batchVariance, unbiased(count)})
	}
	return p.show(n.name, ConvertDType(y, compute))
}

// runningStatistic is a running mean or variance and the batch's, towards which it moves after the
// multiplication by a factor.
type runningStatistic struct {
	variable *model.Variable
	batch    *Node
	factor   float64
}

// checkNormalised refuses a training with a batch normalisation of one value for each channel, of
// which nothing is left.
func checkNormalised(m *Model) error {
	a, training := m.Architecture, m.Settings.Training
	onePixel := slices.ContainsFunc(a.layers, func(l layer) bool {
		return l.kernel > 0 && a.positions(l, m.Height, m.Width) == 1
	})
	if !a.HasNormalisation || !onePixel || training.Batch*training.Samples > 1 ||
		m.Settings.FrozenWeights {
		return nil
	}
	return fmt.Errorf("nbbnn: batches of one image leave the batch normalisations of %s one "+
		"value for each channel "+
		"of images of %d x %d pixels: choose a batch of 2 or more, or larger images",
		m.Settings.Network.Name, m.Height, m.Width)
}

// unbiased returns the factor from the biased variance of count pixels to the running variance.
func unbiased(count int) float64 { return float64(count) / float64(max(1, count-1)) }

// moveRunning moves the running statistics of a pass towards its batch's.
func (p *pass) moveRunning() {
	var running, batch []*Node
	var factors []float64
	for _, s := range p.running {
		running = append(running, s.variable.NodeValue(p.graph))
		batch = append(batch, ConvertDType(s.batch, s.variable.DType()))
		factors = append(factors, s.factor)
	}
	for i, next := range moved(running, batch, factors, p.share) {
		p.running[i].variable.SetNodeValue(next)
	}
}

// moved returns running statistics moved towards a batch's, multiplied by their factors, by its
// share, nil for runningMomentum.
func moved(running, batch []*Node, factors []float64, share *Node) []*Node {
	if len(running) == 0 {
		return nil
	}
	if share != nil {
		return operation.Move(running, batch, factors, OneMinus(share), share)
	}
	g, numbers := running[0].Graph(), running[0].DType()
	return operation.Move(running, batch, factors,
		Scalar(g, numbers, 1-runningMomentum), Scalar(g, numbers, runningMomentum))
}

// Arguments of the graph of a renormalisation, in order. The noise of the layers follows them.
const (
	argShare      = argThetaRate // of a batch in the running statistics, a scalar
	argMasks      = argShare + 1
	renormalising = "recomputation of the running statistics"
)

// renormaliser is the type of the function that Model.Renormaliser returns.
type renormaliser = func(ctx context.Context, report func(done, total int)) error

// newRenormaliser implements Model.Renormaliser.
func newRenormaliser(m *Model, images dataset.Images) (renormaliser, error) {
	if len(m.Architecture.normalisations) == 0 {
		return func(context.Context, func(done, total int)) error { return nil }, nil
	}
	data := tensors.FromFlatDataAndDimensions(images.Pixels, images.Count(), images.Height,
		images.Width, 3)
	labels := tensors.FromFlatDataAndDimensions(images.Labels, images.Count())
	program, err := m.NewProgram(renormalising, renormalisation(m))
	if err != nil {
		return nil, err
	}
	batch := m.Settings.Training.Batch
	order := random.New(m.Settings.Seed, random.Renormalisation).Perm(images.Count())
	return func(ctx context.Context, report func(done, total int)) error {
		steps := images.Count() / batch
		for step := range steps {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			chosen := make([]int32, batch)
			for i, image := range order[step*batch:][:batch] {
				chosen[i] = int32(image)
			}
			seen := stepView(m.Settings, random.Renormalisation, step)
			b := trainingBatch{data, labels, chosen, seen}
			if m.Settings.Training.Augmentation != "" {
				b = changedBatch(images, chosen, mixedImages(images, chosen, seen,
					func(image int32) *rand.Rand {
						return random.New(m.Settings.Seed, random.Renormalisation, uint64(step),
							uint64(image))
					}))
			}
			args := []any{b.pixels, b.labels, b.chosen, b.seen.down, b.seen.across, b.seen.mirror,
				float32(1 / float64(step+1))}
			if _, err := program.Call(append(args, m.TrainingNoise(step)...)); err != nil {
				return err
			}
			if report != nil {
				report(step+1, steps)
			}
		}
		return nil
	}, nil
}

// renormalisation returns a forward pass of training that gives the batch a share of the running
// statistics. It returns the sum of the logits.
func renormalisation(m *Model) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		p := newPass(m, args[argData].Graph(), m.Settings.Training.Samples, true)
		p.share = args[argShare]
		return []*Node{ReduceAllSum(forward(m, p, trainingImages(m, args), args[argMasks:]))}
	}
}
