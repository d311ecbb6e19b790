package nbbnn

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Entries of the metadata of an exported network.
const (
	configKey  = "config"  // the configuration, as JSON
	latentsKey = "latents" // the fixed latents of a folded network
	runKey     = "run"     // the hash of the run that was folded
)

// Export writes the weights, the posterior and the statistics of batch normalisation of a trained run to a safetensors file.
// The file's metadata holds the configuration and the layout. ExportFolded writes the ordinary network of fixed latents.
func (r *Run) Export(path string, layout network.Layout) error {
	if err := r.config.Network.CheckLayout(layout); err != nil {
		return err
	}
	if !r.Complete() {
		return r.untrained()
	}
	stored, _, err := r.checkpoints().read(r.checkpointPath())
	if err != nil {
		return err
	}
	config, err := json.Marshal(r.config)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	exported, err := network.ExportTensors(r.config.Settings(), stored, layout)
	if err != nil {
		return fmt.Errorf("nbbnn: %s %w: remove %s and train again", r.checkpointPath(), err, r.directory)
	}
	return writeExport(path, exported, map[string]string{configKey: string(config), "layout": string(layout)})
}

// ExportFolded writes the ordinary network that a trained run is when its latents are fixed: W'[.., i, o] = z_i W[.., i, o]
// s_o and b' = b s in every layer (METHOD.md 1.1), and batch normalisation as it was. The file is a safetensors file with the
// names and layouts of a checkpoint, but without posterior and momentum; its metadata holds the twin's configuration, the
// latents and the run's hash. Import refuses it, because the run that it would make never trained as its configuration says.
func (r *Run) ExportFolded(path string, latents Latents) error {
	if err := check.Known("latents", latents, OneLatents, MeanLatents); err != nil {
		return err
	}
	if !r.Complete() {
		return r.untrained()
	}
	stored, _, err := r.checkpoints().read(r.checkpointPath())
	if err != nil {
		return err
	}
	twin := r.config
	twin.Posterior.Mode, twin.Posterior.Components, twin.Objective.Gamma = Deterministic, 1, 0
	config, err := json.Marshal(twin)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	folded, err := network.Fold(r.config.Settings(), stored, latents)
	if err != nil {
		return fmt.Errorf("nbbnn: %s: %w: remove %s and train again", r.checkpointPath(), err, r.directory)
	}
	return writeExport(path, folded, map[string]string{configKey: string(config), latentsKey: string(latents), runKey: r.Hash()})
}

// writeExport writes a file that a person has named.
func writeExport(path string, tensors []safetensors.Tensor, metadata map[string]string) error {
	if err := safetensors.Write(path, tensors, metadata); err != nil {
		return fmt.Errorf("nbbnn: the export failed: %w: make the folder %s writable, or name a file elsewhere (`nbbnn export RUN FILE`)", err, filepath.Dir(path))
	}
	return nil
}
