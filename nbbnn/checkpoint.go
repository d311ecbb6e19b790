package nbbnn

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// stateKey is the checkpoint's metadata entry that holds the position in the training, as JSON.
const stateKey = "training_state"

// saveWhenDue saves after the epochs that the options say, and after the last one. What stays is written first: a process that
// is killed before it has saved the latest, too, comes to this epoch again.
func (t *trainer) saveWhenDue() error {
	epoch := t.state.Epoch
	keep := t.options.KeepEvery > 0 && epoch%t.options.KeepEvery == 0
	if !keep && epoch < t.run.config.Training.Epochs && epoch%t.saveEvery() != 0 {
		return nil
	}
	if keep {
		if err := t.keepEpoch(); err != nil {
			return err
		}
	}
	return t.save()
}

// saveEvery is the number of epochs from one checkpoint to the next. On a device an epoch takes seconds and writing a
// checkpoint does too, so there are fewer unless the options say how many.
func (t *trainer) saveEvery() int {
	if t.options.SaveEvery == 0 && t.stepper.Model().Engine().IsDevice() {
		return deviceSaveEvery
	}
	return max(1, t.options.SaveEvery)
}

// deviceSaveEvery is the number of epochs between checkpoints on a device.
const deviceSaveEvery = 5

// keepEpoch writes the checkpoint of an epoch that stays, and notes its checksum for the card.
func (t *trainer) keepEpoch() error {
	variables, err := t.finiteVariables()
	if err != nil {
		return err
	}
	if t.state.KeptSHA256 == nil {
		t.state.KeptSHA256 = map[int]string{}
	}
	t.state.KeptSHA256[t.state.Epoch] = safetensors.SHA256(variables)
	return t.write(t.run.keptPath(t.state.Epoch), variables)
}

// save writes the latest checkpoint.
func (t *trainer) save() error {
	variables, err := t.finiteVariables()
	if err != nil {
		return err
	}
	t.saved = t.state.Epoch
	return t.write(t.run.checkpointPath(), variables)
}

// finiteVariables are those to be saved, none of which may be infinite or no number.
func (t *trainer) finiteVariables() ([]network.Tensor, error) {
	variables, err := t.variables()
	if err != nil {
		return nil, err
	}
	if name := network.NotFinite(variables); name != "" {
		return nil, fmt.Errorf("nbbnn: %s isn't finite after epoch %d: the checkpoint before is kept; %s",
			name, t.state.Epoch, t.run.config.rateAdvice(name))
	}
	return variables, nil
}

// write writes weights, posterior, momentum and the position in the training.
func (t *trainer) write(path string, variables []network.Tensor) error {
	state, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	return t.run.writeFile(path, func(w io.Writer) error {
		return safetensors.Encode(w, variables, map[string]string{stateKey: string(state)})
	})
}

// resume loads the checkpoint and cuts the history to its epoch; without a checkpoint it records the state before training.
func (t *trainer) resume() error {
	model := t.stepper.Model()
	if !exists(t.run.checkpointPath()) {
		if err := t.run.truncateHistory(-1); err != nil {
			return err
		}
		initial, err := t.record()
		if err != nil {
			return err
		}
		initial = Epoch{CrossEntropy: initial.CrossEntropy, Entropy: initial.Entropy, KL: initial.KL, Gamma: initial.Gamma}
		t.state = trainingState{DataHash: t.data.Hash, Engines: []string{model.Engine().Name}, Noise: []network.Noise{model.Noise()}}
		return t.run.appendEpoch(initial)
	}
	state, err := t.loadCheckpoint()
	if err != nil {
		return err
	}
	if err := t.run.sameData(state.DataHash, t.data); err != nil {
		return err
	}
	if engine := model.Engine().Name; len(state.Engines) == 0 || state.Engines[len(state.Engines)-1] != engine {
		state.Engines = append(state.Engines, engine)
	}
	if noise := model.Noise(); len(state.Noise) == 0 || state.Noise[len(state.Noise)-1] != noise {
		state.Noise = append(state.Noise, noise)
	}
	t.state, t.saved = state, state.Epoch
	if err := t.run.truncateHistory(state.Epoch); err != nil {
		return err
	}
	_, _, err = t.terms()
	return err
}

// sameData refuses to go on with a run on another data set than the one that it began with. A checkpoint without a hash is
// of a version that didn't keep it.
func (r *Run) sameData(hash string, data *dataset.Dataset) error {
	if hash != "" && hash != data.Hash {
		return fmt.Errorf("nbbnn: run %s was trained on another data set named %s (hash %.12s, now %.12s): bring the old one back, or choose another directory for runs",
			r.directory, data.Name, hash, data.Hash)
	}
	return nil
}

// removeResults removes what was measured on weights that a training is about to replace.
func (r *Run) removeResults() error {
	for _, name := range []string{"card.json", "cells.csv", "bins.csv"} {
		if err := os.Remove(r.path(name)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("nbbnn: %s is out of date and can't be removed: %w: make the directory writable", r.path(name), err)
		}
	}
	return nil
}

// loadCheckpoint continues the session's stepper from the run's checkpoint.
func (t *trainer) loadCheckpoint() (trainingState, error) {
	path := t.run.checkpointPath()
	state, variables, err := t.run.readState(path)
	if err != nil {
		return state, err
	}
	if err := t.stepper.SetState(network.State{Position: state.position(), Variables: variables}); err != nil {
		return state, t.run.otherNetwork(path, err)
	}
	return state, nil
}

// readState reads a checkpoint of the run: how far the training was, and all variables.
func (r *Run) readState(path string) (state trainingState, variables []network.Tensor, err error) {
	variables, metadata, err := r.readCheckpoint(path)
	if err != nil {
		return state, nil, err
	}
	if err := json.Unmarshal([]byte(metadata[stateKey]), &state); err != nil {
		return state, nil, fmt.Errorf("nbbnn: %s doesn't say how far the training was: %w: remove %s and train again", path, err, r.directory)
	}
	return state, variables, nil
}

// otherNetwork is the error of a checkpoint whose variables don't fit.
func (r *Run) otherNetwork(path string, err error) error {
	return fmt.Errorf("nbbnn: %s %w: it's of another network; remove %s and train again", path, err, r.directory)
}
