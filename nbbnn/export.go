package nbbnn

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Layout says how an exported file names and orders its tensors; docs/method.md states both.
type Layout string

// The layouts.
const (
	WorkbenchLayout Layout = "workbench" // theta.conv1.weights and so on, as in a checkpoint: kernels [kernel, kernel, in, out]
	ReferenceLayout Layout = "reference" // the state dictionary of the published code: kernels [out, in, kernel, kernel]
)

// Export writes the weights, the posterior and the statistics of batch normalisation of a trained run to a safetensors file.
// The file's metadata holds the configuration and the layout. ExportFolded writes the ordinary network of fixed latents.
func (r *Run) Export(path string, layout Layout) error {
	if err := check.Known("layout", layout, WorkbenchLayout, ReferenceLayout); err != nil {
		return err
	}
	if !r.Complete() {
		return r.untrained()
	}
	stored, _, err := r.readCheckpoint(r.checkpointPath())
	if err != nil {
		return err
	}
	config, err := json.Marshal(r.config)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	values := byPath(stored)
	var exported []safetensors.Tensor
	for _, entry := range referenceEntries(r.config.Network.Name, newArchitecture(r.config.Network, 1), r.config.Posterior.Mode) {
		tensor, ok := values[entry.path]
		if !ok {
			return fmt.Errorf("nbbnn: %s has no %s: remove %s and train again", r.checkpointPath(), entry.path, r.directory)
		}
		if layout == ReferenceLayout {
			tensor = entry.toTheirs(tensor)
		}
		exported = append(exported, tensor)
	}
	if layout == ReferenceLayout {
		exported = append(exported, referencePriors(r.config)...)
	}
	return writeExport(path, exported, map[string]string{configKey: string(config), "layout": string(layout)})
}

// writeExport writes a file that a person has named.
func writeExport(path string, tensors []safetensors.Tensor, metadata map[string]string) error {
	if err := safetensors.Write(path, tensors, metadata); err != nil {
		return fmt.Errorf("nbbnn: the export failed: %w: make the folder %s writable, or name a file elsewhere (`nbbnn export RUN FILE`)", err, filepath.Dir(path))
	}
	return nil
}
