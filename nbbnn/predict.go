package nbbnn

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// How many rows one execution of the graph predicts, about: as many as a processor's caches like, and as many as keep a GPU busy.
const (
	predictionRows = 64
	deviceRows     = 4096
)

// predictor predicts images with a fixed number of samples of a network's posterior.
type predictor struct {
	network *network
	program *program
	samples int    // of an image; sample s uses component s mod K
	batch   int    // images of one execution
	seed    uint64 // of the evaluation
}

// newPredictor compiles the prediction of sets of about so many images.
func newPredictor(n *network, images, samples int, seed uint64) (*predictor, error) {
	program, err := n.newProgram(func(scope *model.Scope, args []*Node) []*Node {
		pixels := normalise(ConvertDType(args[0], computeType), n.mean, n.std)
		return []*Node{n.logProbabilities(scope.Store(), pixels, samples, false, args[1:])}
	})
	rows := predictionRows
	if n.engine.IsDevice() {
		rows = deviceRows
	}
	batch := max(1, min(images, rows/samples))
	return &predictor{network: n, program: program, samples: samples, batch: batch, seed: seed}, err
}

// predict returns the log-probabilities of all images. The draws of the latents depend on the index of an image alone, so
// that two versions of a test set meet the same networks.
func (p *predictor) predict(ctx context.Context, images dataset.Images) (score.Prediction, error) {
	return predictPixels(ctx, p, images.Pixels, images.Height, images.Width)
}

// predictPixels is predict for pixels [count, height, width, 3] from 0 to 255, as bytes, or as numbers, which may lie beyond.
func predictPixels[T uint8 | float32](ctx context.Context, p *predictor, pixels []T, height, width int) (score.Prediction, error) {
	count := len(pixels) / (height * width * 3)
	prediction := score.Prediction{Images: count, Samples: p.samples, Classes: p.network.classes}
	for first := 0; first < count; first += p.batch {
		if ctx.Err() != nil {
			return score.Prediction{}, ctx.Err()
		}
		values, err := p.predictBatch(tensorOfBatch(pixels, first, p.batch, height, width), first)
		if err != nil {
			return score.Prediction{}, err
		}
		left := min(p.batch, count-first) * p.samples * p.network.classes
		prediction.LogProbabilities = append(prediction.LogProbabilities, values[:left]...)
	}
	return prediction, nil
}

// tensorOfBatch copies a whole batch of images, whose end repeats the last one when there are too few: one shape, one compiled
// graph.
func tensorOfBatch[T uint8 | float32](pixels []T, first, batch, height, width int) *tensors.Tensor {
	size := height * width * 3
	chosen := make([]T, batch*size)
	for i := range batch {
		image := min(first+i, len(pixels)/size-1)
		copy(chosen[i*size:], pixels[image*size:][:size])
	}
	return tensors.FromFlatDataAndDimensions(chosen, batch, height, width, 3)
}

// predictBatch predicts a whole batch, whose first image has a certain index.
func (p *predictor) predictBatch(images *tensors.Tensor, first int) ([]float32, error) {
	noise := p.network.evaluationNoise(p.seed, first, p.batch, p.samples)
	outputs, err := p.program.call(append([]any{images}, noise...))
	if err != nil {
		return nil, p.predictionError(err)
	}
	return tensors.CopyFlatData[float32](outputs[0])
}

// predictionError is the error of a prediction that the engine couldn't make.
func (p *predictor) predictionError(err error) error {
	if asked, is := engine.OutOfMemory(err); is {
		return memoryShortage{
			work:  fmt.Sprintf("the prediction of %d images x %d samples", p.batch, p.samples),
			bytes: p.program.memory(), asked: asked, cure: "take fewer samples",
		}
	}
	return engineError("prediction", err)
}
