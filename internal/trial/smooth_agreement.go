package trial

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Tolerances of a network without kinks. There rounding doesn't grow: if the weights of the start
// are moved to the next float32, the losses of 20 steps change by some 1e-7, and the variables by
// some 1e-5 (docs/decisions.md).
const (
	smoothLossTolerance = 1e-5 // of the loss of a call, relative to it
	smoothTolerance     = 1e-3 // of a variable, relative to its largest change
)

// smoothSteps is the most steps without kinks, for which pure Go has no kernels. An error shows in
// the first ones.
const smoothSteps = 8

// smooth compares a training without kinks on the first engine, with as many steps in a call as it
// takes, with single steps on the second. The noise is drawn in the graph.
func (c *engineComparison) smooth() ([]Difference, error) {
	many, single, err := c.manyAndSingle(smoothRule())
	if err != nil {
		return nil, err
	}
	perCall := many.StepsPerCall()
	losses, variables, err := trainingsApart(c.ctx, many, single, min(c.steps, smoothSteps))
	return []Difference{
		{"loss of " + quantity.Count(perCall, "step") + ", without kinks", losses, smoothLossTolerance},
		{fmt.Sprintf("variable after calls of %d, without kinks", perCall), variables, smoothTolerance},
	}, err
}

// manyAndSingle prepares a training by a rule on each engine, with the noise drawn in the graph: on
// the first with as many steps in a call as it takes, on the second with single steps. The zero rule
// is the usual one.
func (c *engineComparison) manyAndSingle(rule network.Rule) (many, single *network.Stepper, err error) {
	settings := c.settings
	settings.Network.Precision = "" // which any engine has
	options := network.StepperOptions{Rule: rule, StepsPerCall: 1}
	if single, err = newStepper(c.engines[1], settings, c.data, network.DeviceNoise, options); err != nil {
		return nil, nil, err
	}
	if c.engines[0].IsXLA() {
		options.StepsPerCall = 0 // those of a training
	}
	many, err = newStepper(c.engines[0], settings, c.data, network.DeviceNoise, options)
	return many, single, err
}

// smoothRule is the usual rule, for a network without kinks.
func smoothRule() network.Rule {
	rule := network.Nesterov()
	update := rule.Update
	rule.Update = func(s *network.StepGraph) {
		s.Smooth = true
		update(s)
	}
	return rule
}

// trainingsApart takes a number of steps at least, in calls of the first stepper and one by one
// with the second. It returns the largest difference of the losses of a call, relative to them, and that
// of the variables after each call, relative to their changes.
func trainingsApart(ctx context.Context, many, single *network.Stepper, steps int) (losses, variables float64, err error) {
	start, err := single.State()
	if err != nil {
		return 0, 0, err
	}
	for taken := 0; taken < steps; {
		count, difference, err := callApart(ctx, many, single)
		if err != nil {
			return 0, 0, err
		}
		taken += count
		losses = max(losses, difference)
		first, err := many.State()
		if err != nil {
			return 0, 0, err
		}
		second, err := single.State()
		if err != nil {
			return 0, 0, err
		}
		variables = max(variables, changesApart(first.Variables, second.Variables, start.Variables, taken))
	}
	return losses, variables, nil
}

// callApart takes one call of the first stepper and as many steps with the second. It returns their
// number and the difference of their losses.
func callApart(ctx context.Context, many, single *network.Stepper) (steps int, losses float64, err error) {
	together, err := many.Step(ctx)
	if err != nil {
		return 0, 0, err
	}
	one, err := takeSteps(ctx, single, together.Steps)
	if err != nil {
		return 0, 0, err
	}
	sum := 0.0
	for _, loss := range one {
		sum += loss
	}
	return together.Steps, apart([]float64{together.NLL}, []float64{sum}, 0), nil
}
