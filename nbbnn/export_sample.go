package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// sampleKey is the entry of an exported network's metadata that names the sample, such as "mean".
const sampleKey = "sample"

// ExportSample writes one of the networks that a trained run predicts with to a safetensors file,
// if its method has several: with baseline.SWAG draw number sample from 1 on, or the mean for 0;
// with baseline.CSGHMC snapshot number sample from 1 on, or the last for 0. The draws are those of
// an evaluation with seed 0. Running statistics of batch normalisation belong to the weights; those
// of SWAG take a pass over the training images, which progress follows. The file's metadata holds
// the configuration of an ordinary network, the sample and the run's hash; Import refuses it,
// ImportOrdinary takes it.
func ExportSample(
	ctx context.Context, r *Run, path string, layout network.Layout, sample int, progress Progress,
) error {
	if err := layout.Check(r.config.Network); err != nil {
		return err
	}
	if !r.config.Method.HasSeveralWeights() {
		return fmt.Errorf("nbbnn: run %s predicts with one set of weights: export it without a sample", r.directory)
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
	exported, err := layout.Export(r.config.Settings(), variables)
	if err != nil {
		return fmt.Errorf("nbbnn: %s %w: remove %s and train again", r.checkpointPath(), err, r.directory)
	}
	return writeExport(path, exported, twin, map[string]string{"layout": string(layout), sampleKey: name, runKey: r.Hash()})
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
	kept := statisticsOf(r, model.Engine().Name, Evaluation{})
	kept.readOnly = true
	request := baseline.Prediction{
		Images: 1, Samples: r.config.Method.Samples(max(1, sample)), Train: data.Train, Statistics: kept, Progress: progress,
	}
	name, place := fmt.Sprintf("sample %d", sample), sample-1
	switch {
	case r.config.Method.Samples(most) < most: // stored ones
		request.Samples = r.config.Method.Samples(most)
		if sample == 0 {
			name, place = "last sample", request.Samples-1
		}
	case sample == 0:
		name, place = "mean", 0
		request.Latents = MeanLatents
	}
	if place < 0 || place >= request.Samples {
		return nil, "", fmt.Errorf("nbbnn: run %s has no sample %d: give 1 to %d, or 0", r.directory, sample, request.Samples)
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
