package kernel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// outputsOf are all that a layer computes.
func (l layerSizes) outputsOf(s *InstructionSet) [][]float32 {
	v := l.values()
	output, inputGradient, kernelGradient := make([]float32, len(v.gradient)), make([]float32, len(v.input)), make([]float32, len(v.kernel))
	s.Convolve(l.forward(), Finish{Bias: v.kernel[:l.outputs], Rectify: true}, v.input, v.kernel, output)
	s.Convolve(l.backward(), Finish{Residual: v.input}, v.gradient, v.kernel, inputGradient)
	s.KernelGradient(l.forward(), v.input, v.gradient, kernelGradient)
	results := [][]float32{output, inputGradient, kernelGradient}
	sums := make([]float32, l.outputs)
	SumImages(Pixels{l.images, l.output(l.height) * l.output(l.width), l.outputs}, sums, v.gradient)
	return append(results, sums)
}

// coreCounts are numbers of cores, and so of workers, that must give the same bits.
var coreCounts = []int{1, 2, 3, 8, 16, 64}

func TestResultsDoNotDependOnTheNumberOfCores(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		for _, l := range layers {
			runtime.GOMAXPROCS(1)
			want := l.outputsOf(s)
			for _, cores := range coreCounts[1:] {
				runtime.GOMAXPROCS(cores)
				for i, got := range l.outputsOf(s) {
					if !slices.Equal(got, want[i]) {
						t.Errorf("%v: result %d with %d cores differs from that with one", l, i, cores)
					}
				}
			}
		}
	})
	t.Logf("the same with %s workers", strings.Trim(fmt.Sprint(coreCounts), "[]"))
}

func TestLayersDoNotDependOnTheNumberOfCores(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		for _, p := range append(pixelSizes, Pixels{7, 100, 200}) {
			runtime.GOMAXPROCS(1)
			want := normalisedBy(p)
			for _, cores := range coreCounts[1:] {
				runtime.GOMAXPROCS(cores)
				for i, got := range normalisedBy(p) {
					if !slices.Equal(got, want[i]) {
						t.Errorf("%v: result %d with %d cores differs from that with one", p, i, cores)
					}
				}
			}
		}
	})
}

// normalisedBy is everything that a normalisation with noise, a residual and a rectifier computes.
func normalisedBy(p Pixels) [][]float32 {
	c := newNormalisationCase(rand.New(rand.NewPCG(75, 76)), p, true, true, true)
	Moments(p, c.Mean, c.Variance, c.input, c.Scale)
	output, to := make([]float32, len(c.input)), c.gradients()
	c.Apply(p, output, c.input, c.residual)
	c.Differentiate(p, to, c.gradient, output, c.input)
	return [][]float32{c.Mean, c.Variance, output, to.Input, to.Scale, to.Gain, to.Shift, to.Residual}
}

func TestParallelHandsOnAPanic(t *testing.T) {
	defer func() {
		if got := recover(); got != "worker" {
			t.Errorf("recovered %v, want the panic of the worker", got)
		}
	}()
	Parallel(Workers(), 16, func(_, i int) {
		if i == 7 {
			panic("worker")
		}
	})
}
