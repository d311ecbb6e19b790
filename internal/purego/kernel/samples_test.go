package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Convolving an image once for all of its samples gives what convolving copies of it gives.
func TestSamplesShareTheirImage(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		for _, l := range []layerSizes{{2, 8, 8, 3, 24, 3, 1, 1, 1}, {3, 7, 5, 3, 10, 3, 2, 1, 1}, {9, 1, 1, 3, 8, 1, 1, 0, 0}} {
			for _, finish := range sampleFinishes(l, 4) {
				checkSamples(t, s, l, 4, finish)
			}
		}
	})
}

// sampleFinishes are a finish for every path that the samples may take.
func sampleFinishes(l layerSizes, samples int) []Finish {
	random := rand.New(rand.NewPCG(9, 10))
	bias, scale := normals(random, l.outputs), normals(random, l.images*samples*l.outputs)
	return []Finish{
		{}, {Bias: bias}, {Bias: bias, Scale: scale}, {Bias: bias, Scale: scale, Rectify: true}, {Scale: scale[:l.outputs]}, {Rectify: true},
	}
}

func checkSamples(t *testing.T, s *InstructionSet, l layerSizes, samples int, finish Finish) {
	t.Helper()
	shared := l.forward()
	shared.Samples = samples
	v := l.values()
	l.images *= samples
	rows := l.values()
	image := len(v.input) / shared.Images
	for row := range l.images {
		copy(rows.input[row*image:(row+1)*image], v.input[row/samples*image:])
	}
	want, got := make([]float32, len(rows.gradient)), make([]float32, len(rows.gradient))
	s.Convolve(l.forward(), finish, rows.input, rows.kernel, want)
	s.Convolve(shared, finish, v.input, rows.kernel, got)
	compare(t, fmt.Sprintf("%v: output", l), got, widened(want), layerTolerance)
	want, got = make([]float32, len(rows.kernel)), make([]float32, len(rows.kernel))
	s.KernelGradient(l.forward(), rows.input, rows.gradient, want)
	s.KernelGradient(shared, v.input, rows.gradient, got)
	compare(t, fmt.Sprintf("%v: kernel gradient", l), got, widened(want), layerTolerance)
}

func widened(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, value := range values {
		wide[i] = float64(value)
	}
	return wide
}
