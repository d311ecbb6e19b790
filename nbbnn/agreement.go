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
	Engines     [2]string    `json:"engines"`
	Steps       int          `json:"steps"`
	Differences []Difference `json:"differences"`
}

// Difference is how far two computations of the same quantity are apart.
type Difference struct {
	What      string  `json:"what"`      // the quantity, and what was compared with what
	Value     float64 `json:"value"`     // largest difference
	Tolerance float64 `json:"tolerance"` // of rounding
}

// Agrees says whether a difference is no more than rounding makes; one that isn't a number isn't.
func (d Difference) Agrees() bool { return d.Value <= d.Tolerance }

// floatTolerance is what float32 may differ by in either engine: the loss of a step, relative to it, and a log-probability
// predicted with the same weights, relative to it or to one nat.
const floatTolerance = 1e-4

// predictedForAgreement is the number of images that two engines predict.
const predictedForAgreement = 8

// CompareEngines trains the network of a configuration for so many steps on each of two engines, named as in GOMLX_BACKEND,
// and lets both predict a few test images with the weights that the first one ends with. Where the first one is XLA, what it
// does on a device is compared, too: the noise that is drawn in the graph, many steps in one call, and bfloat16. Nothing is
// kept on disk.
func CompareEngines(ctx context.Context, config Config, backends [2]string, steps int) (Agreement, error) {
	if err := config.Validate(); err != nil {
		return Agreement{}, err
	}
	agreement := Agreement{Steps: steps}
	var engines [2]*engine.Engine
	for i, backend := range backends {
		opened, err := engine.OpenNamed(backend)
		if err != nil {
			return Agreement{}, err
		}
		engines[i], agreement.Engines[i] = opened, opened.Name
	}
	c := engineComparison{ctx: ctx, config: config.WithDefaults(), engines: engines, steps: steps}
	parts := []func() ([]Difference, error){c.trainings}
	if engines[0].IsXLA() {
		parts = append(parts, c.noise, c.manySteps, c.bfloat16)
	}
	for _, part := range parts {
		differences, err := part()
		if err != nil {
			return Agreement{}, err
		}
		agreement.Differences = append(agreement.Differences, differences...)
	}
	return agreement, nil
}

// engineComparison is the work of CompareEngines.
type engineComparison struct {
	ctx     context.Context
	config  Config
	engines [2]*engine.Engine
	steps   int
	losses  []float64 // of the first engine, once trainings was called
}

// trainings compares the losses of the steps, and predictions with the weights of the first engine.
func (c *engineComparison) trainings() ([]Difference, error) {
	var trials [2]engineTrial
	for i, opened := range c.engines {
		var err error
		if trials[i], err = tryEngine(c.ctx, opened, c.config, c.steps, trials[0].weights); err != nil {
			return nil, err
		}
	}
	c.losses = trials[0].losses
	return []Difference{
		{"loss of a step", apart(trials[0].losses, trials[1].losses, 0), floatTolerance},
		{"log-probability of a prediction", apart(trials[0].logProbabilities, trials[1].logProbabilities, 1), floatTolerance},
	}, nil
}

// trainer prepares the training of the comparison's network on its first engine.
func (c *engineComparison) trainer(deviceNoise bool) (*trainer, error) {
	run := &Run{config: c.config}
	data, err := run.openData(c.ctx)
	if err != nil {
		return nil, err
	}
	n, err := newNetworkOn(c.engines[0], c.config, data)
	if err != nil {
		return nil, err
	}
	n.deviceNoise = deviceNoise
	return newTrainerOf(n, run, data)
}

// engineTrial is what one engine computed.
type engineTrial struct {
	losses, logProbabilities []float64
	weights                  []safetensors.Tensor
}

// tryEngine trains and predicts on one engine. It predicts with the given weights, or its own if there are none.
func tryEngine(ctx context.Context, opened *engine.Engine, config Config, steps int, weights []safetensors.Tensor) (trial engineTrial, err error) {
	c := engineComparison{ctx: ctx, config: config, engines: [2]*engine.Engine{opened}}
	t, err := c.trainer(false)
	if err != nil {
		return trial, err
	}
	if trial.losses, err = t.losses(ctx, steps); err != nil {
		return trial, err
	}
	if weights != nil {
		err = setTensors(t.network.store, weights)
	} else {
		trial.weights, err = storeTensors(t.network.store)
	}
	if err != nil {
		return trial, err
	}
	trial.logProbabilities, err = t.predictions(ctx, t.data.Test)
	return trial, err
}

// losses trains for so many steps, one in a call, and returns the loss of each.
func (t *trainer) losses(ctx context.Context, steps int) (losses []float64, err error) {
	for range steps {
		nll, err := t.nextLosses(ctx, 1)
		if err != nil {
			return nil, err
		}
		losses = append(losses, nll)
	}
	return losses, nil
}

// nextLosses takes the next steps, so many in one call, and returns the sum of their losses.
func (t *trainer) nextLosses(ctx context.Context, count int) (float64, error) {
	if ctx.Err() != nil {
		return 0, stopped(ctx.Err())
	}
	t.makeRoom(count)
	nll, _, err := t.takeSteps(t.order(t.state.Epoch), count)
	if err == nil && math.IsNaN(nll) {
		err = fmt.Errorf("nbbnn: the loss isn't a number at epoch %d, step %d on %s: try a lower learning rate",
			t.state.Epoch+1, t.state.Step+1, t.network.engine.Name)
	}
	t.state.Step += count
	return nll, err
}

// makeRoom begins the next epoch where fewer than so many steps are left of this one.
func (t *trainer) makeRoom(count int) {
	if t.state.Step+count > t.steps {
		t.state = t.state.next()
	}
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
