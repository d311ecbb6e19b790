package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Model loads the run's network as it was at the end of the training, with the statistics of its training images. It reads
// the checkpoint and the data set, but no results.
func (r *Run) Model(ctx context.Context) (*network.Model, error) {
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, err
	}
	return r.trainedModel(data.Dataset, 0)
}

// modelOf is Model for images of a size, which must be the one that the run was trained on.
func (r *Run) modelOf(data *parts, height, width int) (*network.Model, error) {
	m, err := r.trainedModel(data.Dataset, 0)
	if err != nil {
		return nil, err
	}
	if height != m.Height || width != m.Width {
		return nil, fmt.Errorf("nbbnn: images of %d x %d pixels, run %s was trained on %d x %d: scale them to that",
			height, width, r.directory, m.Height, m.Width)
	}
	return m, nil
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

// trainedModel loads the network as it was after an epoch, 0 for the end of the training.
func (r *Run) trainedModel(data *dataset.Dataset, epoch int) (*network.Model, error) {
	path, err := r.checkpoints().of(epoch)
	if err != nil {
		return nil, err
	}
	model, err := network.NewModel(r.config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return nil, err
	}
	_, variables, err := r.checkpoints().readState(path)
	if err != nil {
		return nil, err
	}
	if err := model.SetVariables(variables); err != nil {
		return nil, r.checkpoints().otherNetwork(path, err)
	}
	return model, nil
}

// Posterior returns the posterior of each layer, in the order of the forward pass, from the run's latest checkpoint. A network
// without latents has none.
func (r *Run) Posterior() ([]network.LayerPosterior, error) {
	if !exists(r.checkpointPath()) {
		return nil, fmt.Errorf("nbbnn: run %s has no checkpoint yet: train it first (Run.Train)", r.directory)
	}
	stored, _, err := r.checkpoints().read(r.checkpointPath())
	if err != nil {
		return nil, err
	}
	layers, err := network.LayerPosteriors(r.config.Settings(), stored)
	if err != nil {
		return nil, fmt.Errorf("nbbnn: %s %w: remove %s and train again", r.checkpointPath(), err, r.directory)
	}
	return layers, nil
}
