package trial

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Tolerances of what is done on a device only.
const (
	// drawTolerance is how far two engines' logarithms, roots and cosines may take a standard
	// normal number apart.
	drawTolerance = 2e-5

	// momentTolerance is in standard errors: independent normal numbers are further off once in a
	// million times.
	momentTolerance = 5
)

// noise compares the noise that the graph draws on the first engine with the same on the second,
// and its moments with those of independent standard normal numbers.
func (c *engineComparison) noise() ([]Difference, error) {
	var draws [2][]float64
	for i, opened := range c.engines {
		var err error
		if draws[i], err = c.drawsOn(opened); err != nil {
			return nil, err
		}
	}
	if len(draws[0]) == 0 { // a network without latents
		return nil, nil
	}
	return []Difference{
		{"noise of the graph", apart(draws[0], draws[1], 1), drawTolerance},
		{"moments of the noise, in standard errors", offNormal(draws[0]), momentTolerance},
	}, nil
}

// drawsOn are the draws of all layers for one training step, drawn in a graph of an engine.
func (c *engineComparison) drawsOn(opened *engine.Engine) (draws []float64, err error) {
	float32s := c.settings
	float32s.Network.Precision = "" // which any engine has
	m, err := network.NewModel(float32s, c.data, network.ModelOptions{Engine: opened, Noise: network.DeviceNoise})
	if err != nil {
		return nil, err
	}
	training := c.settings.Training
	program, err := m.NewProgram("noise", func(args []*Node) []*Node {
		return m.DrawNoise(args[0], training.Batch, training.Samples, true)
	})
	if err != nil {
		return nil, err
	}
	layers, err := program.Call(m.TrainingNoise(0))
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		values, err := tensors.CopyFlatData[float32](layer)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			draws = append(draws, float64(value))
		}
	}
	return draws, nil
}

// offNormal is how far the first four moments of numbers, and the correlation of neighbours, are
// from those of independent standard normal numbers; the largest of the five, in standard errors.
func offNormal(numbers []float64) (largest float64) {
	var sums [5]float64
	previous := 0.0
	for _, x := range numbers {
		for i, value := range [5]float64{x, x * x, x * x * x, x * x * x * x, x * previous} {
			sums[i] += value
		}
		previous = x
	}
	count := float64(len(numbers))
	moments := [5]float64{0, 1, 0, 3, 0}
	variances := [5]float64{1, 2, 15, 96, 1} // of x, x^2, x^3, x^4 and of the product of two
	for i, sum := range sums {
		off := math.Abs(sum/count-moments[i]) / math.Sqrt(variances[i]/count)
		if math.IsNaN(off) {
			return math.MaxFloat64
		}
		largest = max(largest, off)
	}
	return largest
}

// manySteps compares the losses of the first call of many steps with those of single steps on the
// second engine, both with the noise drawn in the graph.
func (c *engineComparison) manySteps() ([]Difference, error) {
	many, single, err := c.manyAndSingle(network.Rule{})
	if err != nil {
		return nil, err
	}
	steps, losses, err := callApart(c.ctx, many, single)
	return []Difference{{"loss of " + quantity.Count(steps, "step") + " in one call", losses, lossTolerance(steps)}}, err
}

// bfloat16 compares the losses of the first engine in bfloat16 with those that it has in float32.
// No difference at all means that nothing was computed in bfloat16.
func (c *engineComparison) bfloat16() ([]Difference, error) {
	if c.settings.Network.Precision == network.BFloat16 {
		return nil, nil // the trainings were in it
	}
	settings := c.settings
	settings.Network.Precision = network.BFloat16
	s, err := newStepper(c.engines[0], settings, c.data, network.HostNoise, network.StepperOptions{StepsPerCall: 1})
	if err != nil {
		return nil, err
	}
	losses, err := takeSteps(c.ctx, s, c.steps)
	if err != nil {
		return nil, err
	}
	difference := apart(losses, c.losses, 0)
	if difference == 0 {
		return nil, fmt.Errorf("trial: bfloat16 changes nothing on %s: it computes in float32 all the same", c.engines[0].Name)
	}
	return []Difference{{"loss of a step in bfloat16", difference, halfTolerance(s.Model())}}, nil
}

// halfTolerance is how far bfloat16 may take a loss, relative to it. Each layer rounds its results
// to 8 bits, by up to 2^-9 of them; independent roundings of many layers add up like the root of
// their number, and the losses may differ by three times that.
func halfTolerance(m *network.Model) float64 {
	return 3 * math.Sqrt(float64(len(m.Layers()))) / (1 << 9)
}
