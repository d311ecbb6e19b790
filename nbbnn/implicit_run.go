package nbbnn

import (
	"context"
	"fmt"
)

// ImplicitCorruptions finds the implicit corruptions of a trained run's test images, those of an image together, of a draw
// together, one for each lambda. They are kept in the run's directory, so that the same call reads them from there. A cancelled
// search, whose error wraps ErrStopped, has saved the images that were done and goes on with the others.
func (r *Run) ImplicitCorruptions(ctx context.Context, settings Implicit, progress Progress) ([]ImplicitCorruption, error) {
	settings, file, err := r.fillImplicit(settings)
	if err != nil {
		return nil, err
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	if have := data.Test.Count(); settings.First+settings.Images > have {
		return nil, fmt.Errorf("nbbnn: the test images %d to %d are asked for, the run has %d: lower the numbers", settings.First, settings.First+settings.Images-1, have)
	}
	m, err := r.trainedModel(data.Dataset, 0)
	if err != nil {
		return nil, err
	}
	s, err := newImplicitWork(m, settings, file)
	if err != nil {
		return nil, err
	}
	s.images, s.progress, s.name = data.Test, progress, r.config.RunName()
	return s.all(ctx)
}

// HasImplicitCorruptions says whether the run keeps all of them.
func (r *Run) HasImplicitCorruptions(settings Implicit) bool {
	settings, files, err := r.fillImplicit(settings)
	for i := 0; err == nil && i < settings.Images; i++ {
		if _, found := files.read(settings.First + i); !found {
			return false
		}
	}
	return err == nil
}

// fillImplicit fills and checks settings, and says where their corruptions are kept.
func (r *Run) fillImplicit(settings Implicit) (Implicit, implicitFiles, error) {
	components := r.config.Posterior.Components
	settings = settings.WithDefaults(components)
	if err := settings.Validate(components); err != nil {
		return settings, implicitFiles{}, err
	}
	if r.config.Posterior.Mode == Deterministic {
		return settings, implicitFiles{}, fmt.Errorf("nbbnn: run %s has no latents, so no implicit corruptions: choose a run of another mode than %q", r.directory, Deterministic)
	}
	if !r.Complete() {
		return settings, implicitFiles{}, r.untrained()
	}
	files, err := r.implicitFiles(settings)
	return settings, files, err
}
