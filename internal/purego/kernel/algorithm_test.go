package kernel

import (
	"fmt"
	"testing"
)

// BenchmarkAlgorithms measures the ways to convolve 3 by 3 pixels beside each other: suitsWinograd
// and gradientSuitsWinograd were read from it.
func BenchmarkAlgorithms(b *testing.B) {
	for _, side := range []int{32, 16, 8, 4} {
		for _, channels := range []int{8, 16, 24, 32, 48, 64, 128} {
			l := layerSizes{128, side, side, channels, channels, 3, 1, 1, 1}
			v, output := l.values(), make([]float32, 128*side*side*channels)
			for _, s := range Available() {
				name := func(pass, algorithm string) string {
					return fmt.Sprintf("%s/%dx%d/%d/%s/%s", s.Name, side, side, channels, pass, algorithm)
				}
				forward := func(algorithm func(c *convolver, kernel []float32)) func() {
					return func() { s.convolveBy(algorithm, l.forward(), Finish{}, v.input, v.kernel, output) }
				}
				gradient := func(algorithm func(d *differentiator, output []float32)) func() {
					return func() { s.differentiateBy(algorithm, l.forward(), v.input, v.gradient, output[:len(v.kernel)]) }
				}
				l.measure(b, name("forward", "direct"), forward((*convolver).convolveDirect))
				l.measure(b, name("forward", "winograd"), forward((*convolver).convolveWinograd))
				l.measure(b, name("kernel", "direct"), gradient((*differentiator).differentiateDirect))
				l.measure(b, name("kernel", "winograd"), gradient((*differentiator).differentiateWinograd))
			}
		}
	}
}
