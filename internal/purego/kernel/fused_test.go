//go:build unix

package kernel

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// A reading gives the same, to the last bit, as the images that it stands for, with any number of
// cores, and neither it nor what reads through it leaves its memory.
func TestReadingGivesWhatItStandsFor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		for _, l := range layers {
			if l.inputs%RowChannels > 0 {
				continue
			}
			for _, way := range readings(l) {
				runtime.GOMAXPROCS(1)
				want := l.readBy(s, way.images, nil)
				runtime.GOMAXPROCS(3)
				for i, got := range l.readBy(s, l.values().input, way.reading) {
					if !slices.Equal(got, want[i]) {
						t.Errorf("%v, %s: result %d differs from that of the images in memory", l,
							way.name, i)
					}
				}
				eachSide(t, func(t *testing.T, g *guarded) {
					l.readBy(s, g.copy(l.values().input), way.reading)
					g.free()
				})
			}
		}
	})
}

// readingCase is a reading of a layer's input and the images that it stands for.
type readingCase struct {
	name    string
	images  []float32
	reading InputRectifier
}

func readings(l layerSizes) []readingCase {
	p, input := Pixels{l.images, l.height * l.width, l.inputs}, l.values().input
	c := newNormalisationCase(rand.New(rand.NewPCG(51, 52)), p, true, false, true)
	Moments(p, c.Mean, c.Variance, input, c.Scale)
	normalised, rectified := make([]float32, len(input)), make([]float32, len(input))
	c.Apply(p, normalised, input, nil)
	ScaleRectify(p, rectified, input, c.Scale)
	return []readingCase{
		{"normalised", normalised, c.Normalisation.InputRectifier(p)},
		{"rectified", rectified, ScaleRectifier(p, c.Scale)},
	}
}

// readBy is what a layer and its kernel's gradient make of images.
func (l layerSizes) readBy(s *InstructionSet, images []float32,
	reading InputRectifier) [][]float32 {
	v, sizes := l.values(), l.forward()
	sizes.InputRectifier = reading
	output, kernelGradient := make([]float32, len(v.gradient)), make([]float32, len(v.kernel))
	s.Convolve(sizes, Finish{}, images, v.kernel, output)
	s.KernelGradient(sizes, images, v.gradient, kernelGradient)
	return [][]float32{output, kernelGradient}
}
