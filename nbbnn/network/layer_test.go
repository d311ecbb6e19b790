package network

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/testkit"
)

// layerOracle is a layer's input, parameters and latents, and its output without noise and in each
// mode.
type layerOracle struct {
	X       [][][][]float64 `json:"x_nhwc"`
	W       [][][][]float64 `json:"w_hwio"`
	B       []float64
	Z, S    [][]float64
	None    [][][][]float64
	In      [][][][]float64
	Out     [][][][]float64
	Both    [][][][]float64
	Padding int `json:"pad"`
	Stride  int
}

func TestConvolutionAgreesWithOracles(t *testing.T) {
	for _, c := range []struct {
		name            string
		stride, padding int
		tolerance       float64
	}{
		{"conv3x3_stride1_pad1", 1, 1, 1e-12},
		{"conv3x3_stride2_pad1", 2, 1, 1e-12},
		{"conv1x1_stride2_pad0", 2, 0, 1e-12},
	} {
		o := testkit.Oracle[layerOracle](t, "forward", c.name)
		if o.B == nil { // the 1x1 case has no bias and only output latents
			outputs := run(t, func(args []*Node) []*Node {
				return []*Node{scaleChannels(noisyConvolution(args[0], args[1], nil, nil, c.stride,
					c.padding), args[2])}
			}, o.X, o.W, o.S)
			testkit.Near(t, c.name, outputs[0], o.Out, c.tolerance)
			continue
		}
		outputs := run(t, func(args []*Node) []*Node {
			x, w, b, z, s := args[0], args[1], args[2], args[3], args[4]
			plain, noisy := noisyConvolution(x, w, b, nil, c.stride, c.padding),
				noisyConvolution(x, w, b, z, c.stride, c.padding)
			return []*Node{plain, noisy, scaleChannels(plain, s), scaleChannels(noisy, s)}
		}, o.X, o.W, o.B, o.Z, o.S)
		for i, want := range [][][][][]float64{o.None, o.In, o.Out, o.Both} {
			testkit.Near(t, c.name+[]string{" none", " in", " out", " both"}[i], outputs[i], want,
				c.tolerance)
		}
	}
}

func TestDenseAgreesWithOracles(t *testing.T) {
	o := testkit.Oracle[struct {
		X, Z, S             [][]float64
		W                   [][]float64 `json:"w_in_out"`
		B                   []float64
		None, In, Out, Both [][]float64
	}](t, "forward", "dense")
	outputs := run(t, func(args []*Node) []*Node {
		x, w, b, z, s := args[0], args[1], args[2], args[3], args[4]
		return []*Node{
			noisyDense(x, w, b, nil, nil), noisyDense(x, w, b, z, nil), noisyDense(x, w, b, nil, s),
			noisyDense(x, w, b, z, s),
		}
	}, o.X, o.W, o.B, o.Z, o.S)
	for i, want := range [][][]float64{o.None, o.In, o.Out, o.Both} {
		testkit.Near(t, []string{"none", "in", "out", "both"}[i], outputs[i], want, 1e-12)
	}
}

func TestReluHasTheGradientOfPyTorch(t *testing.T) {
	outputs := run(t, func(args []*Node) []*Node {
		y := relu(args[0])
		return []*Node{y, Gradient(ReduceAllSum(Mul(y, args[1])), args[0])[0]}
	}, []float32{-2, 0, 3}, []float32{5, 7, 11})
	testkit.Near(t, "relu", outputs[0], []float32{0, 0, 3}, 0)
	testkit.Near(t, "gradient", outputs[1], []float32{0, 0, 11}, 0)
}

// Masks of Monte-Carlo dropout reach every layer but the first of a network that has none, and the
// layers of a VGG16 that have. A dropped input is zero, the others are scaled so that the mean is
// one.
func TestDropoutInPredictions(t *testing.T) {
	const probability, images, samples = 0.3, 50, 40
	for name, want := range map[string]int{"allcnnc": 7, "resnet18": 20, "vgg16": 2} {
		settings := Settings{
			Network: Network{Name: name, Width: 4}, Posterior: Posterior{Mode: Deterministic},
			Dropout: probability,
		}
		m := testkit.Must(NewModel(settings, randomData(16, 32, 10),
			ModelOptions{Noise: HostNoise}))(t)
		if got := len(m.drawnLayers(false)); got != want || len(m.drawnLayers(true)) != want {
			t.Errorf("%s has dropout in %d layers, want %d", name, got, want)
		}
		if got := len(m.With(OneLatents, 1, 0).drawnLayers(false)); got != 0 {
			t.Errorf("%s with latents ones has dropout in %d layers, want none", name, got)
		}
		sum, zeros, count := 0.0, 0.0, 0.0
		for _, x := range testkit.Flatten(m.EvaluationNoise(7, 0, images,
			samples)[0].(*tensors.Tensor).Value()) {
			sum += x
			count++
			if x == 0 {
				zeros++
			}
		}
		testkit.Near(t, name+": share of zeros", zeros/count, probability,
			5*math.Sqrt(probability*(1-probability)/count))
		testkit.Near(t, name+": mean", sum/count, 1.0,
			5*math.Sqrt(probability/(1-probability)/count))
	}
}

// The samples of one linear layer with dropout have the mean of the layer without it and the
// variance p/(1-p) sum (w x)^2.
func TestDropoutOfALinearLayerHasTheClaimedMoments(t *testing.T) {
	const probability, in, rows = 0.2, 6, 40_000
	mask := make([]float32, rows*in)
	fillMask(mask, rand.New(rand.NewPCG(1, 2)), probability)
	x, w := []float64{1, -2, 0.5, 3, 0.1, -1}, []float64{0.3, 0.2, -1, 0.5, 2, -0.7}
	mean, variance, sum, squares := 0.0, 0.0, 0.0, 0.0
	for i := range in {
		mean += w[i] * x[i]
		variance += probability / (1 - probability) * w[i] * w[i] * x[i] * x[i]
	}
	for row := range rows {
		y := -mean
		for i := range in {
			y += w[i] * x[i] * float64(mask[row*in+i])
		}
		sum += y
		squares += y * y
	}
	testkit.Near(t, "mean", sum/rows, 0.0, 5*math.Sqrt(variance/rows))
	testkit.Near(t, "variance", squares/rows/variance, 1.0, 0.05)
}
