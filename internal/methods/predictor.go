package methods

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Predictor predicts images with several sets of weights, one after the other, and joins their
// predictions as samples.
type Predictor struct {
	network *network.Predictor // of one sample
	members [][]network.Tensor // the variables of each sample; nil until they're needed
	prepare func(ctx context.Context, sample int) ([]network.Tensor, error)
}

// Prediction selects the predictions of a predictor.
type Prediction struct {
	Images  int             // about how many are predicted at once
	Samples int             // weights of the posterior, as Method.Samples returns
	Seed    uint64          // of the draws
	Latents network.Latents // MeanLatents predicts only with the mean of the weights
	Train   dataset.Images  // the training images, for the statistics of drawn weights

	// Directory stores those statistics for other predictors, as DRAW.safetensors.
	Directory string
	Weights   string // Card.StateSHA256 of the weights that the draws follow from; "" keeps nothing
	Engine    string // that computes
	ReadOnly  bool

	Progress progress.Func // of the passes over the training images; may be nil
}

// NewPredictor returns the predictor of a method that has several sets of weights, or nil for one
// that predicts only with the network. state holds the variables of the run's checkpoint, with the
// method's collected copies. The running statistics of drawn weights are recomputed on the training
// images at the first prediction.
func NewPredictor(
	m Method, n *network.Model, state []network.Tensor, p Prediction,
) (*Predictor, error) {
	d := definitionOf(m)
	if d.weights == nil {
		return nil, nil
	}
	w, err := d.weights(m, target{settings: n.Settings, images: p.Train.Count()}, state)
	if err != nil {
		return nil, err
	}
	if w.count > 0 {
		p.Samples = min(p.Samples, w.count) // a kept checkpoint has fewer
	}
	single, err := n.NewPredictor(p.Images, 1, p.Seed)
	if err != nil {
		return nil, err
	}
	prepare, err := w.preparation(n, p)
	return &Predictor{network: single, members: make([][]network.Tensor, p.Samples),
		prepare: prepare}, err
}

// preparation returns the function that makes the variables of a sample.
func (w weights) preparation(
	n *network.Model, p Prediction,
) (func(ctx context.Context, sample int) ([]network.Tensor, error), error) {
	if w.stored != nil {
		return func(_ context.Context, sample int) ([]network.Tensor, error) {
			return w.stored(sample, p.Samples), nil
		}, nil
	}
	renormalise, err := n.Renormaliser(p.Train)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, sample int) ([]network.Tensor, error) {
		variables, err := n.Variables()
		if err != nil {
			return nil, err
		}
		draw, values := drawName(p, sample), []float32(nil)
		if p.Latents == network.MeanLatents {
			values = w.mean()
		} else {
			values = w.draw(p.Seed, sample)
		}
		if variables, err = withTheta(variables, values); err != nil {
			return nil, err
		}
		if kept := p.of(draw, variables); kept != nil {
			return kept, nil
		}
		if err := n.SetVariables(variables, false); err != nil {
			return nil, fmt.Errorf("nbbnn: the drawn weights %w: train again", err)
		}
		if err := renormalise(ctx, p.reporter(sample)); err != nil {
			return nil, err
		}
		if variables, err = n.Variables(); err == nil {
			p.save(draw, variables)
		}
		return variables, err
	}, nil
}

// Predict returns the log-probabilities of all images under every sample.
func (p *Predictor) Predict(
	ctx context.Context, images dataset.Images,
) (score.Prediction, error) {
	return p.each(ctx, func() (score.Prediction, error) { return p.network.Predict(ctx, images) })
}

// PredictValues is Predict for pixels that are numbers, [count, height, width, 3], from 0 to 255 or
// beyond.
func (p *Predictor) PredictValues(
	ctx context.Context, pixels []float32, height, width int,
) (score.Prediction, error) {
	return p.each(ctx, func() (score.Prediction, error) {
		return p.network.PredictValues(ctx, pixels, height, width)
	})
}

// each predicts with the weights of each sample.
func (p *Predictor) each(
	ctx context.Context, predict func() (score.Prediction, error),
) (score.Prediction, error) {
	predictions := make([]score.Prediction, len(p.members))
	for i := range p.members {
		if err := p.set(ctx, i); err != nil {
			return score.Prediction{}, err
		}
		var err error
		if predictions[i], err = predict(); err != nil {
			return score.Prediction{}, err
		}
	}
	return score.JoinPredictions(predictions...)
}

// Variables returns the variables of the network with the weights of a sample, counted from 0.
func (p *Predictor) Variables(ctx context.Context, sample int) (_ []network.Tensor, err error) {
	if p.members[sample] == nil {
		p.members[sample], err = p.prepare(ctx, sample)
	}
	return p.members[sample], err
}

// set gives the network the variables of a sample.
func (p *Predictor) set(ctx context.Context, sample int) error {
	variables, err := p.Variables(ctx, sample)
	if err != nil {
		return err
	}
	return p.network.Model.SetVariables(variables, false)
}
