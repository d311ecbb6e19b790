package network

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/random"
)

// arguments returns the arguments of the graph of the next step.
func (s *Stepper) arguments() []any {
	batch, counter := s.model.Settings.Training.Batch, s.counter()
	chosen, seen := s.orderIn(s.position.Epoch)[s.position.Step*batch:][:batch], s.view(counter)
	args := []any{s.pixels, s.labels, chosen, seen.down, seen.across, seen.mirror}
	args = append(args, s.rates()...)
	args = append(args, s.model.TrainingNoise(counter)...)
	if s.options.Rule.Normals > 0 {
		args = append(args, s.normals(counter))
	}
	if s.options.Rule.Inputs != nil {
		args = append(args, s.options.Rule.Inputs(s.position))
	}
	return args
}

// manyArguments returns the arguments of the graph of the next steps: each per-step argument has an
// axis for the steps in front.
func (s *Stepper) manyArguments(count int) []any {
	batch, first := s.model.Settings.Training.Batch, s.counter()
	seen := view{}
	var keys, normalsKeys []uint32
	var inputs []float32
	for step := range count {
		next := s.view(first + step)
		seen.down = append(seen.down, next.down...)
		seen.across = append(seen.across, next.across...)
		seen.mirror = append(seen.mirror, next.mirror...)
		keys = append(keys, s.model.trainingKey(first+step)...)
		normalsKeys = append(normalsKeys, s.normalsKey(first+step)...)
		if s.options.Rule.Inputs != nil {
			position := Position{s.position.Epoch, s.position.Step + step}
			inputs = append(inputs, s.options.Rule.Inputs(position)...)
		}
	}
	chosen := s.orderIn(s.position.Epoch)[s.position.Step*batch:][:count*batch]
	args := []any{
		s.pixels, s.labels, perStep(chosen, count),
		perStep(seen.down, count), perStep(seen.across, count), perStep(seen.mirror, count),
	}
	args = append(append(args, s.rates()...), perStep(keys, count))
	if s.options.Rule.Normals > 0 {
		args = append(args, perStep(normalsKeys, count))
	}
	if s.options.Rule.Inputs != nil {
		args = append(args, perStep(inputs, count))
	}
	return args
}

// perStep returns values as a tensor with a row for each step.
func perStep[T int32 | uint32 | float32](values []T, steps int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(values, steps, len(values)/steps)
}

// counter returns the number of the next step, over all epochs.
func (s *Stepper) counter() int { return s.position.Epoch*s.steps + s.position.Step }

// normals returns the numbers of StepGraph.Normals in a step, [draws, values of theta], or on a
// device their key.
func (s *Stepper) normals(step int) any {
	if s.model.deviceNoise {
		return s.normalsKey(step)
	}
	draws, size := s.options.Rule.Normals, s.model.architecture.Parameters()
	values := make([]float32, draws*size)
	chunks := (len(values) + normalsChunk - 1) / normalsChunk
	eachInParallel(chunks, func(chunk int) {
		rng := random.New(s.model.Settings.Seed, random.Update, uint64(step), uint64(chunk))
		fillNormals(values[chunk*normalsChunk:min(len(values), (chunk+1)*normalsChunk)], rng)
	})
	return tensors.FromFlatDataAndDimensions(values, draws, size)
}

// normalsChunk is how many normal numbers of an update rule have a generator of their own. Results
// depend on it.
const normalsChunk = 1 << 16

// normalsKey returns the key of StepGraph.Normals in a step.
func (s *Stepper) normalsKey(step int) []uint32 {
	return noiseKey(random.Words(s.model.Settings.Seed, random.Update, uint64(step)), 0)
}

// rates returns the scalars of the schedule in the current epoch.
func (s *Stepper) rates() []any {
	theta, phi, beta := s.options.Schedule(s.position.Epoch)
	return []any{float32(theta), float32(phi), float32(beta)}
}

// cropPadding is how many black pixels surround an image before the random crop (METHOD.md section
// 4).
const cropPadding = 4

// view says which part of each image of a batch the network sees: the crop's offset down and
// across, in pixels, and whether it's mirrored. Without augmentation the offsets are cropPadding
// and nothing is mirrored.
type view struct {
	down, across []int32 // [images], 0..2*cropPadding
	mirror       []int32 // [images], 0 or 1
}

// drawView draws one augmented view of each image.
func drawView(rng *rand.Rand, images int) view {
	v := newView(images)
	for i := range images {
		v.down[i] = rng.Int32N(2*cropPadding + 1)
		v.across[i] = rng.Int32N(2*cropPadding + 1)
		v.mirror[i] = rng.Int32N(2)
	}
	return v
}

// plainView shows every image as it is.
func plainView(images int) view {
	v := newView(images)
	for i := range images {
		v.down[i], v.across[i] = cropPadding, cropPadding
	}
	return v
}

func newView(images int) view {
	return view{make([]int32, images), make([]int32, images), make([]int32, images)}
}

// view returns how a step, counted over all epochs, sees its images.
func (s *Stepper) view(step int) view { return stepView(s.model.Settings, random.Augmentation, step) }

// stepView returns how a step sees its images, with the draws of a stream.
func stepView(s Settings, stream string, step int) view {
	if s.Training.NoAugmentation {
		return plainView(s.Training.Batch)
	}
	return drawView(random.New(s.Seed, stream, uint64(step)), s.Training.Batch)
}

// trainingImages returns the normalised images of a training step, [batch, height, width, 3].
func trainingImages(m *Model, args []*Node) *Node {
	views := operation.Views{
		Data: args[argData], Chosen: args[argChosen], Padding: cropPadding,
		Down: args[argDown], Across: args[argAcross], Mirror: args[argMirror],
	}
	return views.Normalised(m.pixelNormalisation(args[argData].Graph()))
}
