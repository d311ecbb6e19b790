package network

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
)

// objectivesTested take both ways in which gamma enters the loss.
var objectivesTested = []Objective{
	{Gamma: 0.3}, {Gamma: 0}, {Gamma: -1}, {Gamma: 0.7, Divergence: componentDivergence,
		ExtraEntropy: meanComponentEntropy},
}

// A schedule that keeps gamma, and a loss that is the objective, change no bit of the weights. A
// gamma that rises from the second epoch on changes them there, by the objective with that gamma.
func TestScheduleOfGamma(t *testing.T) {
	for _, objective := range objectivesTested {
		settings := tinySettings()
		settings.Objective, settings.Training.NoAnnealing = objective, true
		train := func(options StepperOptions, steps int) State {
			s := testStepper(t, settings, options)
			takeSteps(t, s, steps)
			return stateOf(t, s)
		}
		from := func(first float64) func(int) float64 {
			return func(epoch int) float64 { return objective.Gamma + first*float64(epoch) }
		}
		elbo := func(l LossGraph) *Node { return l.ELBO(l.NLL) }
		plain := train(StepperOptions{}, 6)
		checkEqual(t, "a constant gamma", train(StepperOptions{Gamma: from(0)}, 6), plain)
		checkEqual(t, "the objective as a loss", train(StepperOptions{Gamma: from(0), Loss: elbo},
			6), plain)

		checkEqual(t, "before gamma rises", train(StepperOptions{Gamma: from(2)}, 4),
			train(StepperOptions{}, 4))
		before, rising := train(StepperOptions{}, 4), train(StepperOptions{Gamma: from(2)}, 5)
		settings.Objective.Gamma += 2
		s := testStepper(t, settings, StepperOptions{})
		testkit.NoError(t, s.SetState(before))
		takeSteps(t, s, 1)
		checkEqual(t, "after gamma has risen", rising, stateOf(t, s))
	}
}

// smoothed is the objective with label smoothing of a tenth: another loss.
func smoothed(l LossGraph) *Node {
	uniform := Neg(ReduceAllMean(l.LogProbabilities)) // of equally likely classes
	return l.ELBO(Add(MulScalar(l.NLL, 0.9), MulScalar(uniform, 0.1)))
}

// The gradient of a loss of one's own is the one of finite differences, in float64 and without
// kinks: along itself it's the square of its length.
func TestGradientOfAnOwnLoss(t *testing.T) {
	const h = 1e-5
	settings := tinySettings()
	settings.Objective, settings.Training.NoAnnealing = Objective{Gamma: 0.3}, true
	rule := Rule{Name: "differences", Update: func(s *StepGraph) {
		s.Smooth = true
		parameters := append(append([]StepParameter{}, s.Theta...), s.Phi...)
		moved := func(directions []*Node, by float64) (all []StepParameter) {
			for i, p := range parameters {
				value := ConvertDType(p.Value, dtypes.Float64)
				if directions != nil {
					value = Add(value, MulScalar(StopGradient(directions[i]), by))
				}
				all = append(all, StepParameter{p.Path, value})
			}
			return all
		}
		here := moved(nil, 0)
		gradients := Gradient(s.Loss(here), parameterValues(here)...)
		square := ScalarZero(s.Graph, dtypes.Float64)
		for _, g := range gradients {
			square = Add(square, ReduceAllSum(Square(g)))
		}
		difference := DivScalar(Sub(s.Loss(moved(gradients, h)), s.Loss(moved(gradients, -h))), 2*h)
		for i, value := range []*Node{square, difference} {
			p := s.Theta[i]
			s.Set(p, BroadcastToShape(ConvertDType(value, p.Value.DType()), p.Value.Shape()))
		}
	}}
	for _, gamma := range []func(int) float64{nil, func(int) float64 { return 2 }} {
		s := testStepper(t, settings, StepperOptions{Rule: rule, Loss: smoothed, Gamma: gamma})
		takeSteps(t, s, 1)
		state := stateOf(t, s)
		square := valuesOf(t, state, tensorOf(s, 0))[0]
		difference := valuesOf(t, state, tensorOf(s, 1))[0]
		if math.Abs(difference/square-1) > 1e-5 || square < 1e-3 {
			t.Errorf("the gradient's square is %v, by finite differences %v", square, difference)
		}
		if got, want := s.Passes(), 3*2; got != want {
			t.Errorf("%d passes of an image, want three losses of two samples, %d", got, want)
		}
	}
}

// tensorOf returns the name of a parameter of theta in a state.
func tensorOf(s *Stepper, parameter int) string {
	return tensorName(s.Model.store.GetVariable(s.Model.Architecture.thetaPaths()[parameter]))
}

// A rule that takes no loss is an error, not a crash.
func TestRuleWithoutALoss(t *testing.T) {
	s := testStepper(t, tinySettings(),
		StepperOptions{Rule: Rule{Name: "idle", Update: func(*StepGraph) {}}})
	_, err := s.Step(t.Context())
	testkit.Error(t, "no loss", err, `network: the rule "idle" never calls StepGraph.Loss`)
}
