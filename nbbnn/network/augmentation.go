package network

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/augment"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/random"
)

// cropPadding is the number of black pixels around an image before the random crop (METHOD.md
// section 4).
const cropPadding = 4

// view describes the visible part of each image of a batch: the crop's offset down and across, in
// pixels, and whether it's mirrored. Without augmentation the offsets are cropPadding and nothing
// is mirrored.
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

// and returns the views of two steps, one after the other.
func (v view) and(next view) view {
	return view{append(v.down, next.down...), append(v.across, next.across...),
		append(v.mirror, next.mirror...)}
}

func newView(images int) view {
	return view{make([]int32, images), make([]int32, images), make([]int32, images)}
}

// stepView returns how a step sees its images, with the draws of a stream.
func stepView(s Settings, stream string, step int) view {
	if s.Training.NoAugmentation {
		return plainView(s.Training.Batch)
	}
	return drawView(random.New(s.Seed, stream, uint64(step)), s.Training.Batch)
}

// trainingBatch is the images of one or more steps: pixels and labels, which of them each step
// takes, and how it sees them.
type trainingBatch struct {
	pixels, labels *tensors.Tensor
	chosen         []int32
	seen           view
}

// batchPlan holds the images of several steps and their views.
type batchPlan struct {
	first  Position
	chosen []int32
	seen   view
}

// planned returns the images of the steps from a position on.
func (s *Stepper) planned(first Position, steps int) batchPlan {
	batch := s.Model.Settings.Training.Batch
	p := batchPlan{first: first, chosen: s.orderIn(first.Epoch)[first.Step*batch:][:steps*batch]}
	for step := range steps {
		p.seen = p.seen.and(stepView(s.Model.Settings, random.Augmentation, first.Epoch*s.Steps+
			first.Step+step))
	}
	return p
}

// batch returns the images of the next steps: all training images with the choice of the steps, or
// only the steps' images if they are changed beyond crops and mirroring.
func (s *Stepper) batch(steps int) trainingBatch {
	p := s.planned(s.Position, steps)
	if s.Model.Settings.Training.Augmentation == "" {
		return trainingBatch{s.pixels, s.labels, p.chosen, p.seen}
	}
	mixed := s.ahead.take(p)
	s.ahead = nil // its channel is empty now
	if mixed == nil {
		mixed = s.mix(p)
	}
	return changedBatch(s.images, p.chosen, mixed)
}

// mix returns the pixels of the steps.
func (s *Stepper) mix(p batchPlan) []uint8 {
	seed, epoch := s.Model.Settings.Seed, uint64(p.first.Epoch)
	return mixedImages(s.images, p.chosen, p.seen, func(image int32) *rand.Rand {
		return random.New(seed, random.AugMix, epoch, uint64(image))
	})
}

// mixNext begins to mix the images of the steps after the next ones while the next ones run.
func (s *Stepper) mixNext(steps int) {
	training := s.Model.Settings.Training
	next := s.after(steps)
	if training.Augmentation == "" || next.Epoch >= training.Epochs {
		return
	}
	p := s.planned(next, s.stepsAt(next))
	s.ahead = &mixing{plan: p, pixels: make(chan []uint8, 1)}
	go func(m *mixing) { m.pixels <- s.mix(m.plan) }(s.ahead)
}

// mixing is a batch that is mixed ahead of its steps.
type mixing struct {
	plan   batchPlan
	pixels chan []uint8
}

// take waits for the batch and returns its pixels; nil if it belongs to other steps, as after a
// state was set.
func (m *mixing) take(p batchPlan) []uint8 {
	if m == nil || m.plan.first != p.first || len(m.plan.chosen) != len(p.chosen) {
		return nil
	}
	return <-m.pixels
}

// changedBatch returns chosen images with other pixels, already cropped.
func changedBatch(images dataset.Images, chosen []int32, pixels []uint8) trainingBatch {
	labels, all := make([]uint8, len(chosen)), make([]int32, len(chosen))
	for i, image := range chosen {
		labels[i], all[i] = images.Labels[image], int32(i)
	}
	return trainingBatch{
		pixels: tensors.FromFlatDataAndDimensions(pixels, len(chosen), images.Height, images.Width,
			3),
		labels: tensors.FromFlatDataAndDimensions(labels, len(chosen)),
		chosen: all, seen: plainView(len(chosen)),
	}
}

// mixedImages crops and mirrors chosen images and then mixes them, each with its generator.
func mixedImages(images dataset.Images, chosen []int32, seen view,
	generator func(image int32) *rand.Rand) []uint8 {
	size := images.Height * images.Width * 3
	pixels := make([]uint8, len(chosen)*size)
	parallel.OnCores(len(chosen), func(i int) {
		own := pixels[i*size:][:size]
		seen.crop(i, own, images.Slice(int(chosen[i]), int(chosen[i])+1))
		augment.Mix(own, images.Height, images.Width, generator(chosen[i]))
	})
	return pixels
}

// crop writes view i of a single image, with black beyond its border.
func (v view) crop(i int, to []uint8, image dataset.Images) {
	for y := range image.Height {
		for x := range image.Width {
			from := x
			if v.mirror[i] == 1 {
				from = image.Width - 1 - x
			}
			row, column := y+int(v.down[i])-cropPadding, from+int(v.across[i])-cropPadding
			if row < 0 || row >= image.Height || column < 0 || column >= image.Width {
				continue
			}
			copy(to[3*(y*image.Width+x):][:3], image.Pixels[3*(row*image.Width+column):])
		}
	}
}
