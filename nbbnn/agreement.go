package nbbnn

import (
	"context"
	"fmt"
	"math"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Agreement says how far two engines are apart that train and test the same network with the same noise.
type Agreement struct {
	Engines [2]string `json:"engines"`
	Steps   int       `json:"steps"`

	Loss           float64 `json:"loss"`            // largest difference of a step's loss, relative to it
	LogProbability float64 `json:"log_probability"` // largest difference of a predicted log-probability, relative to it or to one nat
}

// predictedForAgreement is the number of images that two engines predict.
const predictedForAgreement = 8

// CompareEngines trains the network of a configuration for so many steps on each of two engines, named as in GOMLX_BACKEND,
// and lets both predict a few test images with the weights that the first one ends with. Nothing is kept on disk.
func CompareEngines(ctx context.Context, config Config, backends [2]string, steps int) (Agreement, error) {
	if err := config.Validate(); err != nil {
		return Agreement{}, err
	}
	agreement := Agreement{Steps: steps}
	var trials [2]engineTrial
	for i, backend := range backends {
		opened, err := engine.OpenNamed(backend)
		if err != nil {
			return Agreement{}, err
		}
		agreement.Engines[i] = opened.Name
		if trials[i], err = tryEngine(ctx, opened, config.WithDefaults(), steps, trials[0].weights); err != nil {
			return Agreement{}, err
		}
	}
	agreement.Loss = apart(trials[0].losses, trials[1].losses, 0)
	agreement.LogProbability = apart(trials[0].logProbabilities, trials[1].logProbabilities, 1)
	return agreement, nil
}

// engineTrial is what one engine computed.
type engineTrial struct {
	losses, logProbabilities []float64
	weights                  []safetensors.Tensor
}

// tryEngine trains and predicts on one engine. It predicts with the given weights, or its own if there are none.
func tryEngine(ctx context.Context, opened *engine.Engine, config Config, steps int, weights []safetensors.Tensor) (trial engineTrial, err error) {
	run := &Run{config: config}
	data, err := run.openData(ctx)
	if err != nil {
		return trial, err
	}
	n, err := newNetworkOn(opened, config, data)
	if err != nil {
		return trial, err
	}
	n.deviceNoise = false
	t, err := newTrainerOf(n, run, data)
	if err != nil {
		return trial, err
	}
	if trial.losses, err = t.losses(ctx, steps); err != nil {
		return trial, err
	}
	if weights != nil {
		err = setTensors(n.store, weights)
	} else {
		trial.weights, err = storeTensors(n.store)
	}
	if err != nil {
		return trial, err
	}
	trial.logProbabilities, err = t.predictions(ctx, data.Test)
	return trial, err
}

// losses trains for so many steps and returns the loss of each.
func (t *trainer) losses(ctx context.Context, steps int) (losses []float64, err error) {
	order := t.order(0)
	for range steps {
		if ctx.Err() != nil {
			return nil, stopped(ctx.Err())
		}
		if t.state.Step == t.steps {
			t.state = t.state.next()
			order = t.order(t.state.Epoch)
		}
		nll, _, err := t.step(order)
		if err != nil {
			return nil, err
		}
		if math.IsNaN(nll) {
			return nil, fmt.Errorf("nbbnn: the loss isn't a number at step %d on %s: try a lower learning rate", len(losses)+1, t.network.engine.Name)
		}
		losses = append(losses, nll)
		t.state.Step++
	}
	return losses, nil
}

// predictions returns the log-probabilities of a few images.
func (t *trainer) predictions(ctx context.Context, images dataset.Images) (values []float64, err error) {
	images = images.Slice(0, min(predictedForAgreement, images.Count()))
	p, err := newPredictor(t.network, images.Count(), 4*t.run.config.Posterior.Components, 0)
	if err != nil {
		return nil, err
	}
	prediction, err := p.predict(ctx, images)
	for _, value := range prediction.LogProbabilities {
		values = append(values, float64(value))
	}
	return values, err
}

// apart is the largest difference of two lists, relative to the size of the second's value or to a smallest size. A
// difference that isn't a finite number counts as the largest one there is, which JSON can hold.
func apart(a, b []float64, smallest float64) (largest float64) {
	for i := range a {
		difference := math.Abs(a[i]-b[i]) / max(math.Abs(b[i]), smallest)
		if math.IsNaN(difference) {
			return math.MaxFloat64
		}
		largest = max(largest, min(difference, math.MaxFloat64))
	}
	return largest
}
