package network

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A network whose latents are fixed at the average of its component means has the same logits as
// the ordinary network with these latents in its weights.
func TestFoldedNetworkEqualsFixedLatents(t *testing.T) {
	for name, side := range map[string]int{"vgg16": 32, "resnet18": 8, "preactresnet18": 8} {
		for _, mode := range []Mode{Output, Input, Both} {
			t.Run(fmt.Sprintf("%s %s", name, mode), func(t *testing.T) {
				c := newNetworkCase(t, name, mode, false, side)
				stored := testkit.Must(storeTensors(c.store))(t)
				// all components at their average, and certain
				for _, l := range c.architecture.layers {
					setMeanToAverage(t, c.store, l, c.hand.components)
					setValues(t, c.store, rhoPath(l), func() float64 { return -30 })
				}
				want := c.logits(t)
				config := Settings{Network: Network{Name: name, Width: 2, Form: Published},
					Posterior: Posterior{Mode: mode, Components: c.hand.components}}
				folded := testkit.Must(config.Fold(stored, MeanLatents))(t)
				twin := newNetworkCase(t, name, Deterministic, false, side)
				twin.images = c.images
				setFolded(t, twin.store, folded)
				testkit.Near(t, "logits", twin.logits(t), want, 2e-5*largest(want))
			})
		}
	}
}

// logits is the forward pass of the graph.
func (c networkCase) logits(t *testing.T) [][]float32 {
	t.Helper()
	return c.run(t, func(scope *model.Scope, args []*Node) []*Node {
		return []*Node{c.architecture.forward(c.pass(scope.Store(), args), args[0])}
	})[0].Value().([][]float32)
}

func setMeanToAverage(t *testing.T, store *model.Store, l layer, components int) {
	t.Helper()
	values := storedValues(t, store, meanPath(l))
	dimensions := len(values) / components
	average := make([]float64, dimensions)
	for i, v := range values {
		average[i%dimensions] += v / float64(components)
	}
	next := 0
	setValues(t, store, meanPath(l), func() float64 {
		next++
		return average[(next-1)%dimensions]
	})
}

// setFolded gives the variables of a store the values of tensors, of which there must be no other.
func setFolded(t *testing.T, store *model.Store, values []Tensor) {
	t.Helper()
	all := testkit.Must(storeTensors(store))(t)
	testkit.NoError(t, setTensors(store, values, isWeight))
	if len(values) != len(all) {
		t.Errorf("%d tensors for %d variables", len(values), len(all))
	}
}

// scaleSettings are those of a tiny network with batch normalisation and noise on both sides.
func scaleSettings(components int) Settings {
	return Settings{
		Network:   Network{Name: "resnet18", Width: 2},
		Posterior: Posterior{Mode: Both, Components: components, InitStd: 0.3},
		Seed:      7,
	}
}

// predicted returns the log-probabilities of images under draws of a network.
func predicted(t *testing.T, m *Model, images, samples int) []float32 {
	t.Helper()
	p := testkit.Must(m.NewPredictor(images, samples, 3))(t)
	prediction := testkit.Must(p.Predict(t.Context(), randomData(16, 8, 10).Train.Slice(0,
		images)))(t)
	return prediction.LogProbabilities
}

func scaleModel(t *testing.T, components int, noise string) *Model {
	t.Helper()
	return testkit.Must(NewModel(scaleSettings(components), randomData(16, 8, 10),
		ModelOptions{Noise: noise}))(t)
}

// The law of signs makes of any draws what the Gaussian makes of their signs.
func TestSignsAreDrawsOfOneSize(t *testing.T) {
	latents := func(law string, draw func(float64) float64) (values [][]float32) {
		settings := scaleSettings(2)
		settings.Posterior.Law = law
		m := testkit.Must(NewModel(settings, randomData(16, 8, 10), ModelOptions{}))(t)
		layers := m.drawnLayers(false)
		program := testkit.Must(m.NewProgram("latents", func(args []*Node) (all []*Node) {
			p := newPass(m, args[0].Graph(), 1, false)
			p.sample(layers, args)
			for _, l := range layers {
				all = append(all, p.noise[l.name])
			}
			return all
		}))(t)
		var args []any
		for _, l := range layers {
			noise := make([]float32, 6*m.drawnDimensions(l))
			for i := range noise {
				noise[i] = float32(draw(math.Sin(float64(3 + 5*i))))
			}
			args = append(args, tensors.FromFlatDataAndDimensions(noise, 6, m.drawnDimensions(l)))
		}
		for _, output := range testkit.Must(program.Call(args))(t) {
			values = append(values, testkit.Must(tensors.CopyFlatData[float32](output))(t))
		}
		return values
	}
	same := func(e float64) float64 { return e }
	sign := func(e float64) float64 { return math.Copysign(1, e) }
	want, gaussian := latents("", sign), latents("", same)
	for layer, got := range latents("sign", same) {
		testkit.Near(t, "latents", got, want[layer], 0)
		if slices.Equal(got, gaussian[layer]) {
			t.Errorf("layer %d: both laws draw the same", layer)
		}
	}
}

// A factor of 1 changes no bit, and 0 leaves the network with the mean of its latents.
func TestScaleOfOneAndOfZero(t *testing.T) {
	for _, noise := range []string{HostNoise, DeviceNoise} {
		m := scaleModel(t, 1, noise)
		testkit.Near(t, "factor 1", predicted(t, m.With("", 1, 0), 5, 4), predicted(t, m, 5, 4), 0)
		for _, batch := range []int{0, 5} {
			m := m.With("", 1, batch)
			testkit.Near(t, "factor 0", predicted(t, m.With("", 0, 0), 5, 1),
				predicted(t, m.With(MeanLatents, 1, 0), 5, 1), 1e-5)
		}
	}
}

// Scaled draws are those of a network whose own standard deviations are scaled: softplus(rho') is
// c softplus(rho).
func TestScaledDrawsAreThoseOfAScaledPosterior(t *testing.T) {
	for _, c := range []float64{0.25, 3} {
		m := scaleModel(t, 2, HostNoise)
		got := predicted(t, m.With("", c, 0), 5, 4)
		for _, l := range m.Architecture.layers {
			v := m.store.GetVariable(rhoPath(l))
			rho := storedValues(t, m.store, rhoPath(l))
			values := make([]float32, len(rho))
			for i := range rho {
				values[i] = float32(math.Log(math.Expm1(c * math.Log1p(math.Exp(rho[i])))))
			}
			testkit.NoError(t,
				v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
		}
		// of log-probabilities down to -250
		testkit.Near(t, "scaled", got, predicted(t, m, 5, 4), 2e-3)
	}
}
