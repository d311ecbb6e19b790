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
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// ExportOptions choose what of a run a file holds. The zero value is the run as it was trained.
type ExportOptions struct {
	Layout network.Layout // of a safetensors file; "" means network.WorkbenchLayout
	// Latents fixes the latents. The file then holds the ordinary network that the run is with
	// them: W'[.., i, o] = z_i W[.., i, o] s_o and b' = b s in every layer (METHOD.md 1.1), with
	// the batch normalisation as it was. With baseline.SWAG, MeanLatents is the mean of the weights.
	Latents network.Latents
	// Sample is the number, from 1 on, of a network that a method with several sets of weights
	// predicts with: a draw of baseline.SWAG, as in an evaluation with seed 0, or a snapshot of
	// baseline.CSGHMC. 0 means the weights at the end of the training.
	Sample int
	// Sampling lets a file in the ONNX format draw its noise, see network.Model.ExportONNX.
	Sampling bool
	Progress Progress // of the pass over the training images for running statistics of SWAG
}

// Export writes a trained run to a file. A safetensors file has the weights, the posterior and the
// statistics of batch normalisation; its metadata holds the configuration and the layout. NAME.onnx
// has the prediction, as network.Model.ExportONNX describes it, with the classes, the
// normalisation, the method, the configuration and the checksum of the weights as metadata; methods
// that predict with several sets of weights are refused. Import refuses a file with fixed latents
// or of a sample, because the run that it would make never trained as its configuration says;
// ImportOrdinary takes a sample.
func (r *Run) Export(ctx context.Context, path string, options ExportOptions) error {
	layout := cmp.Or(options.Layout, network.WorkbenchLayout)
	isMean := options.Latents == MeanLatents && r.config.Method.Name == baseline.SWAG
	switch isONNX := strings.EqualFold(filepath.Ext(path), ".onnx"); {
	case options.Sample < 0:
		return fmt.Errorf("nbbnn: sample %d: samples count from 1", options.Sample)
	case isONNX && (options.Sample > 0 || options.Latents != "" || options.Layout != "") ||
		options.Sample > 0 && options.Latents != "" || !isONNX && options.Sampling:
		return fmt.Errorf("nbbnn: %s can't have these options: sampling is for NAME.onnx, and a "+
			"layout, and latents or a sample, one of them, for NAME.safetensors", path)
	case isONNX:
		return exportONNX(ctx, r, path, options.Sampling)
	case options.Sample > 0 || isMean:
		return exportSample(ctx, r, path, layout, options.Sample, options.Progress)
	case options.Latents != "":
		return exportFolded(r, path, layout, options.Latents)
	}
	if err := layout.Check(r.config.Network); err != nil {
		return err
	}
	stored, err := r.trainedVariables()
	if err != nil {
		return err
	}
	return r.writeLayout(path, layout, stored, r.config, map[string]string{})
}

// exportFolded writes the ordinary network of fixed latents. Its metadata holds the twin's
// configuration, the latents and the run's hash.
func exportFolded(r *Run, path string, layout network.Layout, latents network.Latents) error {
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
	if err != nil {
		return r.checkpoints().otherNetwork(r.checkpointPath(), err)
	}
	return r.writeLayout(path, layout, folded, twin, map[string]string{
		latentsKey: string(latents), runKey: r.hash()})
}

// exportSample writes one of the networks that a method with several predicts with: draw number
// sample from 1 on with baseline.SWAG, or the mean for 0, or a snapshot of baseline.CSGHMC. Its
// metadata holds the configuration of an ordinary network, the sample and the run's hash.
func exportSample(ctx context.Context, r *Run, path string, layout network.Layout, sample int,
	progress Progress) error {
	if err := layout.Check(r.config.Network); err != nil {
		return err
	}
	if !methods.HasSeveralWeights(r.config.Method) {
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
	return r.writeLayout(path, layout, variables, twin, map[string]string{sampleKey: name,
		runKey: r.hash()})
}

// sampleVariables returns the variables of a sample, as exportSample counts them, and its name.
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
		return methods.Samples(r.config.Method, r.config.Settings(), 0, asked)
	}
	request := statisticsOf(r, model.Engine.Name, Evaluation{})
	request.Images, request.Samples, request.Train, request.ReadOnly, request.Progress = 1,
		samplesOf(max(1, sample)), data.Train, true, progress
	name, place := fmt.Sprintf("sample %d", sample), sample-1
	switch {
	case samplesOf(most) < most: // stored ones
		request.Samples = samplesOf(most)
	case sample == 0:
		name, place = "mean", 0
		request.Latents = MeanLatents
	}
	if place < 0 || place >= request.Samples {
		return nil, "", fmt.Errorf("nbbnn: run %s has no sample %d: give 1 to %d",
			r.directory, sample, request.Samples)
	}
	predictor, err := methods.NewPredictor(r.config.Method, model, state, request)
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

// writeLayout is writeExport for variables in a layout.
func (r *Run) writeLayout(path string, layout network.Layout, variables []network.Tensor, c Config,
	metadata map[string]string) error {
	exported, err := layout.Export(c.Settings(), variables)
	if err != nil {
		return r.checkpoints().otherNetwork(r.checkpointPath(), err)
	}
	metadata["layout"] = string(layout)
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

// ReadExportedConfig returns the configuration in the metadata of a file that Export wrote, and the
// hash of its run; "" for another sound file, as one of the published code.
func ReadExportedConfig(path string) (config Config, run string, err error) {
	if strings.EqualFold(filepath.Ext(path), ".onnx") {
		exported, err := onnx.Exported(path)
		_ = json.Unmarshal([]byte(exported[configKey]), &config) // or no export
		_ = json.Unmarshal([]byte(exported[runKey]), &run)
		return config, run, err
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
