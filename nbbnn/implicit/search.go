package implicit

import (
	"cmp"
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Rows of one batch of gradients. Several batches of searches run at a time, so that the rest still
// fills batches when most searches have ended.
const (
	batchRows       = 32
	deviceBatchRows = 256
	problemBatches  = 4
)

// The kinds of draws, independent of each other and of an evaluation's.
const (
	targetDraws = iota // Z
	outputDraws        // draws whose mean logits are f
	startDraws         // of the change at which a descent begins
)

// seedOf returns the seed of one kind of draws.
func seedOf(seed uint64, kind int) uint64 { return random.Words(seed, random.Implicit)[kind] }

// Search returns the implicit corruptions of images under a network with latents, ordered by image,
// then by draw, then by lambda. It reads the store's corruptions and stores new ones, also before a
// cancellation. progress is called at every check of a search; it may be nil.
func Search(ctx context.Context, m *network.Model, images dataset.Images, settings Settings,
	store Store, progress progress.Func) ([]Corruption, error) {
	components := m.Settings.Posterior.Components
	settings = settings.WithDefaults(components)
	if err := settings.Validate(components); err != nil {
		return nil, err
	}
	if m.Settings.Posterior.Mode == network.Deterministic {
		return nil, fmt.Errorf("implicit: a network of mode %q has no latents, so no implicit "+
			"corruptions: choose another mode", network.Deterministic)
	}
	if have := images.Count(); settings.First+settings.Images > have {
		return nil, fmt.Errorf("implicit: the test images %d to %d are asked for, the run has "+
			"%d: lower the numbers",
			settings.First, settings.First+settings.Images-1, have)
	}
	folder, err := store.folder(settings)
	if err != nil {
		return nil, err
	}
	s, err := newSearch(m, settings)
	if err != nil {
		return nil, err
	}
	s.folder, s.images, s.progress = folder, images, progress
	return s.all(ctx)
}

// search finds corruptions of images, a batch of images at a time.
type search struct {
	model    *network.Model
	settings Settings // filled
	folder   folder
	images   dataset.Images
	batch    int // images at a time
	rows     int // gradients of one execution
	progress progress.Func

	targets, pull *network.Program
	ofNetwork     []any // arguments of f
}

func newSearch(m *network.Model, settings Settings) (*search, error) {
	rows := batchRows
	if m.Engine.IsDevice() {
		rows = deviceBatchRows
	}
	rows = max(1, rows/max(1, settings.Expected)) // each gradient has a pass for every draw
	f, args := outputOf(m, settings)
	s := &search{model: m, settings: settings, ofNetwork: args, rows: rows}
	s.batch = max(1, min(settings.Images, problemBatches*rows/settings.Draws))
	var err [2]error
	s.targets, err[0] = m.NewProgram("draws of the latents", func(args []*Node) []*Node {
		// [images*draws, classes]
		return []*Node{m.With("", 1, 0).Logits(args[0], settings.Draws, args[1:])}
	})
	s.pull, err[1] = m.NewProgram("search for implicit corruptions", pullGraph(f))
	return s, cmp.Or(err[:]...)
}

// output is f in a graph: it maps images to logits [rows, classes], with the arguments of the
// network.
type output func(images *Node, args []*Node) *Node

// outputOf returns f and its arguments: the logits under fixed latents, or their mean over draws
// that are the same for every image.
func outputOf(m *network.Model, settings Settings) (f output, args []any) {
	m = m.With(settings.Latents, 1, 0)
	samples := max(1, settings.Expected)
	args = m.EvaluationNoise(seedOf(settings.Seed, outputDraws), 0, 1, samples)
	return func(images *Node, args []*Node) *Node {
		return m.ExpectedLogits(images, samples, args)
	}, args
}

// all returns the corruptions of all images; it searches for the ones missing in the folder.
func (s *search) all(ctx context.Context) (all []Corruption, err error) {
	for done := 0; done < s.settings.Images; done += s.batch {
		first := s.settings.First + done
		count := min(s.batch, s.settings.Images-done)
		corruptions, found := s.kept(first, count)
		if !found {
			if corruptions, err = s.find(ctx, first, count); err != nil {
				return nil, fmt.Errorf("implicit: after %d of %d images: %w", done,
					s.settings.Images, err)
			}
		}
		all = append(all, corruptions...)
		if !found {
			s.report(first+count-s.batch, s.settings.Steps)
		}
	}
	return all, nil
}

// kept reads the corruptions of some images, if the folder has all of them.
func (s *search) kept(first, count int) (all []Corruption, found bool) {
	classes, pixels := s.model.Classes, s.images.Height*s.images.Width*3
	for i := range count {
		values, found := s.folder.read(first + i)
		if !found || len(values.target) != s.settings.Draws*classes ||
			len(values.change) != s.settings.perImage()*pixels {
			return nil, false
		}
		all = append(all, s.corruptions(first+i, values)...)
	}
	return all, true
}

// find searches for the corruptions of some images and keeps them.
func (s *search) find(ctx context.Context, first, count int) (all []Corruption, err error) {
	values, err := s.values(ctx, first, count)
	if err != nil {
		return nil, err
	}
	for i := range count {
		part := values.part(i, count)
		if err := s.folder.write(first+i, part); err != nil {
			return nil, err
		}
		all = append(all, s.corruptions(first+i, part)...)
	}
	return all, nil
}

// batchFrom returns the images of a full batch. It repeats the last image if too few are left: one
// shape, one compiled graph.
func (s *search) batchFrom(first int) dataset.Images {
	size := s.images.Height * s.images.Width * 3
	batch := dataset.Images{Height: s.images.Height, Width: s.images.Width,
		Labels: make([]uint8, s.batch)}
	for i := range s.batch {
		image := min(first+i, s.images.Count()-1)
		batch.Pixels = append(batch.Pixels, s.images.Pixels[image*size:][:size]...)
	}
	return batch
}

// drawTargets returns f_Z(x) of the draws of images, [images*draws, classes].
func (s *search) drawTargets(images dataset.Images, first int) (*tensors.Tensor, error) {
	m, seed := s.model.With("", 1, 0), seedOf(s.settings.Seed, targetDraws)
	noise := m.EvaluationNoise(seed, first, images.Count(), s.settings.Draws)
	outputs, err := s.targets.Call(append([]any{m.Normalised(images, 1)}, noise...))
	if err != nil {
		return nil, err
	}
	return outputs[0], nil
}

func (s *search) report(first, step int) {
	done := first - s.settings.First
	s.progress.Report(progress.Update{
		Phase: "implicit", Done: done*s.settings.Steps + step*min(s.batch, s.settings.Images-done),
		Total: s.settings.Images * s.settings.Steps, Image: done + 1, Images: s.settings.Images,
		Step: step,
	})
}
