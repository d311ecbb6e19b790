package network

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/hmc"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

// The chains over the latents of a network with one layer agree with quadrature, which computes the
// logits itself: means, standard deviations and the correlation of two latents. With the likelihood
// of half the images, or twice each, they don't.
func TestSamplingAgreesWithQuadrature(t *testing.T) {
	m, images := oneLayer(t)
	const priorStd, warmup, draws = 0.8, 150, 1500
	want := quadrature(t, m, images, priorStd)
	for _, test := range []struct {
		name   string
		counts float64
		agrees bool
	}{{"the posterior", 1, true}, {"twice the likelihood", 2, false}, {"half the likelihood", 0.5,
		false}} {
		at := testkit.Must(m.LatentLikelihood(images, 16))(t)
		h := &hmc.Sampler{Leapfrog: 6, Warmup: warmup, Seed: 1, Density: func(z []float64) (float64,
			[]float64, error) {
			value, gradient, _, err := at(z)
			value *= test.counts
			for i, x := range z {
				value -= (x - 1) * (x - 1) / (2 * priorStd * priorStd)
				gradient[i] = test.counts*gradient[i] - (x-1)/(priorStd*priorStd)
			}
			return value, gradient, err
		}}
		h.Start(hmc.NewTrace([][]float64{{1, 1}, {0, 0}}), []float64{1, 1})
		for range warmup + draws {
			testkit.NoError(t, h.Next())
		}
		var first, second []float64
		for c := range 2 {
			for _, z := range h.Trace.Positions[c][1+warmup:] {
				first, second = append(first, z[0]), append(second, z[1])
			}
		}
		got := []float64{
			stat.Mean(first, nil), stat.Mean(second, nil), stat.StdDev(first, nil),
			stat.StdDev(second, nil), stat.Correlation(first, second, nil),
		}
		worst := math.Abs(got[4] - want[4])
		for i := range 2 {
			worst = max(worst, math.Abs(got[i]-want[i])/want[2+i], math.Abs(got[2+i]/want[2+i]-1))
		}
		if agrees := worst < 0.12; agrees != test.agrees {
			t.Errorf("%s: means, deviations and correlation %.3f, by quadrature %.3f", test.name,
				got, want)
		}
	}
}

// oneLayer returns the network softmax((W mean(x) + b) s) of two classes, and images with labels
// that it doesn't explain.
func oneLayer(t *testing.T) (*Model, dataset.Images) {
	t.Helper()
	define(t, "one_layer", func(b *Builder) Value {
		return b.Image().AveragePool().Dense(Dense{Features: b.Classes()})
	})
	data := randomData(16, 8, 2)
	for i := range data.Train.Labels {
		data.Train.Labels[i] = uint8(i % 3 / 2)
	}
	settings := Settings{Network: Network{Name: "one_layer"}, FrozenWeights: true}
	m := testkit.Must(NewModel(settings, data, ModelOptions{}))(t)
	variables := testkit.Must(m.Variables())(t)
	for i, tensor := range variables {
		values := map[string][]float32{"theta.dense1.weights": {10, -5, 3, 8, -12, 2},
			"theta.dense1.bias": {1, -0.5}}[tensor.Name]
		if values != nil {
			variables[i].Data = safetensors.FromFloats(tensor.Name, values).Data
		}
	}
	testkit.NoError(t, m.SetVariables(variables, false))
	return m, data.Train
}

// quadrature returns the means, the standard deviations and the correlation of the two latents.
func quadrature(t *testing.T, m *Model, images dataset.Images, priorStd float64) []float64 {
	t.Helper()
	state := State{Variables: testkit.Must(m.Variables())(t)}
	weights, bias := valuesOf(t, state, "theta.dense1.weights"),
		valuesOf(t, state, "theta.dense1.bias")
	var logits [][2]float64
	size := images.Height * images.Width
	for n := range images.Count() {
		var row [2]float64
		for k := range row {
			row[k] = bias[k]
			for channel := range 3 {
				mean := 0.0
				for p := range size {
					mean += (float64(images.Pixels[(n*size+p)*3+channel])/255 -
						m.Mean[channel]) / m.Std[channel] / float64(size)
				}
				row[k] += mean * weights[channel*2+k]
			}
		}
		logits = append(logits, row)
	}
	const cells, reach = 400, 6.0
	var sum, a, b, aa, bb, ab float64
	for i := range cells {
		for j := range cells {
			z := [2]float64{1 + priorStd*reach*(2*float64(i)/(cells-1)-1),
				1 + priorStd*reach*(2*float64(j)/(cells-1)-1)}
			log := -((z[0]-1)*(z[0]-1) + (z[1]-1)*(z[1]-1)) / (2 * priorStd * priorStd)
			for n, row := range logits {
				margin := row[0]*z[0] - row[1]*z[1]
				if images.Labels[n] == 1 {
					margin = -margin
				}
				log -= math.Log1p(math.Exp(-margin))
			}
			w := math.Exp(log)
			sum, a, b = sum+w, a+w*z[0], b+w*z[1]
			aa, bb, ab = aa+w*z[0]*z[0], bb+w*z[1]*z[1], ab+w*z[0]*z[1]
		}
	}
	a, b, aa, bb, ab = a/sum, b/sum, aa/sum, bb/sum, ab/sum
	va, vb := math.Sqrt(aa-a*a), math.Sqrt(bb-b*b)
	return []float64{a, b, va, vb, (ab - a*b) / (va * vb)}
}
