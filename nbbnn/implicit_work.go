package nbbnn

import (
	"context"
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// How many searches go on side by side, about.
const (
	implicitRowsAtOnce = 32
	implicitDeviceRows = 1024
)

// implicitWork finds corruptions of images, several images at a time.
type implicitWork struct {
	model    *network.Model
	settings Implicit
	files    implicitFiles
	images   dataset.Images
	batch    int // images at a time
	name     string
	progress Progress

	targets, step, reached *network.Program
	ofNetwork              []any
}

func newImplicitWork(m *network.Model, settings Implicit, files implicitFiles) (*implicitWork, error) {
	rows := implicitRowsAtOnce
	if m.Engine().IsDevice() {
		rows = implicitDeviceRows
	}
	s := &implicitWork{model: m, settings: settings, files: files, batch: max(1, min(settings.Images, rows/settings.problems()))}
	f, args := expected(m, settings)
	s.ofNetwork = args
	var err [3]error
	s.targets, err[0] = m.NewProgram("draws of the latents", func(args []*Node) []*Node {
		return []*Node{m.With("").Logits(args[0], settings.Draws, args[1:])} // [images*draws, classes]
	})
	s.step, err[1] = m.NewProgram("search for implicit corruptions", implicitStep(f))
	s.reached, err[2] = m.NewProgram("implicit corruptions", func(args []*Node) []*Node {
		return []*Node{f(Add(args[0], args[1]), args[2:])}
	})
	return s, check.First(err[:]...)
}

// all returns the corruptions of all images, and finds those that aren't kept yet.
func (s *implicitWork) all(ctx context.Context) (all []ImplicitCorruption, err error) {
	for done := 0; done < s.settings.Images; done += s.batch {
		first := s.settings.First + done
		count := min(s.batch, s.settings.Images-done)
		corruptions, found := s.kept(first, count)
		if !found {
			if corruptions, err = s.find(ctx, first, count); err != nil {
				return nil, s.explain(err, done)
			}
		}
		all = append(all, corruptions...)
		if !found {
			s.report(first+count-s.batch, s.settings.Steps)
		}
	}
	return all, nil
}

// kept reads the corruptions of some images, if all are there.
func (s *implicitWork) kept(first, count int) (all []ImplicitCorruption, found bool) {
	for i := range count {
		values, found := s.files.read(first + i)
		if !found || len(values.target) != s.settings.Draws*s.model.Classes || len(values.change) != s.settings.problems()*s.images.Height*s.images.Width*3 {
			return nil, false
		}
		all = append(all, s.corruptions(first+i, values)...)
	}
	return all, true
}

// find finds the corruptions of some images and keeps them.
func (s *implicitWork) find(ctx context.Context, first, count int) (all []ImplicitCorruption, err error) {
	values, err := s.search(ctx, first)
	if err != nil {
		return nil, err
	}
	for i := range count {
		part := values.part(i, s.batch)
		if err := s.files.write(first+i, part); err != nil {
			return nil, err
		}
		all = append(all, s.corruptions(first+i, part)...)
	}
	return all, nil
}

// search descends for a whole batch, whose end repeats the last image when there are too few: one shape, one compiled graph.
func (s *implicitWork) search(ctx context.Context, first int) (implicitValues, error) {
	chosen := make([]int, s.batch)
	for i := range chosen {
		chosen[i] = min(first+i, s.images.Count()-1)
	}
	images := choose(s.images, chosen)
	targets, err := s.drawTargets(images, first)
	if err != nil {
		return implicitValues{}, err
	}
	rows, err := s.rows(images, targets)
	if err != nil {
		return implicitValues{}, err
	}
	search := implicitSearch{settings: s.settings, step: s.step.Call, progress: func(step int) { s.report(first, step) }}
	found, err := search.run(ctx, rows, s.ofNetwork)
	if err != nil {
		return implicitValues{}, err
	}
	outputs, err := s.reached.Call(slices.Concat([]any{rows.clean, found.change}, s.ofNetwork))
	if err != nil {
		return implicitValues{}, err
	}
	return s.values(targets, outputs[0], found)
}

// drawTargets returns f_Z(x) of the draws of images, [images*draws, classes].
func (s *implicitWork) drawTargets(images dataset.Images, first int) (*tensors.Tensor, error) {
	noise := s.model.With("").EvaluationNoise(implicitSeed(s.settings.Seed, targetDraws), first, images.Count(), s.settings.Draws)
	outputs, err := s.targets.Call(append([]any{s.model.Normalised(images, 1)}, noise...))
	if err != nil {
		return nil, err
	}
	return outputs[0], nil
}

// rows are the searches of images: for each image its draws, and for each draw every lambda.
func (s *implicitWork) rows(images dataset.Images, targets *tensors.Tensor) (implicitRows, error) {
	values, err := tensors.CopyFlatData[float32](targets)
	if err != nil {
		return implicitRows{}, err
	}
	rows, classes := implicitRows{clean: s.model.Normalised(images, s.settings.problems())}, s.model.Classes
	var repeated []float32
	for draw := range images.Count() * s.settings.Draws {
		for _, lambda := range s.settings.Lambda {
			rows.lambda = append(rows.lambda, float32(lambda))
			repeated = append(repeated, values[draw*classes:][:classes]...)
		}
	}
	rows.target = tensors.FromFlatDataAndDimensions(repeated, len(rows.lambda), classes)
	rows.weight = tensors.FromValue(s.settings.Space.weight(s.model.Std))
	return rows, nil
}

func (s *implicitWork) report(first, step int) {
	if s.progress == nil {
		return
	}
	done := first - s.settings.First
	s.progress(Update{
		Phase: "implicit", Run: s.name, Done: done*s.settings.Steps + step*min(s.batch, s.settings.Images-done), Total: s.settings.Images * s.settings.Steps,
		Image: done + 1, Images: s.settings.Images, Step: step,
	})
}

// explain turns a cancelled context into the error that says how to go on.
func (s *implicitWork) explain(err error, done int) error {
	if cancelled(err) {
		return fmt.Errorf("nbbnn: implicit corruptions after %d of %d images: %w", done, s.settings.Images, ErrStopped)
	}
	return err
}
