package nbbnn

import (
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/shell"
)

// readCheckpoint reads a checkpoint of the run, with its metadata. It must hold the weights whose checksum is on the card, if
// there's one: an unfinished run has no card, and that of an older version says nothing of kept checkpoints.
func (r *Run) readCheckpoint(path string) ([]safetensors.Tensor, map[string]string, error) {
	stored, metadata, err := safetensors.Read(path)
	if err != nil {
		return nil, nil, err
	}
	want, cure := r.expectedWeights(path)
	if want == "" {
		return stored, metadata, nil
	}
	if have := safetensors.SHA256(stored); have != want {
		return nil, nil, fmt.Errorf("nbbnn: %s isn't what was trained: its weights have the SHA-256 %.12s, card.json says %.12s: restore it from a copy, or %s",
			path, have, want, cure)
	}
	return stored, metadata, nil
}

// expectedWeights is the checksum that a checkpoint's weights must have, "" if nobody knows, and what else than a copy helps when
// they haven't.
func (r *Run) expectedWeights(path string) (sha256, cure string) {
	card, err := r.Card()
	if err != nil {
		return "", ""
	}
	for epoch, kept := range card.KeptSHA256 {
		if path == r.keptPath(epoch) {
			return kept, "remove it and test another epoch"
		}
	}
	if path == r.checkpointPath() {
		return card.WeightsSHA256, "remove " + r.directory + " and train or import again"
	}
	return "", ""
}

// untrained is the error of what only a run that is trained to its last epoch can do. One that is being trained now will be.
func (r *Run) untrained() error {
	if holder := r.holder(); holder != "" {
		history, _ := r.History() // one that can't be read has nothing to tell
		return worded{fmt.Sprintf("nbbnn: run %s is being trained by %s, at epoch %d of %d: wait for its end, which `nbbnn watch %s` shows; the same call or command then goes on",
			r.directory, holder, max(0, len(history)-1), r.config.Training.Epochs, shell.Quote(r.directory)), ErrLocked}
	}
	return fmt.Errorf("nbbnn: run %s isn't trained to the end: train it first (%s)", r.directory, r.trainCommand())
}

// TrainCommand is the command line that goes on with the run's training, as a shell takes it.
func (r *Run) TrainCommand() string {
	return fmt.Sprintf("nbbnn train --config %s --runs %s", shell.Quote(r.path("config.json")), shell.Quote(filepath.Dir(r.directory)))
}

// trainCommand is what does that: a function of this package, and the command line where there's a configuration for it to read.
func (r *Run) trainCommand() string {
	if !exists(r.path("config.json")) {
		return "Run.Train"
	}
	return "Run.Train, or `" + r.TrainCommand() + "`"
}
