package nbbnn

import (
	"fmt"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// readCheckpoint reads a checkpoint of the run and its metadata. It compares the weights with the checksum
// on the card, if there is one: an unfinished run has no card, and cards of older versions don't list
// kept checkpoints.
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

// expectedWeights returns the checksum that a checkpoint's weights must have, or "" if unknown; cure says
// how to recover from a mismatch.
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

// UntrainedError reports that something needs a run that is trained to its last epoch. It matches
// ErrLocked while another process trains the run.
type UntrainedError struct {
	Run    string // its directory
	Epoch  int    // trained so far
	Epochs int    // of the whole training
	Holder string // the process that trains the run now; "" if none does
}

func (e *UntrainedError) Error() string {
	if e.Holder != "" {
		return fmt.Sprintf("nbbnn: run %s is being trained by %s, at epoch %d of %d: wait for its end, then call this again",
			e.Run, e.Holder, e.Epoch, e.Epochs)
	}
	return fmt.Sprintf("nbbnn: run %s isn't trained to the end: train it first (Run.Train)", e.Run)
}

// Is reports whether target is ErrLocked and another process trains the run.
func (e *UntrainedError) Is(target error) bool { return target == ErrLocked && e.Holder != "" }

// untrained returns the error of a call that needs a run trained to its last epoch.
func (r *Run) untrained() error {
	history, _ := r.History() // an unreadable one counts as none
	return &UntrainedError{
		Run: r.directory, Epoch: max(0, len(history)-1), Epochs: r.config.Training.Epochs, Holder: r.holder(),
	}
}
