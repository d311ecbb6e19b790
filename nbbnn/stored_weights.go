package nbbnn

import (
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// readCheckpoint reads a checkpoint of the run, with its metadata. The latest one of a complete run must hold the weights whose
// checksum is on the card; an unfinished run has no card, and a kept checkpoint no checksum there.
func (r *Run) readCheckpoint(path string) ([]safetensors.Tensor, map[string]string, error) {
	stored, metadata, err := safetensors.Read(path)
	if err != nil || path != r.checkpointPath() {
		return stored, metadata, err
	}
	card, err := r.Card()
	if err != nil || card.WeightsSHA256 == "" {
		return stored, metadata, nil
	}
	if have := safetensors.SHA256(stored); have != card.WeightsSHA256 {
		return nil, nil, fmt.Errorf("nbbnn: %s isn't what was trained: its weights have the SHA-256 %.12s, card.json says %.12s: restore it from a copy, or remove %s and train or import again",
			path, have, card.WeightsSHA256, r.directory)
	}
	return stored, metadata, nil
}

// untrained is the error of what only a run that is trained to its last epoch can do.
func (r *Run) untrained() error {
	return fmt.Errorf("nbbnn: run %s isn't trained to the end: train it first (%s)", r.directory, r.trainCommand())
}

// trainCommand is what goes on with a run's training: a function of this package, and a command line.
func (r *Run) trainCommand() string {
	return fmt.Sprintf("Run.Train, or `nbbnn train --config %s --runs %s`", r.path("config.json"), filepath.Dir(r.directory))
}
