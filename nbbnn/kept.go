package nbbnn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// keptName is the name of the checkpoint of an epoch that stays, such as epoch-0030.safetensors.
const keptName = "epoch-%04d.safetensors"

// keptPath is the checkpoint of an epoch that stays.
func (r *Run) keptPath(epoch int) string {
	return filepath.Join(filepath.Dir(r.checkpointPath()), fmt.Sprintf(keptName, epoch))
}

// KeptEpochs lists the epochs whose checkpoints stay beside the latest, in rising order: TrainOptions.KeepEvery keeps them, and
// Evaluation.Epoch tests one.
func (r *Run) KeptEpochs() ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(r.checkpointPath()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(err)
	}
	var epochs []int
	for _, entry := range entries {
		var epoch int
		if _, err := fmt.Sscanf(entry.Name(), "epoch-%d", &epoch); err == nil && entry.Name() == filepath.Base(r.keptPath(epoch)) {
			epochs = append(epochs, epoch)
		}
	}
	slices.Sort(epochs)
	return epochs, nil
}

// WeightsSHA256 is the checksum of all parameters and state after an epoch: 0, or the last one, for the end of the training,
// which Card has, too, or an epoch of KeptEpochs.
func (r *Run) WeightsSHA256(epoch int) (string, error) {
	card, err := r.Card()
	if err != nil || r.isLast(epoch) {
		return card.WeightsSHA256, err
	}
	path, err := r.weightsPath(epoch)
	if err != nil {
		return "", err
	}
	if kept, known := card.KeptSHA256[epoch]; known {
		return kept, nil
	}
	stored, _, err := safetensors.Read(path)
	if err != nil {
		return "", err
	}
	return safetensors.SHA256(stored), nil
}

// isLast says whether an evaluation's epoch means the end of the training.
func (r *Run) isLast(epoch int) bool { return epoch == 0 || epoch == r.config.Training.Epochs }

// weightsPath is the checkpoint with the weights of an epoch.
func (r *Run) weightsPath(epoch int) (string, error) {
	if r.isLast(epoch) {
		return r.checkpointPath(), nil
	}
	if path := r.keptPath(epoch); exists(path) {
		return path, nil
	}
	kept, err := r.KeptEpochs()
	if err != nil {
		return "", err
	}
	if len(kept) == 0 {
		return "", fmt.Errorf("nbbnn: run %s keeps no checkpoint of epoch %d or of any other but the last, %d: leave the epoch out, or train again from the beginning and keep checkpoints (KeepEvery)",
			r.directory, epoch, r.config.Training.Epochs)
	}
	return "", fmt.Errorf("nbbnn: run %s keeps no checkpoint of epoch %d: choose one of %s, or leave the epoch out for the last, %d",
		r.directory, epoch, strings.Trim(fmt.Sprint(kept), "[]"), r.config.Training.Epochs)
}
