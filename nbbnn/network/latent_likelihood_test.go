package network

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

// The log-likelihood of one value of the latents is that of a prediction with them, whatever the
// batch, and its gradient that of finite differences. Twice the gradient doesn't pass.
func TestLatentLikelihood(t *testing.T) {
	for _, name := range []string{"resnet18", "preactresnet18", "allcnnc"} {
		for _, mode := range []Mode{Output, Input, Both} {
			settings := frozenSettings(name, mode)
			settings.Posterior.Components = 1
			s := testStepper(t, settings, StepperOptions{})
			m, images := s.Model, s.images
			images.Labels[3] = 9
			at := testkit.Must(m.LatentLikelihood(images, 5))(t)
			z := make([]float64, m.Architecture.Latents(mode))
			for i := range z {
				z[i] = float64(float32(1 + 0.3*math.Sin(float64(i)))) // one way or the other
			}
			value, gradient, wrong, err := at(z)
			testkit.NoError(t, err)
			nll, errors := predictedAt(t, m, z, s)
			testkit.Near(t, name+", mode "+string(mode)+": the log-likelihood",
				[]float64{value, wrong}, []float64{-nll, errors}, 1e-3)
			if off := gradientError(t, at, z, gradient); off > 0.03 {
				t.Errorf("%s, mode %s: along itself the gradient differs from the slope by %.2g "+
					"of it, want at most .03", name, mode, off)
			}
			for i := range gradient {
				gradient[i] *= 2
			}
			if off := gradientError(t, at, z, gradient); off < 0.4 {
				t.Errorf("%s, mode %s: twice the gradient differs by %.2g of it and passes", name,
					mode, off)
			}
		}
	}
}

// predictedAt returns the negative log-likelihood and the number of errors of a network whose
// posterior is one point.
func predictedAt(t *testing.T, m *Model, z []float64, s *Stepper) (nll, wrong float64) {
	t.Helper()
	setPoint(t, m, z)
	predictor := testkit.Must(m.NewPredictor(s.images.Count(), 1, 0))(t)
	prediction := testkit.Must(predictor.Predict(t.Context(), s.images))(t)
	for i, label := range s.images.Labels {
		row := prediction.LogProbabilities[i*prediction.Classes:][:prediction.Classes]
		nll -= float64(row[label])
		for _, other := range row {
			if other > row[label] {
				wrong++
				break
			}
		}
	}
	return nll, wrong
}

// gradientError returns how far the slope of the log-likelihood along a gradient is from its
// length, as a share of it.
func gradientError(t *testing.T, likelihood likelihoodAt, z, gradient []float64) float64 {
	t.Helper()
	length := 0.0
	for _, g := range gradient {
		length += g * g
	}
	length = math.Sqrt(length)
	at := func(step float64) float64 {
		moved := make([]float64, len(z))
		for i, x := range z {
			moved[i] = x + step*gradient[i]/length
		}
		value, _, _, err := likelihood(moved)
		testkit.NoError(t, err)
		return value
	}
	const step = 5e-4 // longer ones meet kinks of ReLU, shorter ones the digits of float32
	return math.Abs((at(step)-at(-step))/(2*step)-length) / length
}

type likelihoodAt = func(z []float64) (float64, []float64, float64, error)

func TestLatentLikelihoodRefuses(t *testing.T) {
	settings := tinySettings()
	settings.Posterior = Posterior{Mode: Deterministic}
	settings.Training.Samples = 1
	m := testStepper(t, settings, StepperOptions{}).Model
	_, err := m.LatentLikelihood(randomData(4, 8, 10).Train, 4)
	testkit.Error(t, "no latents", err, "has no latents to sample")
}

// setPoint gives a network a posterior of no width at one value of all latents.
func setPoint(t *testing.T, m *Model, z []float64) {
	t.Helper()
	variables := testkit.Must(m.Variables())(t)
	for _, l := range testkit.Must(m.Settings.LayerPosteriors(variables))(t) {
		means := make([]float32, len(l.Mean[0]))
		for d := range means {
			means[d] = float32(z[d])
		}
		z = z[len(means):]
		for i, v := range variables {
			name := phiPrefix + strings.ReplaceAll(l.Name, "/", ".")
			switch kind, _ := strings.CutPrefix(v.Name, name); kind {
			case ".mean":
				variables[i] = safetensors.FromFloats(v.Name, means, 1, len(means))
			case ".rho":
				rho := slices.Repeat([]float32{-50}, len(means))
				variables[i] = safetensors.FromFloats(v.Name, rho, 1, len(means))
			}
		}
	}
	testkit.NoError(t, m.SetVariables(variables, false))
}
