package nbbnn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// checkpoints are a run's weight files: the latest, and the epochs that TrainOptions.KeepEvery
// keeps.
type checkpoints struct{ run *Run }

// latest returns the file of the latest checkpoint.
func (c checkpoints) latest() string {
	return filepath.Join(c.run.directory, "checkpoint", "latest.safetensors")
}

// kept returns the file of an epoch's kept checkpoint, epoch-0030.safetensors.
func (c checkpoints) kept(epoch int) string {
	return filepath.Join(filepath.Dir(c.latest()), fmt.Sprintf("epoch-%04d.safetensors", epoch))
}

// keptEpochs returns the epochs of the kept checkpoints, in rising order.
func (c checkpoints) keptEpochs() ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(c.latest()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(err)
	}
	var epochs []int
	for _, entry := range entries {
		var epoch int
		if _, err := fmt.Sscanf(entry.Name(), "epoch-%d", &epoch); err == nil &&
			entry.Name() == filepath.Base(c.kept(epoch)) {
			epochs = append(epochs, epoch)
		}
	}
	slices.Sort(epochs)
	return epochs, nil
}

// isLast reports whether an evaluation's epoch means the end of the training.
func (c checkpoints) isLast(epoch int) bool {
	return epoch == 0 || epoch == c.run.config.Training.Epochs
}

// of returns the checkpoint with the weights of an epoch, 0 for the end of the training.
func (c checkpoints) of(epoch int) (string, error) {
	if c.isLast(epoch) {
		return c.latest(), nil
	}
	if path := c.kept(epoch); exists(path) {
		return path, nil
	}
	kept, err := c.keptEpochs()
	if err != nil {
		return "", err
	}
	others := "the last"
	if len(kept) > 0 {
		others = fmt.Sprintf("%v and the last", kept)
	}
	return "", fmt.Errorf("nbbnn: run %s keeps no checkpoint of epoch %d, but of %s, %d: "+
		"choose one of these, or train again from the beginning and keep more with "+
		"--keep-every (KeepEvery)",
		c.run.directory, epoch, others, c.run.config.Training.Epochs)
}

// sha256 returns the checksum of the state after an epoch.
func (c checkpoints) sha256(epoch int) (string, error) {
	card, err := c.run.Card()
	if err != nil || c.isLast(epoch) {
		return card.StateSHA256, err
	}
	_, err = c.of(epoch)
	return card.KeptSHA256[epoch], err
}

// read reads a checkpoint and its metadata. It compares them with the checksum in the metadata, and
// the weights with the card's checksum: an unfinished run has no card.
func (c checkpoints) read(path string) ([]network.Tensor, map[string]string, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("nbbnn: %w: %s", err, c.restore())
	}
	stored, metadata, err := safetensors.Decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("nbbnn: %s is damaged: %w: %s", path, err, c.restore())
	}
	weights := safetensors.SHA256(stored)
	card, _ := c.run.Card() // without one there is no checksum to compare
	want := ""
	if path == c.latest() {
		want = card.StateSHA256
	}
	for epoch, kept := range card.KeptSHA256 {
		if path == c.kept(epoch) {
			want = kept
		}
	}
	if want != "" && weights != want {
		return nil, nil, fmt.Errorf("nbbnn: %s isn't what was trained: its weights have the "+
			"SHA-256 %.12s, card.json says %.12s: %s",
			path, weights, want, c.restore())
	}
	return stored, metadata, c.checkSeal(path, metadata, weights)
}

// trainingState is the progress of a training, stored with the checkpoint. The sums are over the
// steps of the current epoch.
type trainingState struct {
	Epoch        int     `json:"epoch"` // complete epochs
	Step         int     `json:"step"`  // complete steps of the current epoch
	NLL          float64 `json:"nll"`
	Wrong        float64 `json:"wrong"`
	Seconds      float64 `json:"seconds"`       // of the current epoch
	TotalSeconds float64 `json:"total_seconds"` // of the complete epochs

	DataHash string   `json:"data_hash"`       // of the data set
	Engines  []string `json:"engines"`         // that took part in the training, in order
	Noise    []string `json:"noise,omitempty"` // where it was drawn, in order

	KeptSHA256 map[int]string `json:"kept_sha256,omitempty"` // of the kept checkpoints, by epoch
	Parent     *CardParent    `json:"parent,omitempty"`      // whose weights a posthoc run has
	Cost       *CardCost      `json:"cost,omitempty"`        // of a method of the program's own
	// a loop of the program's own trained, and recorded no epochs
	IsLoop bool `json:"loop,omitempty"`
}

// next returns the state at the beginning of the next epoch.
func (s trainingState) next() trainingState {
	s.TotalSeconds += s.Seconds
	s.Epoch++
	s.Step, s.NLL, s.Wrong, s.Seconds = 0, 0, 0, 0
	return s
}

func (s trainingState) position() network.Position {
	return network.Position{Epoch: s.Epoch, Step: s.Step}
}

// readState reads a checkpoint: how far the training was, and all variables.
func (c checkpoints) readState(path string) (state trainingState, variables []network.Tensor,
	err error) {
	variables, metadata, err := c.read(path)
	if err != nil {
		return state, nil, err
	}
	if err := json.Unmarshal([]byte(metadata[stateKey]), &state); err != nil {
		return state, nil, fmt.Errorf("nbbnn: %s doesn't say how far the training was: %w: "+
			"remove %s and train again", path, err, c.run.directory)
	}
	return state, variables, nil
}

// otherNetwork returns the error of a checkpoint whose variables don't fit.
func (c checkpoints) otherNetwork(path string, err error) error {
	return fmt.Errorf("nbbnn: %s %w: it's of another network; remove %s and train again", path, err,
		c.run.directory)
}

// sameData refuses to continue a run on a data set other than its first.
func sameData(directory, hash string, data *dataset.Dataset) error {
	if hash != data.Hash {
		return fmt.Errorf("nbbnn: run %s was trained on another data set named %s (hash %.12s, "+
			"now %.12s): bring the old one back, or choose another directory for runs",
			directory, data.Name, hash, data.Hash)
	}
	return nil
}

// Entries of a checkpoint's metadata.
const (
	stateKey    = "training_state" // the position in the training, as JSON
	ownerKey    = "run"            // the hash of the run's configuration
	checksumKey = "sha256"         // of the other two and of the variables
)

// sealed returns the metadata of a checkpoint: the state, whose checkpoint it is, and a checksum of
// everything.
func (c checkpoints) sealed(state string, variables []network.Tensor) map[string]string {
	metadata := map[string]string{stateKey: state, ownerKey: c.run.hash()}
	metadata[checksumKey] = checkpointChecksum(metadata, safetensors.SHA256(variables))
	return metadata
}

// checkpointChecksum returns the SHA-256 of a checkpoint, given the variables'.
func checkpointChecksum(metadata map[string]string, variables string) string {
	return records.Digest(fmt.Appendf(nil, "%s\n%s\n%s\n", variables, metadata[ownerKey],
		metadata[stateKey]))
}

// checkSeal returns an error if a checkpoint, whose variables have the given SHA-256, wasn't
// written by a training of this run.
func (c checkpoints) checkSeal(path string, metadata map[string]string, variables string) error {
	for key := range metadata {
		if key != stateKey && key != ownerKey && key != checksumKey {
			return fmt.Errorf("nbbnn: %s is damaged, or of a newer version: it has an unknown "+
				"entry %q: %s", path, key, c.restore())
		}
	}
	switch owner := metadata[ownerKey]; {
	case metadata[checksumKey] != checkpointChecksum(metadata, variables):
		return fmt.Errorf("nbbnn: %s isn't what was written: its checksum differs: %s", path,
			c.restore())
	case owner != c.run.hash():
		return fmt.Errorf("nbbnn: %s belongs to run %.12s, not to %.12s: %s", path, owner,
			c.run.hash(), c.restore())
	}
	return nil
}

// restore explains how to recover from a damaged checkpoint.
func (c checkpoints) restore() string {
	return "restore it from a copy, or train it again: `nbbnn train --config " + c.run.directory +
		" --runs again`"
}
