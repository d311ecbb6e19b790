package network

import (
	"cmp"
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// How many rows, images x samples, one execution of the graph predicts at most, about: what fits a
// processor's caches, and what keeps a GPU busy.
const (
	predictionRows = 64
	deviceRows     = 4096
)

// Predictor predicts images with a fixed number of samples of a network's posterior.
type Predictor struct {
	Model   *Model
	Samples int // of an image; sample s uses component s mod K

	// Progress takes the number of images that Predict has predicted, after each call of the graph.
	// It may be nil.
	Progress func(images int)

	program *Program
	batch   int    // images of one execution
	seed    uint64 // of the draws
}

// NewPredictor prepares the prediction of sets of about the given number of images, with draws of
// the seed.
func (m *Model) NewPredictor(images, samples int, seed uint64) (*Predictor, error) {
	program, err := m.NewProgram("prediction", func(args []*Node) []*Node {
		pixels := m.normalise(ConvertDType(args[0], computeType))
		return []*Node{m.logProbabilities(pixels, samples, args[1:])}
	})
	if err != nil {
		return nil, err
	}
	rows := predictionRows
	if m.Engine.IsDevice() {
		rows = deviceRows
	}
	batch := cmp.Or(m.batchImages, max(1, min(images, rows/samples)))
	program.large = fmt.Sprintf("the prediction of %s x %s", quantity.Count(batch, "image"),
		quantity.Count(samples, "sample"))
	program.cure = "take fewer samples"
	return &Predictor{Model: m, Samples: samples, program: program, batch: batch, seed: seed}, nil
}

// Predict returns the log-probabilities of all images. The draws of the latents depend only on an
// image's place, so that two versions of a test set are predicted by the same networks.
func (p *Predictor) Predict(ctx context.Context, images dataset.Images) (score.Prediction, error) {
	return predictPixels(ctx, p, images.Pixels, images.Height, images.Width)
}

// PredictValues is Predict for pixels that are numbers, [count, height, width, 3], from 0 to 255 or
// beyond.
func (p *Predictor) PredictValues(
	ctx context.Context, pixels []float32, height, width int,
) (score.Prediction, error) {
	return predictPixels(ctx, p, pixels, height, width)
}

func predictPixels[T uint8 | float32](
	ctx context.Context, p *Predictor, pixels []T, height, width int,
) (score.Prediction, error) {
	count := len(pixels) / (height * width * 3)
	prediction := score.Prediction{Images: count, Samples: p.Samples, Classes: p.Model.Classes}
	if count < p.Model.batchImages {
		return score.Prediction{}, fmt.Errorf("nbbnn: %s can't fill a batch of %d, whose "+
			"statistics normalise it: choose a smaller batch or more images",
			quantity.Count(count, "image"), p.batch)
	}
	for first := 0; first < count; first += p.batch {
		if ctx.Err() != nil {
			return score.Prediction{}, ctx.Err()
		}
		start := p.start(first, count)
		values, err := p.predictBatch(tensorOfBatch(pixels, start, p.batch, height, width), start)
		if err != nil {
			return score.Prediction{}, err
		}
		row := p.Samples * p.Model.Classes
		values = values[(first-start)*row:][:min(p.batch, count-first)*row]
		prediction.LogProbabilities = append(prediction.LogProbabilities, values...)
		if p.Progress != nil {
			p.Progress(min(first+p.batch, count))
		}
	}
	return prediction, nil
}

// start returns the first image of the batch that predicts the images from first on. A last batch
// that isn't full repeats an image, but one that is normalised by its own statistics begins
// earlier.
func (p *Predictor) start(first, count int) int {
	if p.Model.batchImages == 0 {
		return first
	}
	return min(first, count-p.batch)
}

// tensorOfBatch copies a full batch of images. If too few are left, it repeats the last one: one
// shape, one compiled graph.
func tensorOfBatch[T uint8 | float32](pixels []T, first, batch, height, width int) *tensors.Tensor {
	size := height * width * 3
	chosen := make([]T, batch*size)
	for i := range batch {
		image := min(first+i, len(pixels)/size-1)
		copy(chosen[i*size:], pixels[image*size:][:size])
	}
	return tensors.FromFlatDataAndDimensions(chosen, batch, height, width, 3)
}

// predictBatch predicts a full batch, whose first image has the given index.
func (p *Predictor) predictBatch(images *tensors.Tensor, first int) ([]float32, error) {
	noise := p.Model.EvaluationNoise(p.seed, first, p.batch, p.Samples)
	outputs, err := p.program.Call(append([]any{images}, noise...))
	if err != nil {
		return nil, err
	}
	return tensors.CopyFlatData[float32](outputs[0])
}

// DeviceMemory returns the device memory that a prediction needs, in bytes, or 0 if unknown.
func (p *Predictor) DeviceMemory() int64 { return p.program.memory() }
