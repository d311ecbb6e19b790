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
	return data, r.sameData(card.Data.Hash, data.Dataset)
}

// trainedModel loads the network as it was after an epoch, 0 for the end of the training.
func (r *Run) trainedModel(data *dataset.Dataset, epoch int) (*network.Model, error) {
	path, err := r.weightsPath(epoch)
	if err != nil {
		return nil, err
	}
	model, err := network.NewModel(r.config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return nil, err
	}
	_, variables, err := r.readState(path)
	if err != nil {
		return nil, err
	}
	if err := model.SetVariables(variables); err != nil {
		return nil, r.otherNetwork(path, err)
	}
	return model, nil
}
