package nbbnn

import (
	"context"

	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// ImplicitCorruptions searches for implicit corruptions of a trained run's test images, ordered by image, then
// by draw, then by lambda. They are kept in the run's directory, and the same call reads them again. The error
// of a cancelled search wraps ErrStopped; the images that were done are kept.
func (r *Run) ImplicitCorruptions(ctx context.Context, settings implicit.Settings, progress Progress) ([]implicit.Corruption, error) {
	store, err := r.implicitStore()
	if err != nil {
		return nil, err
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	m, err := r.trainedModel(data.Dataset, 0)
	if err != nil {
		return nil, err
	}
	options := implicit.Options{Store: store}
	if progress != nil {
		options.Progress = func(u Update) {
			u.Run = r.config.RunName()
			progress(u)
		}
	}
	found, err := implicit.Search(ctx, m, data.Test, settings, options)
	if cancelled(err) {
		return nil, worded{err.Error() + "; the same call continues", ErrStopped}
	}
	return found, err
}

// HasImplicitCorruptions reports whether the run keeps all implicit corruptions of the settings.
func (r *Run) HasImplicitCorruptions(settings implicit.Settings) bool {
	store, err := r.implicitStore()
	return err == nil && store.Has(settings, r.config.Posterior.Components)
}

// implicitStore returns the store of implicit corruptions in the directory of a trained run.
func (r *Run) implicitStore() (implicit.Store, error) {
	if !r.Complete() {
		return implicit.Store{}, r.untrained()
	}
	card, err := r.Card()
	return implicit.Store{Directory: r.path("implicit"), Weights: card.WeightsSHA256}, err
}
