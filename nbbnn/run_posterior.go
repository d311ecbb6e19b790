package nbbnn

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// Posterior returns the posterior of each layer, in the order of the forward pass, from the run's latest checkpoint. A network
// without latents has none.
func (r *Run) Posterior() ([]network.LayerPosterior, error) {
	if !exists(r.checkpointPath()) {
		return nil, fmt.Errorf("nbbnn: run %s has no checkpoint yet: train it first (Run.Train)", r.directory)
	}
	stored, _, err := r.readCheckpoint(r.checkpointPath())
	if err != nil {
		return nil, err
	}
	layers, err := network.LayerPosteriors(r.config.Settings(), stored)
	if err != nil {
		return nil, fmt.Errorf("nbbnn: %s %w: remove %s and train again", r.checkpointPath(), err, r.directory)
	}
	return layers, nil
}
