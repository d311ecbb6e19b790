//go:build amd64

package kernel

import (
	"fmt"
	"testing"
)

// BenchmarkConvolution measures layers of All-CNN-C at the published and at a quarter of the width.
func BenchmarkConvolution(b *testing.B) {
	for _, l := range []layerSizes{
		{64, 32, 32, 96, 96, 3, 1, 1, 1}, {128, 16, 16, 192, 192, 3, 1, 1, 1}, {128, 32, 32, 96, 96, 3, 2, 1, 1},
		{128, 32, 32, 3, 24, 3, 1, 1, 1}, {128, 32, 32, 24, 24, 3, 1, 1, 1}, {128, 16, 16, 48, 48, 3, 1, 1, 1},
	} {
		v := l.values()
		output, inputGradient, kernelGradient := make([]float32, len(v.gradient)), make([]float32, len(v.input)), make([]float32, len(v.kernel))
		operations := 2 * float64(len(v.gradient)*l.kernel*l.kernel*l.inputs)
		for _, s := range Available() {
			measure := func(what string, do func()) {
				name := fmt.Sprintf("%s/%s/%dx%dx%dx%d-%d/stride=%d", s.Name, what, l.images, l.height, l.width, l.inputs, l.outputs, l.stride)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						do()
					}
					b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
			measure("forward", func() { s.Convolve(l.forward(), Finish{}, v.input, v.kernel, output) })
			measure("input", func() { s.Convolve(l.backward(), Finish{}, v.gradient, v.kernel, inputGradient) })
			measure("kernel", func() { s.KernelGradient(l.forward(), v.input, v.gradient, kernelGradient) })
		}
	}
}
