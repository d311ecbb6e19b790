package nbbnn

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/safetensors"
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
	data, err := r.openParts(ctx)
	if err != nil {
		return nil, stopped(err)
	}
	t, err := newTrainer(r, data.Dataset)
	if err != nil {
		return nil, err
	}
	if err := importTensors(t.network.store, t.network.architecture, r.config, path); err != nil {
		return nil, err
	}
	source := "imported from " + filepath.Base(path)
	t.state = trainingState{Epoch: r.config.Training.Epochs, DataHash: data.Hash, Engines: []string{source}}
	return t, nil
}

// keepImport writes the run, and removes what it made of one that can't be written whole.
func (r *Run) keepImport(t *trainer) error {
	made := slices.DeleteFunc([]string{r.path("config.json"), filepath.Dir(r.checkpointPath()), r.directory, filepath.Dir(r.directory)}, exists)
	err := r.writeImport(t)
	if err == nil || errors.Is(err, ErrLocked) || exists(r.checkpointPath()) { // of the latter two another process makes something
		return err
	}
	for _, path := range made {
		_ = os.Remove(path) // a folder with something else in it stays
	}
	return err
}

// writeImport writes the checkpoint and, last, the card.
func (r *Run) writeImport(t *trainer) error {
	if err := r.settle(); err != nil {
		return err
	}
	unlock, err := r.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.withoutWeights(); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	err = r.writeTrainingCard(t)
	if err != nil {
		_ = os.Remove(r.checkpointPath())
	}
	return err
}

// importTensors sets the variables of a store, but for the momentum, to the tensors of a file.
func importTensors(store *model.Store, a architecture, config Config, path string) error {
	stored, metadata, err := safetensors.Read(path)
	if err != nil {
		return err
	}
	if latents := metadata[latentsKey]; latents != "" {
		return fmt.Errorf("nbbnn: %s is run %.12s with its latents fixed at %s, not an ordinary network that was trained: export the run without --latents and import that",
			path, metadata[runKey], latents)
	}
	theirs := !slices.ContainsFunc(stored, func(t safetensors.Tensor) bool { return strings.HasPrefix(t.Name, thetaScope[1:len(thetaScope)-1]+".") })
	values := map[string]safetensors.Tensor{}
	for _, tensor := range stored {
		values[tensor.Name] = tensor
	}
	for _, entry := range referenceEntries(config.Network.Name, a, config.Posterior.Mode) {
		v := store.GetVariable(entry.path)
		name, shape := tensorName(v), v.Shape().Dimensions
		if theirs {
			name, shape = entry.name, entry.theirShape(shape)
		}
		tensor, ok := values[name]
		if !ok {
			return fmt.Errorf("nbbnn: %s has no tensor %s %v, which %s in mode %s has: give the configuration that it was trained with",
				path, name, shape, config.Network.Name, config.Posterior.Mode)
		}
		if tensor.DType != "F32" || !slices.Equal(tensor.Shape, shape) {
			return fmt.Errorf("nbbnn: %s has %s of type %s and shape %v, want F32 and %v: give the configuration that it was trained with",
				path, name, tensor.DType, tensor.Shape, shape)
		}
		delete(values, name)
		if theirs {
			tensor.Data = entry.fromTheirs(tensor, v.Shape().Dimensions)
		}
		if notFinite([]safetensors.Tensor{tensor}) != "" {
			return fmt.Errorf("nbbnn: %s has %s with an infinity or no number in it: choose weights of a training that didn't diverge", path, name)
		}
		if err := setVariable(v, tensor.Data); err != nil {
			return err
		}
	}
	return checkRest(values, config, path)
}

// checkRest refuses tensors that the network doesn't have. The published code keeps the prior with each layer, which must be
// the configuration's, and counts the batches of its normalisations, which nothing depends on.
func checkRest(rest map[string]safetensors.Tensor, config Config, path string) error {
	for _, name := range sortedKeys(rest) {
		prior := priorMean
		switch {
		case strings.HasSuffix(name, ".num_batches_tracked"), strings.HasPrefix(name, "momentum."):
			continue
		case strings.HasSuffix(name, ".prior_std"):
			prior = config.Posterior.PriorStd
		case !strings.HasSuffix(name, ".prior_mean"):
			return fmt.Errorf("nbbnn: %s has %s %v, which %s in mode %s hasn't: give the configuration that it was trained with",
				path, name, rest[name].Shape, config.Network.Name, config.Posterior.Mode)
		}
		if len(rest[name].Data) != 4 {
			return fmt.Errorf("nbbnn: %s has %s %v, want a single float32", path, name, rest[name].Shape)
		}
		if got := float64(math.Float32frombits(binary.LittleEndian.Uint32(rest[name].Data))); math.Abs(got-prior) > 1e-6 {
			return fmt.Errorf("nbbnn: %s has %s %g, the configuration %g: give the prior that it was trained with", path, name, got, prior)
		}
	}
	return nil
}

// ReadExportedConfig returns the configuration in the metadata of a file that Export wrote; ok is false if it holds none, as a
// file of the published code.
func ReadExportedConfig(path string) (config Config, ok bool, err error) {
	_, metadata, err := safetensors.Read(path)
	if err != nil || metadata[configKey] == "" {
		return Config{}, false, err
	}
	if err := json.Unmarshal([]byte(metadata[configKey]), &config); err != nil {
		return Config{}, false, fmt.Errorf("nbbnn: %s holds no configuration that can be read: %w: give one with --config or --preset", path, err)
	}
	return config, true, nil
}
