package nbbnn

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Export writes the weights, the posterior and the statistics of batch normalisation of a trained
// run to a safetensors file. The file's metadata holds the configuration and the layout.
// ExportFolded writes the ordinary network of fixed latents.
func (r *Run) Export(path string, layout network.Layout) error {
	if err := layout.Check(r.config.Network); err != nil {
		return err
	}
	stored, err := r.trainedVariables()
	if err != nil {
		return err
	}
	return r.writeLayout(path, layout, stored, r.config,
		map[string]string{"layout": string(layout)})
}

// ExportFolded writes the ordinary network that a trained run is when its latents are fixed: W'[..,
// i, o] = z_i W[.., i, o] s_o and b' = b s in every layer (METHOD.md 1.1), and batch normalisation
// as it was. The file has the layout of an ordinary network; its metadata holds the twin's
// configuration, the latents and the run's hash. Import refuses it, because the run that it would
// make never trained as its configuration says.
func (r *Run) ExportFolded(path string, layout network.Layout, latents network.Latents) error {
	twin := r.config
	twin.Network.Latents = ""
	if err := cmp.Or(check.Known("latents", latents, OneLatents, MeanLatents),
		layout.Check(twin.Network)); err != nil {
		return err
	}
	if latents == MeanLatents && r.config.Network.Graph() != nil {
		return fmt.Errorf("nbbnn: run %s has the network of a file, whose latents can't be "+
			"folded into its weights: export NAME.onnx", r.directory)
	}
	stored, err := r.trainedVariables()
	if err != nil {
		return err
	}
	twin.Posterior.Mode, twin.Posterior.Components, twin.Objective.Gamma, twin.Posthoc =
		Deterministic, 1, 0, Posthoc{}
	folded, err := r.config.Settings().Fold(stored, latents)
	if err == nil {
		folded, err = layout.Export(twin.Settings(), folded)
	}
	if err != nil {
		return r.checkpoints().otherNetwork(r.checkpointPath(), err)
	}
	return writeExport(path, folded, twin, map[string]string{"layout": string(layout),
		latentsKey: string(latents), runKey: r.Hash()})
}

// ExportSample writes one of the networks that a trained run predicts with to a safetensors file,
// if its method has several: with baseline.SWAG draw number sample from 1 on, or the mean for 0;
// with baseline.CSGHMC snapshot number sample from 1 on, or the last for 0. The draws are an
// evaluation's with seed 0. Running statistics of batch normalisation belong to the weights; SWAG's
// take a pass over the training images, which progress follows. The file's metadata holds the
// configuration of an ordinary network, the sample and the run's hash; Import refuses it,
// ImportOrdinary takes it.
func ExportSample(
	ctx context.Context, r *Run, path string, layout network.Layout, sample int, progress Progress,
) error {
	if err := layout.Check(r.config.Network); err != nil {
		return err
	}
	if !r.config.Method.HasSeveralWeights() {
		return fmt.Errorf("nbbnn: run %s predicts with one set of weights: export it without a "+
			"sample", r.directory)
	}
	if !r.Complete() {
		return r.untrained()
	}
	variables, name, err := sampleVariables(ctx, r, sample, progress)
	if err != nil {
		return stopped(err)
	}
	twin := r.config
	twin.Method = Method{}
	return r.writeLayout(path, layout, variables, twin, map[string]string{"layout": string(layout),
		sampleKey: name, runKey: r.Hash()})
}

// sampleVariables returns the variables of a sample, as ExportSample counts them, and its name.
func sampleVariables(
	ctx context.Context, r *Run, sample int, progress Progress,
) ([]network.Tensor, string, error) {
	data, err := r.trainedParts(ctx)
	if err != nil {
		return nil, "", err
	}
	model, state, err := r.trainedState(data.Dataset, 0)
	if err != nil {
		return nil, "", err
	}
	samplesOf := func(asked int) int {
		return r.config.Method.Samples(r.config.Settings(), 0, asked)
	}
	request := statisticsOf(r, model.Engine.Name, Evaluation{})
	request.Images, request.Samples, request.Train, request.ReadOnly, request.Progress = 1,
		samplesOf(max(1, sample)), data.Train, true, progress
	name, place := fmt.Sprintf("sample %d", sample), sample-1
	switch {
	case samplesOf(most) < most: // stored ones
		request.Samples = samplesOf(most)
		if sample == 0 {
			name, place = "last sample", request.Samples-1
		}
	case sample == 0:
		name, place = "mean", 0
		request.Latents = MeanLatents
	}
	if place < 0 || place >= request.Samples {
		return nil, "", fmt.Errorf("nbbnn: run %s has no sample %d: give 1 to %d, or 0",
			r.directory, sample, request.Samples)
	}
	predictor, err := r.config.Method.NewPredictor(model, state, request)
	if err != nil {
		return nil, "", err
	}
	variables, err := predictor.Variables(ctx, place)
	return variables, name, err
}

// most is more samples than any method stores.
const most = 1 << 30

// Entries of the metadata of an exported network.
const (
	configKey  = "config"  // the configuration, as JSON
	latentsKey = "latents" // the fixed latents of a folded network
	runKey     = "run"     // the hash of the run, if the configuration has another
	// the sample of a method with several sets of weights, for example "mean"
	sampleKey = "sample"
)

// writeLayout is writeExport for variables of a checkpoint.
func (r *Run) writeLayout(path string, layout network.Layout, variables []network.Tensor, c Config,
	metadata map[string]string) error {
	exported, err := layout.Export(r.config.Settings(), variables)
	if err != nil {
		return r.checkpoints().otherNetwork(r.checkpointPath(), err)
	}
	return writeExport(path, exported, c, metadata)
}

// writeExport writes a file that a person has named, with the configuration of its network and
// further metadata.
func writeExport(path string, tensors []safetensors.Tensor, c Config,
	metadata map[string]string) error {
	config, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	metadata[configKey] = string(config)
	if graph := c.Network.Graph(); graph != nil {
		metadata[graphFile] = base64.StdEncoding.EncodeToString(graph)
	}
	err = safetensors.WriteSealed(path, exportOwner, tensors, metadata)
	if errors.Is(err, safetensors.ErrHeader) {
		return fmt.Errorf("nbbnn: the export failed: %w: export the run as NAME.onnx", err)
	}
	if err != nil {
		return fmt.Errorf("nbbnn: the export failed: %w: make the folder %s writable, or name a "+
			"file elsewhere (`nbbnn weights export RUN FILE`)", err, filepath.Dir(path))
	}
	return nil
}

// exportOwner is the owner of sealed exports: a file may go from one machine to another.
const exportOwner = "export"

// readExport reads a file of weights, and compares one that writeExport wrote with its checksum.
// Floating-point numbers of other sizes become float32.
func readExport(path string) ([]safetensors.Tensor, map[string]string, error) {
	stored, metadata, err := safetensors.Read(path)
	if metadata[checksumKey] == "" && metadata["layout"] == "" {
		delete(metadata, configKey) // another program's
	}
	if err == nil && metadata[configKey] != "" {
		err = safetensors.CheckSeal(path, exportOwner, stored, metadata)
	}
	if err != nil {
		return nil, nil, err
	}
	for i, tensor := range stored {
		stored[i] = tensor.Float32()
	}
	return stored, metadata, nil
}

// ReadExportedConfig returns the configuration in the metadata of a file that Export or ExportONNX
// wrote, and the hash of its run; "" for another file, as one of the published code.
func ReadExportedConfig(path string) (config Config, run string, err error) {
	if strings.EqualFold(filepath.Ext(path), ".onnx") {
		exported := onnx.Exported(path)
		_ = json.Unmarshal([]byte(exported[configKey]), &config) // or no export
		_ = json.Unmarshal([]byte(exported[runKey]), &run)
		return config, run, nil
	}
	_, metadata, err := readExport(path)
	if err != nil || metadata[configKey] == "" {
		return Config{}, "", err
	}
	if config, err = exportedConfig(path, metadata); err != nil {
		return config, metadata[runKey], err
	}
	return config, cmp.Or(metadata[runKey], config.WithDefaults().Hash()), nil
}

// exportedConfig returns the configuration in the metadata of a file, and defines the network that
// the metadata hold, too.
func exportedConfig(path string, metadata map[string]string) (config Config, err error) {
	if text := metadata[graphFile]; text != "" {
		graph, err := base64.StdEncoding.DecodeString(text)
		if err == nil {
			err = network.Network{}.Restore(graph)
		}
		if err != nil {
			return Config{}, fmt.Errorf("nbbnn: %s has a network that can't be used: %w", path, err)
		}
	}
	if err := json.Unmarshal([]byte(metadata[configKey]), &config); err != nil {
		return Config{}, fmt.Errorf("nbbnn: %s has a configuration that can't be read: %w: "+
			"export the run again with this program", path, err)
	}
	return config, nil
}
