package trial

import (
	"context"
	"math"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Agreement holds the differences of two engines that train and test the same network with the same
// noise.
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

// Agrees reports whether a difference is within rounding; one that isn't a number is not.
func (d Difference) Agrees() bool { return d.Value <= d.Tolerance }

// floatTolerance is the rounding of float32 in either engine: the loss of a step, relative to it,
// and a log-probability predicted with the same weights, relative to it or to one nat.
const floatTolerance = 1e-4

// predictedForAgreement is the number of images that two engines predict.
const predictedForAgreement = 8

// CompareEngines trains a network for a number of steps on each of two engines, named as in
// GOMLX_BACKEND, and lets both predict a few test images with the weights that the first one ends
// with. Where the first one is XLA, what it does on a device is compared, too: the noise that is
// drawn in the graph, many steps in one call, and bfloat16. Nothing is kept on disk.
func CompareEngines(ctx context.Context, settings network.Settings, data *dataset.Dataset, backends [2]string, steps int) (Agreement, error) {
	agreement := Agreement{Steps: steps}
	var engines [2]*engine.Engine
	for i, backend := range backends {
		opened, err := engine.OpenNamed(backend)
		if err != nil {
			return Agreement{}, err
		}
		engines[i], agreement.Engines[i] = opened, opened.Name
	}
	c := engineComparison{ctx: ctx, settings: settings.WithDefaults(), data: data, engines: engines, steps: steps}
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
	ctx      context.Context
	settings network.Settings
	data     *dataset.Dataset
	engines  [2]*engine.Engine
	steps    int
	losses   []float64 // of the first engine, once trainings was called
}

// trainings compares the losses of the steps, and predictions with the weights of the first engine.
func (c *engineComparison) trainings() ([]Difference, error) {
	var trials [2]engineTrial
	for i, opened := range c.engines {
		var err error
		if trials[i], err = c.on(opened).try(trials[0].weights); err != nil {
			return nil, err
		}
	}
	c.losses = trials[0].losses
	return []Difference{
		{"loss of a step", apart(trials[0].losses, trials[1].losses, 0), floatTolerance},
		{"log-probability of a prediction", apart(trials[0].logProbabilities, trials[1].logProbabilities, 1), floatTolerance},
	}, nil
}

// stepper prepares the training of the comparison's network on its first engine.
func (c *engineComparison) stepper(noise network.Noise, stepsPerCall int) (*network.Stepper, error) {
	m, err := network.NewModel(c.settings, c.data, network.ModelOptions{Engine: c.engines[0], Noise: noise})
	if err != nil {
		return nil, err
	}
	return network.NewStepper(m, c.data.Train, network.StepperOptions{StepsPerCall: stepsPerCall})
}

// on returns the comparison with another first engine.
func (c *engineComparison) on(opened *engine.Engine) *engineComparison {
	other := *c
	other.engines[0] = opened
	return &other
}

// engineTrial holds the results of one engine.
type engineTrial struct {
	losses, logProbabilities []float64
	weights                  []network.Tensor
}

// try trains and predicts on the first engine. It predicts with the given weights, or with its own
// if there are none.
func (c *engineComparison) try(weights []network.Tensor) (trial engineTrial, err error) {
	s, err := c.stepper(network.HostNoise, 1)
	if err != nil {
		return trial, err
	}
	if trial.losses, err = takeSteps(c.ctx, s, c.steps); err != nil {
		return trial, err
	}
	if weights != nil {
		err = s.Model().SetVariables(weights)
	} else {
		trial.weights, err = s.Model().Variables()
	}
	if err != nil {
		return trial, err
	}
	trial.logProbabilities, err = predictions(c.ctx, s.Model(), c.data.Test)
	return trial, err
}

// takeSteps makes the given number of calls of a stepper and returns the loss of each.
func takeSteps(ctx context.Context, s *network.Stepper, calls int) (nll []float64, err error) {
	for range calls {
		losses, err := s.Step(ctx)
		if err != nil {
			return nil, err
		}
		nll = append(nll, losses.NLL)
	}
	return nll, nil
}

// predictions returns the log-probabilities of a few images.
func predictions(ctx context.Context, m *network.Model, images dataset.Images) (values []float64, err error) {
	images = images.Slice(0, min(predictedForAgreement, images.Count()))
	p, err := m.NewPredictor(images.Count(), 4*m.Settings.Posterior.Components, 0)
	if err != nil {
		return nil, err
	}
	prediction, err := p.Predict(ctx, images)
	for _, value := range prediction.LogProbabilities {
		values = append(values, float64(value))
	}
	return values, err
}

// apart is the largest difference of two lists, relative to the size of the second's value or to a
// smallest size. A difference that isn't a finite number counts as the largest one there is, which
// JSON can hold.
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
