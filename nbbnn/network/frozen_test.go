package network

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/dataset"
)

// frozenSettings train the latents of a network with batch normalisation.
func frozenSettings(name string, mode Mode) Settings {
	s := tinySettings()
	s.Network, s.Posterior.Mode, s.FrozenWeights = Network{Name: name, Width: 4}, mode, true
	s.Training.PosteriorLearningRate = 0.5
	return s
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
			if got, want := after.WeightsSHA256(), before.WeightsSHA256(); got != want {
				t.Errorf("%s, mode %s: the weights have the SHA-256 %.12s, %.12s before", name, mode, got, want)
			}
			for i, tensor := range after.Variables {
				if strings.HasPrefix(tensor.Name, momentumBuffer) {
					t.Errorf("%s, mode %s: there is a buffer %s", name, mode, tensor.Name)
				}
				if !isWeight(tensor) && slices.Equal(tensor.Data, before.Variables[i].Data) {
					t.Errorf("%s, mode %s: %s didn't change", name, mode, tensor.Name)
				}
			}
		}
	}
	thawed := testStepper(t, frozenSettings("resnet18", Output), StepperOptions{Rule: Nesterov()})
	before := stateOf(t, thawed)
	takeSteps(t, thawed, 1)
	if stateOf(t, thawed).WeightsSHA256() == before.WeightsSHA256() {
		t.Error("a rule that trains the weights leaves their checksum")
	}
}

// A step with frozen weights is the plain descent of the gamma-ELBO along the gradients of the
// posterior that the ordinary normalisation by running statistics gives.
func TestFrozenStepFollowsTheGradient(t *testing.T) {
	for _, name := range []string{"resnet18", "preactresnet18"} {
		for _, mode := range []Mode{Output, Both} {
			settings := frozenSettings(name, mode)
			settings.Training.NoAnnealing, settings.Objective.Gamma = true, 3
			s := testStepper(t, settings, StepperOptions{})
			before := stateOf(t, s)
			want := phiGradients(t, s)
			takeSteps(t, s, 1)
			after := stateOf(t, s)
			for i, path := range s.model.architecture.phiPaths(mode) {
				file := strings.ReplaceAll(path[1:], "/", ".")
				old, now := valuesOf(t, before, file), valuesOf(t, after, file)
				for k := range old {
					got := (old[k] - now[k]) / settings.Training.PosteriorLearningRate
					if difference := math.Abs(got - want[i][k]); difference > 2e-5*max(1, math.Abs(want[i][k])) {
						t.Fatalf("%s, mode %s: %s %d moves along %g, want %g, difference %g", name, mode, file, k, got, want[i][k], difference)
					}
				}
			}
		}
	}
}

// phiGradients returns the gradients of the objective in the next step, by the normalisation that
// GoMLX differentiates itself.
func phiGradients(t *testing.T, s *Stepper) (all [][]float64) {
	t.Helper()
	program, err := s.model.NewProgram("gradients", func(args []*Node) []*Node {
		g := newStepGraph(s.model, args, s.imagesUsed(), s.options.Rule)
		p := newPass(s.model, g.Graph, s.model.Settings.Training.Samples, false)
		labels := g.labels
		logits := forward(s.model, p, g.images, g.noise)
		nll, _ := gibbsLoss(s.model.asLogProbabilities(logits, labels.Shape().Dim(0), p.samples), labels)
		return g.PosteriorGradients(Loss(nll, modelTerms(s.model, p), s.model.Settings.Objective.Gamma, g.Beta, g.count))
	})
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := program.Call(s.arguments())
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range outputs {
		var values []float64
		for _, x := range output.Value().([][]float32) {
			for _, number := range x {
				values = append(values, float64(number))
			}
		}
		all = append(all, values)
	}
	return all
}

// One component starts at N(1, InitStd^2) exactly, and several apart from each other.
func TestFrozenStart(t *testing.T) {
	settings := frozenSettings("resnet18", Output)
	settings.Posterior = Posterior{Components: 1, InitStd: 0.25}
	layers, err := settings.WithDefaults().LayerPosteriors(stateOf(t, testStepper(t, settings, StepperOptions{})).Variables)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		for i := range l.Mean[0] {
			if l.Mean[0][i] != 1 || math.Abs(l.Sigma[0][i]-0.25) > 1e-7 {
				t.Fatalf("layer %s: latent %d starts at N(%g, %g^2), want N(1, 0.25^2)", l.Name, i, l.Mean[0][i], l.Sigma[0][i])
			}
		}
	}
	settings.Posterior.Components = 2
	layers, err = settings.WithDefaults().LayerPosteriors(stateOf(t, testStepper(t, settings, StepperOptions{})).Variables)
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
	if err := s.model.SetWeights(weights); err != nil {
		t.Fatal(err)
	}
	begin := stateOf(t, s)
	if begin.WeightsSHA256() != (State{Variables: weights}).WeightsSHA256() {
		t.Error("the weights aren't those that were set")
	}
	takeSteps(t, s, 2)
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "after Restart", stateOf(t, s), begin)
}

func TestFrozenRefuses(t *testing.T) {
	s := frozenSettings("resnet18", Deterministic)
	s.Posterior.Components = 1
	checkError(t, "no latents", s.Validate(), `give mode "out"`)
	s = frozenSettings("resnet18", Output)
	s.Pixels.Std = [3]float64{1, 0, 1}
	checkError(t, "no spread", s.Validate(), "standard deviation of the pixels")
	m := testStepper(t, frozenSettings("resnet18", Output), StepperOptions{}).model
	checkError(t, "no weights", m.SetWeights(nil), "has no ")
	narrow := frozenSettings("resnet18", Output)
	narrow.Network.Width = 2
	checkError(t, "other shapes", m.SetWeights(stateOf(t, testStepper(t, narrow, StepperOptions{})).Variables), ", want [")
}

// The normalisation of a network is that of its data set, or the one that its settings state.
func TestPixelNormalisation(t *testing.T) {
	settings, data := tinySettings(), randomData(16, 8, 10)
	settings.Pixels = dataset.Normalisation{Mean: [3]float64{0.4, 0.5, 0.6}, Std: [3]float64{0.1, 0.2, 0.3}}
	m, err := NewModel(settings, data, ModelOptions{})
	if err != nil || m.Mean != settings.Pixels.Mean || m.Std != settings.Pixels.Std {
		t.Errorf("the network normalises by %v, %v (%v), want %+v", m.Mean, m.Std, err, settings.Pixels)
	}
}
