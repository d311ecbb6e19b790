package kernel

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// Winograd's algorithm must not lose more than a ten thousandth of the outputs' scale, at the
// greatest number of channels that a network has. The sums of the definition are in float64.
func TestWinogradIsAccurate(t *testing.T) {
	const tolerance = 1e-4 // of the standard deviation of what is computed
	l := layerSizes{2, 8, 8, 512, 16, 3, 1, 1, 1}
	if !new(l.forward()).suitsWinograd() {
		t.Fatalf("%v doesn't take Winograd's algorithm", l)
	}
	v := l.values()
	outputs, gradients := make([]float64, len(v.gradient)), make([]float64, len(v.kernel))
	l.products(func(p product) {
		outputs[p.output] += float64(v.input[p.input]) * float64(v.kernel[p.kernel])
		gradients[p.kernel] += float64(v.input[p.input]) * float64(v.gradient[p.output])
	})
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		got := make([]float32, len(outputs))
		s.Convolve(l.forward(), Finish{}, v.input, v.kernel, got)
		if worst := worstError(got, outputs); !(worst < tolerance) {
			t.Errorf("output: the worst error is %.1e standard deviations, want less than %.0e",
				worst, tolerance)
		}
		got = make([]float32, len(gradients))
		s.KernelGradient(l.forward(), v.input, v.gradient, got)
		if worst := worstError(got, gradients); !(worst < tolerance) {
			t.Errorf("kernel gradient: the worst error is %.1e standard deviations, want less "+
				"than %.0e", worst, tolerance)
		}
	})
}

// worstError is the greatest difference, in standard deviations of the wanted values, whose mean is
// about zero.
func worstError(got []float32, want []float64) float64 {
	var squares, worst float64
	for i, w := range want {
		squares += w * w
		worst = max(worst, math.Abs(float64(got[i])-w))
	}
	return worst / math.Sqrt(squares/float64(len(want)))
}

func TestWinogradKeepsWhatIsNotFinite(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
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
	finish := Finish{Bias: v.gradient[:l.outputs], Scale: v.gradient[l.outputs : 3*l.outputs],
		Rectify: true}
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		blocks, _ := s.blocks(l.outputs)
		c := &convolver{blocks: blocks, start: make([]float32, 400)}
		if parts := c.parts(transformedNumbers / (frequencies * l.inputs)); len(parts) < 2 {
			t.Fatalf("%v is computed in %d parts, want several", l, len(parts))
		}
		got, direct := make([]float32, len(v.gradient)), make([]float32, len(v.gradient))
		s.convolveBy((*convolver).convolveWinograd, l.forward(), finish, v.input, v.kernel, got)
		s.convolveBy((*convolver).convolveDirect, l.forward(), finish, v.input, v.kernel, direct)
		if worst := worstError(got, widened(direct)); !(worst < tolerance) {
			t.Errorf("the worst error is %.1e standard deviations, want less than %.0e", worst,
				tolerance)
		}
	})
}

// The kernel's gradient by Winograd's algorithm takes several groups of tiles where there are many,
// for each partial sum or for all cores together, and they're the same ones on one core and on
// three.
func TestWinogradGradientTakesGroups(t *testing.T) {
	const tolerance = 1e-4 // of the standard deviation of the gradient
	for _, test := range []struct {
		layer layerSizes
		apart bool
	}{
		{layerSizes{91, 16, 16, 32, 32, 3, 1, 1, 1}, true},
		{layerSizes{19, 16, 15, 96, 96, 3, 1, 1, 1}, false},
	} {
		v := test.layer.values()
		eachSet(t, func(t *testing.T, s *InstructionSet) {
			if apart, groups := groupsOf(s, test.layer); apart != test.apart || groups < 2 {
				t.Fatalf("%v has %d groups, in partial sums: %v, want several, and %v", test.layer,
					groups, apart, test.apart)
			}
			direct, got := make([]float32, len(v.kernel)), make([]float32, len(v.kernel))
			s.differentiateBy((*differentiator).differentiateDirect, test.layer.forward(), v.input,
				v.gradient, direct)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			s.KernelGradient(test.layer.forward(), v.input, v.gradient, got)
			if worst := worstError(got, widened(direct)); !(worst < tolerance) {
				t.Errorf("%v: the worst error is %.1e standard deviations, want less than %.0e",
					test.layer, worst, tolerance)
			}
			runtime.GOMAXPROCS(3)
			onThree := make([]float32, len(v.kernel))
			s.KernelGradient(test.layer.forward(), v.input, v.gradient, onThree)
			if !slices.Equal(onThree, got) {
				t.Errorf("%v: the gradient with three cores differs from that with one", test.layer)
			}
		})
	}
}

// groupsOf reports whether a layer's kernel gradient has partial sums, and how many groups of tiles
// the first sum takes.
func groupsOf(s *InstructionSet, l layerSizes) (apart bool, groups int) {
	sizes := l.forward()
	d := &differentiator{set: s, sizes: &sizes}
	d.blocks, d.width = s.blocks(l.outputs)
	d.panels = (l.inputs + s.gradientChannels - 1) / s.gradientChannels
	w := &winogradDifferentiator{differentiator: d, tiling: newTiling(&sizes)}
	w.numbersOfFrequency = w.panels * s.gradientChannels * w.width
	tiles := w.tiles
	if apart = sizes.sumsAreSmall(); apart {
		w.arrange(ownGroup, fewestSums)
		tiles /= fewestSums
	} else {
		w.arrange(sharedGroup, 1)
	}
	return apart, (tiles + w.group - 1) / w.group
}
