package nbbnn

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/onnx"
)

// exportONNX writes the prediction of a trained run in the ONNX format.
func exportONNX(ctx context.Context, r *Run, path string, sampling bool) error {
	if methods.HasSeveralWeights(r.config.Method) {
		return fmt.Errorf("nbbnn: run %s predicts with several sets of weights, and a file in "+
			"the ONNX format has one: export a sample as safetensors", r.directory)
	}
	if sampling && r.config.Posterior.Mode == Deterministic {
		return fmt.Errorf("nbbnn: run %s has no noise to draw: leave --sampling out", r.directory)
	}
	if !r.Complete() {
		return r.untrained()
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return err
	}
	model, _, err := r.trainedState(data.Dataset, 0)
	if err != nil {
		return err
	}
	card, err := r.Card()
	if err != nil {
		return err
	}
	metadata := [][2]string{{onnx.ExportKey, "1"}}
	for _, entry := range []struct {
		key   string
		value any
	}{
		{"classes", data.Classes}, {"mean", model.Mean}, {"std", model.Std},
		{"method", card.Method},
		{"gamma", r.config.Objective.Gamma}, {"components", r.config.Posterior.Components},
		{"layers", model.Architecture.Layers()},
		{configKey, r.config}, {runKey, r.hash()}, {"weights_sha256", card.WeightsSHA256},
	} {
		text, err := json.Marshal(entry.value)
		if err != nil {
			return fmt.Errorf("nbbnn: %w", err)
		}
		metadata = append(metadata, [2]string{entry.key, string(text)})
	}
	content, err := model.ExportONNX(sampling, metadata...)
	if err != nil {
		return err
	}
	if err := files.WriteBytes(path, content); err != nil {
		return fmt.Errorf("nbbnn: the export failed: %w: make the folder %s writable, or name a "+
			"file elsewhere", err, filepath.Dir(path))
	}
	return nil
}
