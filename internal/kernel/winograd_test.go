//go:build amd64

package kernel

import (
	"math"
	"testing"
)

// Winograd's way must not lose more than a ten thousandth of the outputs' scale, at the greatest number of channels that a
// network has. The sums of the definition are in float64.
func TestWinogradIsAccurate(t *testing.T) {
	const tolerance = 1e-4 // of the standard deviation of what is computed
	l := layerSizes{2, 8, 8, 512, 16, 3, 1, 1, 1}
	if !new(l.forward()).suitsWinograd() {
		t.Fatalf("%v doesn't take Winograd's way", l)
	}
	v := l.values()
	outputs, gradients := make([]float64, len(v.gradient)), make([]float64, len(v.kernel))
	l.products(func(p product) {
		outputs[p.output] += float64(v.input[p.input]) * float64(v.kernel[p.kernel])
		gradients[p.kernel] += float64(v.input[p.input]) * float64(v.gradient[p.output])
	})
	eachSet(t, func(t *testing.T, s *Set) {
		got := make([]float32, len(outputs))
		s.Convolve(l.forward(), Finish{}, v.input, v.kernel, got)
		if worst := worstError(got, outputs); !(worst < tolerance) {
			t.Errorf("output: the worst error is %.1e standard deviations, want less than %.0e", worst, tolerance)
		}
		got = make([]float32, len(gradients))
		s.KernelGradient(l.forward(), v.input, v.gradient, got)
		if worst := worstError(got, gradients); !(worst < tolerance) {
			t.Errorf("kernel gradient: the worst error is %.1e standard deviations, want less than %.0e", worst, tolerance)
		}
	})
}

// worstError is the greatest difference, in standard deviations of the wanted values, whose mean is about zero.
func worstError(got []float32, want []float64) float64 {
	var squares, worst float64
	for i, w := range want {
		squares += w * w
		worst = max(worst, math.Abs(float64(got[i])-w))
	}
	return worst / math.Sqrt(squares/float64(len(want)))
}

func TestWinogradKeepsWhatIsNotFinite(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		l := layerSizes{1, 8, 8, 16, 16, 3, 1, 1, 1}
		v, output := l.values(), make([]float32, 8*8*16)
		v.input[0] = float32(math.NaN())
		s.Convolve(l.forward(), Finish{Rectify: true}, v.input, v.kernel, output)
		if got := output[0]; got == got {
			t.Errorf("a NaN in the input gave %v, want a NaN", got)
		}
	})
}

// Layers with many channels are computed some output channels after the others.
func TestWinogradInParts(t *testing.T) {
	const tolerance = 1e-4 // of the standard deviation of the outputs
	l := layerSizes{2, 5, 6, 512, 296, 3, 1, 1, 1}
	v := l.values()
	finish := Finish{Bias: v.gradient[:l.outputs], Scale: v.gradient[l.outputs : 3*l.outputs], Rectify: true}
	eachSet(t, func(t *testing.T, s *Set) {
		blocks, _ := s.blocks(l.outputs)
		c := &convolver{blocks: blocks, start: make([]float32, 400)}
		if parts := c.parts(transformedNumbers / (frequencies * l.inputs)); len(parts) < 2 {
			t.Fatalf("%v is computed in %d parts, want several", l, len(parts))
		}
		got, direct := make([]float32, len(v.gradient)), make([]float32, len(v.gradient))
		s.convolveBy((*convolver).convolveWinograd, l.forward(), finish, v.input, v.kernel, got)
		s.convolveBy((*convolver).convolveDirectly, l.forward(), finish, v.input, v.kernel, direct)
		want := make([]float64, len(direct))
		for i, value := range direct {
			want[i] = float64(value)
		}
		if worst := worstError(got, want); !(worst < tolerance) {
			t.Errorf("the worst error is %.1e standard deviations, want less than %.0e", worst, tolerance)
		}
	})
}
