package network

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/stream"
)

// arguments returns those of the graph of the next step.
func (s *Stepper) arguments() []any {
	batch, counter := s.model.Settings.Training.Batch, s.counter()
	chosen, seen := s.orderIn(s.position.Epoch)[s.position.Step*batch:][:batch], s.model.view(counter)
	args := append([]any{s.pixels, s.labels, chosen, seen.down, seen.across, seen.mirror}, s.rates()...)
	args = append(args, s.model.TrainingNoise(counter)...)
	if s.options.Rule.Normals {
		args = append(args, s.normalsKey(counter))
	}
	if s.options.Rule.Inputs != nil {
		args = append(args, s.options.Rule.Inputs(s.position))
	}
	return args
}

// manyArguments returns those of the graph of the next steps: each per-step argument has an axis for the steps in front.
func (s *Stepper) manyArguments(count int) []any {
	batch, first := s.model.Settings.Training.Batch, s.counter()
	seen := view{}
	var keys, normalsKeys []uint32
	var inputs []float32
	for step := range count {
		next := s.model.view(first + step)
		seen.down = append(seen.down, next.down...)
		seen.across = append(seen.across, next.across...)
		seen.mirror = append(seen.mirror, next.mirror...)
		keys = append(keys, s.model.trainingKey(first+step)...)
		normalsKeys = append(normalsKeys, s.normalsKey(first+step)...)
		if s.options.Rule.Inputs != nil {
			inputs = append(inputs, s.options.Rule.Inputs(Position{s.position.Epoch, s.position.Step + step})...)
		}
	}
	chosen := s.orderIn(s.position.Epoch)[s.position.Step*batch:][:count*batch]
	args := []any{s.pixels, s.labels, perStep(chosen, count), perStep(seen.down, count), perStep(seen.across, count), perStep(seen.mirror, count)}
	args = append(append(args, s.rates()...), perStep(keys, count))
	if s.options.Rule.Normals {
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

// counter is the number of the next step, over all epochs.
func (s *Stepper) counter() int { return s.position.Epoch*s.steps + s.position.Step }

// normalsKey is the key of StepGraph.Normals in a step.
func (s *Stepper) normalsKey(step int) []uint32 {
	return noiseKey(stream.Words(s.model.Settings.Seed, stream.Update, uint64(step)), 0)
}

// rates are the scalars of the schedule in the current epoch.
func (s *Stepper) rates() []any {
	rates := s.options.Schedule(s.position.Epoch)
	return []any{float32(rates.Theta), float32(rates.Phi), float32(rates.Beta)}
}
