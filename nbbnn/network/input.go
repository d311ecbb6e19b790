package network

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/random"
)

// arguments returns the arguments of the graph of the next step.
func (s *Stepper) arguments() []any {
	counter, b := s.counter(), s.batch(1)
	args := []any{b.pixels, b.labels, b.chosen, b.seen.down, b.seen.across, b.seen.mirror}
	args = append(args, s.rates()...)
	args = append(args, s.noise.take(counter)...)
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
	first, b := s.counter(), s.batch(count)
	var keys, normalsKeys []uint32
	var inputs []float32
	for step := range count {
		keys = append(keys, s.model.trainingKey(first+step)...)
		normalsKeys = append(normalsKeys, s.normalsKey(first+step)...)
		if s.options.Rule.Inputs != nil {
			position := Position{s.position.Epoch, s.position.Step + step}
			inputs = append(inputs, s.options.Rule.Inputs(position)...)
		}
	}
	args := []any{
		b.pixels, b.labels, perStep(b.chosen, count),
		perStep(b.seen.down, count), perStep(b.seen.across, count), perStep(b.seen.mirror, count),
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
	if s.drawn == nil {
		s.drawn = s.model.keptTensor(shapes.Make(dtypes.Float32, s.options.Rule.Normals, s.model.architecture.Parameters()))
	}
	tensors.MustMutableFlatData(s.drawn, func(values []float32) {
		chunks := (len(values) + normalsChunk - 1) / normalsChunk
		parallel.OnCores(chunks, func(chunk int) {
			rng := random.New(s.model.Settings.Seed, random.Update, uint64(step), uint64(chunk))
			fillNormals(values[chunk*normalsChunk:min(len(values), (chunk+1)*normalsChunk)], rng)
		})
	})
	return s.drawn
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
	theta, phi, beta := s.Rates(s.position.Epoch)
	return []any{float32(theta), float32(phi), float32(beta)}
}

// trainingImages returns the normalised images of a training step, [batch, height, width, 3].
func trainingImages(m *Model, args []*Node) *Node {
	views := operation.Views{
		Data: args[argData], Chosen: args[argChosen], Padding: cropPadding,
		Down: args[argDown], Across: args[argAcross], Mirror: args[argMirror],
	}
	return views.Normalised(m.pixelNormalisation(args[argData].Graph()))
}
