package network

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
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
		o := oracle[layerOracle](t, "forward", c.name)
		if o.B == nil { // the 1x1 case has no bias and only output latents
			outputs := run(t, func(args []*Node) []*Node {
				return []*Node{noisyConvolution(args[0], args[1], nil, nil, args[2], c.stride, c.padding)}
			}, o.X, o.W, o.S)
			near(t, c.name, outputs[0], o.Out, c.tolerance)
			continue
		}
		outputs := run(t, func(args []*Node) []*Node {
			x, w, b, z, s := args[0], args[1], args[2], args[3], args[4]
			return []*Node{
				noisyConvolution(x, w, b, nil, nil, c.stride, c.padding),
				noisyConvolution(x, w, b, z, nil, c.stride, c.padding),
				noisyConvolution(x, w, b, nil, s, c.stride, c.padding),
				noisyConvolution(x, w, b, z, s, c.stride, c.padding),
			}
		}, o.X, o.W, o.B, o.Z, o.S)
		for i, want := range [][][][][]float64{o.None, o.In, o.Out, o.Both} {
			near(t, c.name+[]string{" none", " in", " out", " both"}[i], outputs[i], want, c.tolerance)
		}
	}
}

func TestDenseAgreesWithOracles(t *testing.T) {
	o := oracle[struct {
		X, Z, S             [][]float64
		W                   [][]float64 `json:"w_in_out"`
		B                   []float64
		None, In, Out, Both [][]float64
	}](t, "forward", "dense")
	outputs := run(t, func(args []*Node) []*Node {
		x, w, b, z, s := args[0], args[1], args[2], args[3], args[4]
		return []*Node{
			noisyDense(x, w, b, nil, nil), noisyDense(x, w, b, z, nil), noisyDense(x, w, b, nil, s), noisyDense(x, w, b, z, s),
		}
	}, o.X, o.W, o.B, o.Z, o.S)
	for i, want := range [][][]float64{o.None, o.In, o.Out, o.Both} {
		near(t, []string{"none", "in", "out", "both"}[i], outputs[i], want, 1e-12)
	}
}

// A fixed output latent equals the weights W s and the bias b s.
func TestOutputLatentsFoldIntoWeights(t *testing.T) {
	o := oracle[layerOracle](t, "forward", "conv3x3_stride1_pad1")
	outputs := run(t, func(args []*Node) []*Node {
		x, w, b, s := args[0], args[1], args[2], args[3]
		noisy := noisyConvolution(x, w, b, nil, BroadcastToDims(s, x.Shape().Dim(0), s.Shape().Dim(1)), 1, 1)
		folded := noisyConvolution(x, Mul(w, Reshape(s, 1, 1, 1, s.Shape().Dim(1))), Mul(b, Squeeze(s, 0)), nil, nil, 1, 1)
		return []*Node{noisy, folded}
	}, o.X, o.W, o.B, o.S[:1])
	near(t, "folded weights", outputs[1], outputs[0], 1e-12)
}

func TestReluHasTheGradientOfPyTorch(t *testing.T) {
	outputs := run(t, func(args []*Node) []*Node {
		y := relu(args[0])
		return []*Node{y, Gradient(ReduceAllSum(Mul(y, args[1])), args[0])[0]}
	}, []float32{-2, 0, 3}, []float32{5, 7, 11})
	near(t, "relu", outputs[0], []float32{0, 0, 3}, 0)
	near(t, "gradient", outputs[1], []float32{0, 0, 11}, 0)
}
