package nbbnn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Import makes a complete run of weights that were trained elsewhere: a safetensors file in either Layout, which is told by
// the names of its tensors. A state dictionary of the published code becomes such a file through safetensors.torch.save_file.
// The configuration says what was trained; every tensor that its network has must be there with its shape, and no other. A file
// of ExportFolded is refused. The run has no history, and its card says where the weights came from. An import that fails leaves
// nothing behind.
func Import(ctx context.Context, directory string, config Config, path string) (*Run, error) {
	run, err := newRun(directory, config)
	if err != nil {
		return nil, err
	}
	if err := run.withoutWeights(); err != nil {
		return nil, err
	}
	t, err := run.readImport(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := run.keepImport(t); err != nil {
		return nil, err
	}
	return run, nil
}

// withoutWeights refuses to import over other weights.
func (r *Run) withoutWeights() error {
	if exists(r.checkpointPath()) {
		return fmt.Errorf("nbbnn: %s has weights already: choose another directory for runs", r.directory)
	}
	return nil
}

// readImport returns the state at the end of a training that led to the weights of a file.
func (r *Run) readImport(ctx context.Context, path string) (*trainer, error) {
	data, err := openParts(ctx, r.config.Data)
	if err != nil {
		return nil, stopped(err)
	}
	t, err := newTrainer(r, data.Dataset)
	if err != nil {
		return nil, err
	}
	stored, err := readImported(path)
	if err != nil {
		return nil, err
	}
	if err := t.stepper.Model().ImportTensors(path, stored); err != nil {
		return nil, err
	}
	source := "imported from " + filepath.Base(path)
	t.state = trainingState{Epoch: r.config.Training.Epochs, DataHash: data.Hash, Engines: []string{source}}
	return t, nil
}

// keepImport writes the run, and removes the folders that it made of one that can't be written whole.
func (r *Run) keepImport(t *trainer) error {
	made := missing(r.directory, filepath.Dir(r.directory))
	err := r.writeImport(t)
	if err != nil {
		removeAll(made) // one with something in it, such as another process's lock, stays
	}
	return err
}

// writeImport writes what is in the run's folder, and removes it again, while the run is locked, if that fails.
func (r *Run) writeImport(t *trainer) error {
	made := missing(r.path("config.json"), filepath.Dir(r.checkpointPath()))
	if err := r.settle(); err != nil {
		return err
	}
	unlock, err := r.lock()
	if errors.Is(err, ErrLocked) { // another process makes something of it
		return err
	}
	if err != nil {
		removeAll(made)
		return err
	}
	defer unlock()
	if err := r.withoutWeights(); err != nil {
		return err
	}
	if err := r.writeImported(t); err != nil {
		removeAll(made)
		return err
	}
	return nil
}

// writeImported writes the checkpoint and, last, the card.
func (r *Run) writeImported(t *trainer) error {
	if err := t.save(); err != nil {
		return err
	}
	err := r.writeTrainingCard(t)
	if err != nil {
		_ = os.Remove(r.checkpointPath())
	}
	return err
}

// missing are those of some paths where nothing is.
func missing(paths ...string) []string { return slices.DeleteFunc(paths, exists) }

// removeAll removes files and empty folders, in order.
func removeAll(paths []string) {
	for _, path := range paths {
		_ = os.Remove(path)
	}
}

// readImported reads a file of weights, and refuses one of ExportFolded.
func readImported(path string) ([]network.Tensor, error) {
	stored, metadata, err := safetensors.Read(path)
	if err != nil {
		return nil, err
	}
	if latents := metadata[latentsKey]; latents != "" {
		return nil, fmt.Errorf("nbbnn: %s is run %.12s with its latents fixed at %s, not an ordinary network that was trained: export the run without --latents and import that",
			path, metadata[runKey], latents)
	}
	return stored, nil
}

// ReadExportedConfig returns the configuration in the metadata of a file that Export wrote; ok is false if it holds none, as a
// file of the published code.
func ReadExportedConfig(path string) (config Config, ok bool, err error) {
	_, metadata, err := safetensors.Read(path)
	if err != nil || metadata[configKey] == "" {
		return Config{}, false, err
	}
	if err := json.Unmarshal([]byte(metadata[configKey]), &config); err != nil {
		return Config{}, false, fmt.Errorf("nbbnn: %s holds no configuration that can be read: %w: give a configuration of your own", path, err)
	}
	return config, true, nil
}
