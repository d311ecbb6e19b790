package network

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/schedule"
	"github.com/nbbnn/workbench/internal/testkit"
)

// frozenSettings train the latents of a network with batch normalisation.
func frozenSettings(name string, mode Mode) Settings {
	s := tinySettings()
	s.Network, s.Posterior.Mode, s.FrozenWeights = Network{Name: name, Width: 4}, mode, true
	s.Training.PosteriorLearningRate = 0.05
	return s
}

// weightsSHA256 is the checksum of the weights and running statistics.
func weightsSHA256(s State) string {
	return safetensors.SHA256(slices.DeleteFunc(slices.Clone(s.Variables), func(v Tensor) bool {
		return !isWeight(variablePath(v.Name))
	}))
}

// A training with frozen weights leaves every weight and running statistic as it was, bit for bit,
// changes every posterior, and keeps no momentum. One that updates the weights doesn't pass.
func TestFrozenWeightsStay(t *testing.T) {
	for _, name := range []string{"resnet18", "preactresnet18", "allcnnc"} {
		for _, mode := range []Mode{Output, Input, Both} {
			s := testStepper(t, frozenSettings(name, mode), StepperOptions{})
			before := stateOf(t, s)
			takeSteps(t, s, 3)
			after := stateOf(t, s)
			if got, want := weightsSHA256(after), weightsSHA256(before); got != want {
				t.Errorf("%s, mode %s: the weights have the SHA-256 %.12s, %.12s before", name,
					mode, got, want)
			}
			for i, tensor := range after.Variables {
				if strings.HasPrefix(tensor.Name, momentumBuffer) {
					t.Errorf("%s, mode %s: there is a buffer %s", name, mode, tensor.Name)
				}
				if !isWeight(variablePath(tensor.Name)) &&
					slices.Equal(tensor.Data, before.Variables[i].Data) {
					t.Errorf("%s, mode %s: %s didn't change", name, mode, tensor.Name)
				}
			}
		}
	}
	thawed := testStepper(t, frozenSettings("resnet18", Output), StepperOptions{Rule: Nesterov()})
	before := stateOf(t, thawed)
	takeSteps(t, thawed, 1)
	if weightsSHA256(stateOf(t, thawed)) == weightsSHA256(before) {
		t.Error("a rule that trains the weights leaves their checksum")
	}
}

// The gradients of the posterior with frozen weights are those that the ordinary normalisation by
// running statistics has, which GoMLX differentiates itself.
func TestFrozenGradients(t *testing.T) {
	for _, name := range []string{"resnet18", "preactresnet18"} {
		for _, mode := range []Mode{Output, Input, Both} {
			settings := frozenSettings(name, mode)
			settings.Network.Width, settings.Objective.Gamma = 16, 3 // wide enough for the kernels
			s := testStepper(t, settings, StepperOptions{})
			got, want := phiGradients(t, s, true), phiGradients(t, s, false)
			for i, path := range s.Model.Architecture.phiPaths(mode) {
				testkit.Near(t, fmt.Sprintf("%s, mode %s: the gradient of %s", name, mode, path),
					got[i], want[i], 1e-5*largest(want[i:i+1]))
			}
		}
	}
}

// phiGradients returns the gradients of the objective in the next step, by the graph of the step or
// by that of a prediction.
func phiGradients(t *testing.T, s *Stepper, byStep bool) (all [][]float64) {
	t.Helper()
	program := testkit.Must(s.Model.NewProgram("gradients", func(args []*Node) []*Node {
		g := newStepGraph(s.Model, args, s.imagesUsed(), s.options)
		if byStep {
			return g.posteriorGradients(g.Loss(nil))
		}
		p := newPass(s.Model, g.Graph, s.Model.Settings.Training.Samples, false)
		logits := forward(s.Model, p, g.images, g.noise)
		nll, _ := gibbsLoss(s.Model.asLogProbabilities(logits, g.labels.Shape().Dim(0), p.samples),
			g.labels)
		return g.posteriorGradients(gammaELBO(nll, modelTerms(s.Model, p),
			s.Model.Settings.Objective.Gamma, g.Beta, g.count))
	}))(t)
	outputs := testkit.Must(program.Call(s.arguments(1)))(t)
	for _, output := range outputs {
		var values []float64
		for _, row := range output.Value().([][]float32) {
			for _, number := range row {
				values = append(values, float64(number))
			}
		}
		all = append(all, values)
	}
	return all
}

// The posterior moves by Adam along those gradients, with the rate of the schedule.
func TestFrozenPosteriorMovesByAdam(t *testing.T) {
	settings := frozenSettings("resnet18", Output)
	settings.Training.PosteriorLearningRate = 0.01
	s := testStepper(t, settings, StepperOptions{})
	paths := s.Model.Architecture.phiPaths(Output)
	var first, second [][]float64
	for step := 1; step <= 6; step++ { // of four in an epoch
		gradients, before := phiGradients(t, s, true), stateOf(t, s)
		rate := 0.01 * schedule.Factor(s.Position.Epoch, 2, 0.01)
		if step == 1 {
			for _, g := range gradients {
				first, second = append(first, make([]float64, len(g))),
					append(second, make([]float64, len(g)))
			}
		}
		takeSteps(t, s, 1)
		after := stateOf(t, s)
		for i, path := range paths {
			name := strings.ReplaceAll(path[1:], "/", ".")
			want := valuesOf(t, before, name)
			for k, g := range gradients[i] {
				first[i][k] = 0.9*first[i][k] + 0.1*g
				second[i][k] = 0.999*second[i][k] + 0.001*g*g
				mean, square := first[i][k]/(1-math.Pow(0.9, float64(step))),
					second[i][k]/(1-math.Pow(0.999, float64(step)))
				want[k] -= rate * mean / (math.Sqrt(square) + 1e-8)
			}
			testkit.Near(t, fmt.Sprintf("step %d: %s", step, name), valuesOf(t, after, name), want,
				1e-5)
		}
	}
}

// One component starts at N(1, InitStd^2) exactly, and several apart from each other.
func TestFrozenStart(t *testing.T) {
	settings := frozenSettings("resnet18", Output)
	settings.Posterior = Posterior{Components: 1, InitStd: 0.25}
	layers, err := settings.WithDefaults().LayerPosteriors(stateOf(t,
		testStepper(t, settings, StepperOptions{})).Variables)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		for i := range l.Mean[0] {
			if l.Mean[0][i] != 1 || math.Abs(l.Sigma[0][i]-0.25) > 1e-7 {
				t.Fatalf("layer %s: latent %d starts at N(%g, %g^2), want N(1, 0.25^2)", l.Name, i,
					l.Mean[0][i], l.Sigma[0][i])
			}
		}
	}
	settings.Posterior.Components = 2
	layers, err = settings.WithDefaults().LayerPosteriors(stateOf(t,
		testStepper(t, settings, StepperOptions{})).Variables)
	if err != nil || slices.Equal(layers[0].Mean[0], layers[0].Mean[1]) {
		t.Errorf("two components start at the same means (error %v)", err)
	}
}

// A restart returns to the initial posterior and keeps the weights that were set.
func TestFrozenRestart(t *testing.T) {
	s := testStepper(t, frozenSettings("resnet18", Output), StepperOptions{})
	other := frozenSettings("resnet18", Output)
	other.Seed = 99
	weights := stateOf(t, testStepper(t, other, StepperOptions{})).Variables
	testkit.NoError(t, s.Model.SetVariables(weights, true))
	begin := stateOf(t, s)
	if weightsSHA256(begin) != weightsSHA256(State{Variables: weights}) {
		t.Error("the weights aren't those that were set")
	}
	takeSteps(t, s, 2)
	testkit.NoError(t, s.SetState(State{}))
	checkEqual(t, "after Restart", stateOf(t, s), begin)
}

func TestFrozenRefuses(t *testing.T) {
	s := frozenSettings("resnet18", Deterministic)
	s.Posterior.Components = 1
	testkit.Error(t, "no latents", s.Validate(), `give mode "out"`)
	s = frozenSettings("resnet18", Output)
	s.Pixels.Std = [3]float64{1, 0, 1}
	testkit.Error(t, "no spread", s.Validate(), "standard deviation of the pixels")
	m := testStepper(t, frozenSettings("resnet18", Output), StepperOptions{}).Model
	testkit.Error(t, "no weights", m.SetVariables(nil, true), "has no ")
	narrow := frozenSettings("resnet18", Output)
	narrow.Network.Width = 2
	testkit.Error(t, "other shapes",
		m.SetVariables(stateOf(t, testStepper(t, narrow, StepperOptions{})).Variables, true),
		", want [")
}

// The normalisation of a network is that of its data set, or the one that its settings state.
func TestPixelNormalisation(t *testing.T) {
	settings, data := tinySettings(), randomData(16, 8, 10)
	settings.Pixels = dataset.Normalisation{Mean: [3]float64{0.4, 0.5, 0.6},
		Std: [3]float64{0.1, 0.2, 0.3}}
	m, err := NewModel(settings, data, ModelOptions{})
	if err != nil || m.Mean != settings.Pixels.Mean || m.Std != settings.Pixels.Std {
		t.Errorf("the network normalises by %v, %v (%v), want %+v", m.Mean, m.Std, err,
			settings.Pixels)
	}
}
