package trial

import (
	"context"
	"fmt"
	"strings"

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

// floatTolerance is the rounding of float32 in either engine: a log-probability predicted with the
// same weights, relative to it or to one nat.
const floatTolerance = 1e-4

// Tolerances of the training of a network with kinks, at which rounding makes gradients jump: some
// sixteen times the largest difference that rounding was seen to make, and six times for the
// gradient (docs/decisions.md).
const (
	// sureTolerance is that of the loss of one of the first sureSteps steps, relative to it.
	sureTolerance = 5e-4
	sureSteps     = 4

	// kinkTolerance is that of the loss of a later step.
	kinkTolerance = 2e-2

	// gradientTolerance is that of the first gradient: the length of the difference in a tensor,
	// relative to that of the tensor. It finds a tensor that is wrong, and no small error.
	gradientTolerance = 0.25
)

// lossTolerance returns the tolerance of the losses of the first steps.
func lossTolerance(steps int) float64 {
	if steps > sureSteps {
		return kinkTolerance
	}
	return sureTolerance
}

// predictedForAgreement is the number of images that two engines predict.
const predictedForAgreement = 8

// CompareEngines trains a network for a number of steps on each of two engines, named as in
// GOMLX_BACKEND, and lets both predict a few test images with the weights that the first one ends
// with. It trains the same network without kinks, too, where rounding doesn't grow. Where the first
// engine is XLA, what it does on a device is compared, too: the noise that is drawn in the graph,
// many steps in one call, and bfloat16. Nothing is kept on disk.
func CompareEngines(ctx context.Context, settings network.Settings, data *dataset.Dataset, backends [2]string, steps int) (Agreement, error) {
	agreement := Agreement{Steps: steps}
	if steps < 1 {
		return Agreement{}, fmt.Errorf("trial: %d steps compare nothing: give 1 or more", steps)
	}
	var engines [2]*engine.Engine
	for i, backend := range backends {
		opened, err := engine.OpenNamed(backend)
		if err != nil {
			return Agreement{}, err
		}
		engines[i], agreement.Engines[i] = opened, opened.Name
	}
	c := engineComparison{ctx: ctx, settings: settings.WithDefaults(), data: data, engines: engines, steps: steps}
	parts := []func() ([]Difference, error){c.trainings, c.smooth}
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

// trainings compares the losses of the steps, the first gradient, and predictions with the weights
// of the first engine.
func (c *engineComparison) trainings() ([]Difference, error) {
	var trials [2]engineTrial
	for i, opened := range c.engines {
		var err error
		if trials[i], err = c.try(opened, trials[0].weights); err != nil {
			return nil, err
		}
	}
	got, want := trials[0], trials[1]
	c.losses = got.losses
	first := min(sureSteps, c.steps)
	return []Difference{
		{"loss of the first steps", apart(got.losses[:first], want.losses[:first], 0), lossTolerance(first)},
		{"loss of a step", apart(got.losses, want.losses, 0), lossTolerance(c.steps)},
		{"gradient of the first step", lengthsApart(got.gradient, want.gradient), gradientTolerance},
		{"log-probability of a prediction", apart(got.logProbabilities, want.logProbabilities, 1), floatTolerance},
	}, nil
}

// engineTrial holds the results of one engine.
type engineTrial struct {
	losses, logProbabilities []float64
	gradient                 []network.Tensor // the first momentum
	weights                  []network.Tensor
}

// try trains and predicts on an engine. It predicts with the given weights, or with its own if
// there are none.
func (c *engineComparison) try(opened *engine.Engine, weights []network.Tensor) (trial engineTrial, err error) {
	s, err := newStepper(opened, c.settings, c.data, network.HostNoise, network.StepperOptions{StepsPerCall: 1})
	if err != nil {
		return trial, err
	}
	if trial.losses, err = takeSteps(c.ctx, s, 1); err != nil {
		return trial, err
	}
	if trial.gradient, err = momentumOf(s); err != nil {
		return trial, err
	}
	later, err := takeSteps(c.ctx, s, c.steps-1)
	if err != nil {
		return trial, err
	}
	trial.losses = append(trial.losses, later...)
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

// newStepper prepares the training of a network on an engine.
func newStepper(
	opened *engine.Engine, settings network.Settings, data *dataset.Dataset, noise network.Noise, options network.StepperOptions,
) (*network.Stepper, error) {
	m, err := network.NewModel(settings, data, network.ModelOptions{Engine: opened, Noise: noise})
	if err != nil {
		return nil, err
	}
	return network.NewStepper(m, data.Train, options)
}

// momentumOf returns the momentum of the weights, which after one step is the gradient with its
// weight decay.
func momentumOf(s *network.Stepper) (momentum []network.Tensor, err error) {
	state, err := s.State()
	for _, tensor := range state.Variables {
		if strings.HasPrefix(tensor.Name, network.Nesterov().ThetaBuffers[0]+".") {
			momentum = append(momentum, tensor)
		}
	}
	return momentum, err
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
