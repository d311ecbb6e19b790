package kernel

import (
	"fmt"
	"testing"
)

// networkLayer is a kind of layer that the networks have, with what they are.
type networkLayer struct {
	networks string
	sizes    layerSizes
}

// networkLayers are the convolutions of the four networks at the published width, for 32 images x 4
// samples of 32 pixels, and the most frequent ones at a quarter of it.
var networkLayers = []networkLayer{
	{"All-CNN-C", layerSizes{128, 32, 32, 96, 96, 3, 1, 1, 1}},
	{"All-CNN-C", layerSizes{128, 32, 32, 96, 96, 3, 2, 1, 1}},
	{"All-CNN-C", layerSizes{128, 16, 16, 96, 192, 3, 1, 1, 1}},
	{"All-CNN-C", layerSizes{128, 16, 16, 192, 192, 3, 1, 1, 1}},
	{"All-CNN-C", layerSizes{128, 16, 16, 192, 192, 3, 2, 1, 1}},
	{"All-CNN-C", layerSizes{128, 8, 8, 192, 192, 3, 1, 1, 1}},
	{"All-CNN-C", layerSizes{128, 8, 8, 192, 10, 1, 1, 0, 0}},
	{"All-CNN-C/4", layerSizes{128, 32, 32, 3, 24, 3, 1, 1, 1}},
	{"All-CNN-C/4", layerSizes{128, 32, 32, 24, 24, 3, 1, 1, 1}},
	{"All-CNN-C/4", layerSizes{128, 32, 32, 24, 24, 3, 2, 1, 1}},
	{"All-CNN-C/4", layerSizes{128, 16, 16, 48, 48, 3, 1, 1, 1}},
	{"All-CNN-C/4", layerSizes{128, 8, 8, 48, 48, 3, 1, 1, 1}},
	{"VGG,ResNet", layerSizes{128, 32, 32, 3, 64, 3, 1, 1, 1}},
	{"VGG,ResNet", layerSizes{128, 32, 32, 64, 64, 3, 1, 1, 1}},
	{"VGG,ResNet", layerSizes{128, 16, 16, 128, 128, 3, 1, 1, 1}},
	{"VGG,ResNet", layerSizes{128, 8, 8, 256, 256, 3, 1, 1, 1}},
	{"VGG,ResNet", layerSizes{128, 4, 4, 512, 512, 3, 1, 1, 1}},
	{"VGG", layerSizes{128, 2, 2, 512, 512, 3, 1, 1, 1}},
	{"ResNet", layerSizes{128, 32, 32, 64, 128, 3, 2, 1, 1}},
	{"ResNet", layerSizes{128, 16, 16, 128, 256, 3, 2, 1, 1}},
	{"ResNet", layerSizes{128, 8, 8, 256, 512, 3, 2, 1, 1}},
	{"ResNet", layerSizes{128, 32, 32, 64, 128, 1, 2, 0, 0}},
	{"ResNet", layerSizes{128, 16, 16, 128, 256, 1, 2, 0, 0}},
	{"ResNet", layerSizes{128, 8, 8, 256, 512, 1, 2, 0, 0}},
	{"PreActResNet", layerSizes{32, 64, 64, 64, 64, 3, 1, 1, 1}},
	{"PreActResNet", layerSizes{128, 8, 8, 512, 512, 3, 1, 1, 1}},
	{"VGG,ResNet/4", layerSizes{128, 32, 32, 16, 16, 3, 1, 1, 1}},
	{"VGG,ResNet/4", layerSizes{128, 16, 16, 32, 32, 3, 1, 1, 1}},
	{"VGG,ResNet/4", layerSizes{128, 8, 8, 64, 64, 3, 1, 1, 1}},
	{"VGG,ResNet/4", layerSizes{128, 4, 4, 128, 128, 3, 1, 1, 1}},
	{"VGG/4", layerSizes{128, 2, 2, 128, 128, 3, 1, 1, 1}},
	{"ResNet/4", layerSizes{128, 32, 32, 16, 32, 3, 2, 1, 1}},
	{"ResNet/4", layerSizes{128, 8, 8, 64, 128, 3, 2, 1, 1}},
	{"ResNet/4", layerSizes{128, 32, 32, 16, 32, 1, 2, 0, 0}},
	{"VGG's dense", layerSizes{128, 1, 1, 512, 512, 1, 1, 0, 0}},
	{"product of matrices", layerSizes{1536, 1, 1, 1536, 1536, 1, 1, 0, 0}},
}

// operations of one pass over a layer, by the definition of a convolution.
func (l layerSizes) operations() float64 {
	return 2 * float64(l.images*l.output(l.height)*l.output(l.width)*l.outputs*l.kernel*l.kernel*l.inputs)
}

// measure runs one pass over a layer as a benchmark.
func (l layerSizes) measure(b *testing.B, name string, pass func()) {
	b.Run(name, func(b *testing.B) {
		pass()
		for b.Loop() {
			pass()
		}
		b.ReportMetric(l.operations()*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

// BenchmarkConvolution measures the networks' layers. Winograd's convolution multiplies less than
// is counted here. The plain product of matrices at the end is what to compare with.
func BenchmarkConvolution(b *testing.B) {
	for _, n := range networkLayers {
		l := n.sizes
		v := l.values()
		output, inputGradient, kernelGradient := make([]float32, len(v.gradient)), make([]float32, len(v.input)), make([]float32, len(v.kernel))
		for _, s := range Available() {
			name := fmt.Sprintf("%s/%s/%dx%d/%d-%d/kernel=%d/stride=%d/", s.Name, n.networks, l.height, l.width, l.inputs, l.outputs, l.kernel, l.stride)
			l.measure(b, name+"forward", func() { s.Convolve(l.forward(), Finish{}, v.input, v.kernel, output) })
			l.measure(b, name+"input", func() { s.Convolve(l.backward(), Finish{}, v.gradient, v.kernel, inputGradient) })
			l.measure(b, name+"kernel", func() { s.KernelGradient(l.forward(), v.input, v.gradient, kernelGradient) })
		}
	}
}
