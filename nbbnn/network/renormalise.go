package network

import (
	"context"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/random"
)

// Arguments of the graph of a renormalisation, in order. The noise of the layers follows them.
const (
	argShare      = argThetaRate // of a batch in the running statistics, a scalar
	argMasks      = argShare + 1
	renormalising = "recomputation of the running statistics"
)

// renormaliser is the type of the function that Model.Renormaliser returns.
type renormaliser = func(ctx context.Context, report func(done, total int)) error

// newRenormaliser is Model.Renormaliser.
func newRenormaliser(m *Model, images dataset.Images) (renormaliser, error) {
	if len(m.architecture.normalisations) == 0 {
		return func(context.Context, func(done, total int)) error { return nil }, nil
	}
	data := tensors.FromFlatDataAndDimensions(images.Pixels, images.Count(), images.Height, images.Width, 3)
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
				b = changedBatch(images, chosen, mixedImages(images, chosen, seen, func(image int32) *rand.Rand {
					return random.New(m.Settings.Seed, random.Renormalisation, uint64(step), uint64(image))
				}))
			}
			args := []any{b.pixels, b.labels, b.chosen, b.seen.down, b.seen.across, b.seen.mirror, float32(1 / float64(step+1))}
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
