package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Model loads the run's network as it was at the end of the training, with the statistics of its
// training images. It reads the checkpoint and the data set, but no results. SWAG and cSG-HMC
// predict with several sets of weights: PredictImages does.
func (r *Run) Model(ctx context.Context) (*network.Model, error) {
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	model, _, err := r.trainedState(data.Dataset, 0)
	return model, err
}

// trainedParts opens the data set of a trained run, and refuses another one than it was trained on.
func (r *Run) trainedParts(ctx context.Context) (*parts, error) {
	card, err := r.Card()
	if err != nil {
		return nil, err
	}
	data, err := openParts(ctx, r.config.Data)
	if err != nil {
		return nil, stopped(err)
	}
	return data, sameData(r.directory, card.Data.Hash, data.Dataset)
}

// trainedState loads the network as it was after an epoch, 0 for the end of the training, and all
// variables of the checkpoint, which has more than the network.
func (r *Run) trainedState(data *dataset.Dataset, epoch int) (*network.Model, []network.Tensor,
	error) {
	path, err := r.checkpoints().of(epoch)
	if err != nil {
		return nil, nil, err
	}
	model, err := network.NewModel(r.config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return nil, nil, err
	}
	_, variables, err := r.checkpoints().readState(path)
	if err != nil {
		return nil, nil, err
	}
	if err := model.SetVariables(variables, false); err != nil {
		return nil, nil, r.checkpoints().otherNetwork(path, err)
	}
	return model, variables, nil
}

// Posterior returns the posterior of each layer, in the order of the forward pass, after an epoch
// of KeptEpochs, or for 0 of the run's latest checkpoint. A network without latents has none.
func (r *Run) Posterior(epoch int) ([]network.LayerPosterior, error) {
	path, err := r.checkpoints().of(epoch)
	switch {
	case err != nil:
		return nil, err
	case epoch > 0 && path == r.checkpointPath() && !r.Complete():
		return nil, r.untrained()
	case !exists(path):
		return nil, fmt.Errorf("nbbnn: run %s has no checkpoint yet: train it first (Run.Train)",
			r.directory)
	}
	stored, err := r.storedNetwork(path)
	if err != nil {
		return nil, err
	}
	layers, err := r.config.Settings().LayerPosteriors(stored)
	if err != nil {
		return nil, r.checkpoints().otherNetwork(path, err)
	}
	return layers, nil
}

// SampledLatents returns the draws of a run that samples, after the warm-up: [chain][draw][latents
// of all layers], in the order of network.JoinPosterior.
func (r *Run) SampledLatents() ([][][]float64, error) {
	chains := r.config.Posthoc.Chains
	if chains == 0 {
		return nil, fmt.Errorf("nbbnn: run %s has no chains: sample its latents first (SampleOf, "+
			"`nbbnn posthoc --from %s --chains %d`)",
			r.directory, r.config.RunName(), samplingChains)
	}
	variables, err := r.trainedVariables()
	if err != nil {
		return nil, err
	}
	trace, err := traceOf(network.Hook{Name: chainsHook}.Tensors(variables), chains)
	if err != nil {
		return nil, r.checkpoints().otherNetwork(r.checkpointPath(), err)
	}
	warmup := r.config.Posthoc.warmup(r.config.Training.Epochs)
	draws := make([][][]float64, chains)
	for c := range draws {
		draws[c] = trace.Positions[c][1+warmup:]
	}
	return draws, nil
}

// trainedVariables reads the variables of the last checkpoint of a trained run.
func (r *Run) trainedVariables() ([]network.Tensor, error) {
	if !r.Complete() {
		return nil, r.untrained()
	}
	return r.storedNetwork(r.checkpointPath())
}

// storedNetwork reads the variables of a checkpoint, of a network that this program defines.
func (r *Run) storedNetwork(path string) ([]network.Tensor, error) {
	if err := r.config.Network.Undefined(); err != nil {
		return nil, err
	}
	stored, _, err := r.checkpoints().read(path)
	return stored, err
}

// ImplicitCorruptions searches for implicit corruptions of a trained run's test images, ordered by
// image, then by draw, then by lambda. They are kept in the run's directory, and the same call
// reads them again. The error of a cancelled search wraps ErrStopped; the images that were done are
// kept.
func (r *Run) ImplicitCorruptions(ctx context.Context, settings implicit.Settings,
	progress Progress) ([]implicit.Corruption, error) {
	store, err := r.implicitStore()
	if err != nil {
		return nil, err
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	m, _, err := r.trainedState(data.Dataset, 0)
	if err != nil {
		return nil, err
	}
	found, err := implicit.Search(ctx, m, data.Test, settings, store, func(u Update) {
		u.Run = r.config.RunName()
		progress.Report(u)
	})
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
	return implicit.Store{Directory: r.path("implicit"), Weights: card.StateSHA256}, err
}
