package network

import (
	"github.com/gomlx/compute-onnx/support/protos"

	"github.com/nbbnn/workbench/internal/onnx/onnxtest"
)

// onnxRuntime holds what ONNX Runtime answers about the first images with networks whose operations
// onnx-gomlx lacks.
var onnxRuntime = map[string][]float32{
	"grouped": {-0.6441096, -0.5376819, -1.80879, -0.5400378, -0.5653726, -1.846879, -0.6174841,
		-0.5466896, -1.826915, -0.6004164, -0.5304356, -1.815663},
	"scaled groups": {0.5645846, 1.066666, -0.8422725, 0.5912055, 1.031368, -0.7838469, 0.6039217,
		0.9387399, -0.6321476, 0.5821965, 1.024207, -0.7198938},
	"pools": {33.8889, -48.29408, 34.46516, 29.03409, -37.88333, 26.19079, 38.1763, -47.73629,
		27.28832, 32.05767, -35.85506, 25.80595},
}

// grouped normalises groups of channels, as PyTorch writes it, and the channels and groups of a
// transposed convolution.
func grouped(side, classes int64) *protos.ModelProto {
	b := onnxtest.New(side)
	b.Model.OpsetImport[0].Version = 21
	x := b.Conv("input", "stem", 3, 8, 3, 1)
	y := b.Node("Reshape", []string{x, b.Whole("groups", 0, 4, -1)})
	y = b.Node("InstanceNormalization", []string{y, b.Weight("a", 1, 0.3, 4), b.Weight("b", 0, 0.3,
		4)})
	y = b.Node("Relu", []string{b.Node("Reshape", []string{y, b.Node("Shape", []string{x})})})
	y = b.Node("ConvTranspose", []string{y, b.Weight("up.weight", 0, 0.4, 8, 3, 3, 2),
		b.Weight("up.bias", 0, 0.3, 6)}, onnxtest.Ints("strides", 2, 3), onnxtest.Int("group", 2),
		onnxtest.Ints("pads", 1, 0, 0, 1), onnxtest.Ints("output_padding", 1, 0),
		onnxtest.Ints("dilations", 1, 2))
	y = b.Node("InstanceNormalization", []string{y, b.Weight("c", 1, 0.3, 6), b.Weight("d", 0, 0.3,
		6)})
	y = b.Node("GroupNormalization", []string{b.Node("Relu", []string{y}), b.Weight("e", 1, 0.3, 6),
		b.Weight("f", 0, 0.3, 6)}, onnxtest.Int("num_groups", 3))
	y = b.Node("GlobalAveragePool", []string{b.Node("Relu", []string{y})})
	return b.End(b.Node("Flatten", []string{y}, onnxtest.Int("axis", 1)), 6, classes)
}

// scaledGroups has a scale and a bias for each group, as opset 18 wants them; from 21 on they are
// for each channel, as in grouped.
func scaledGroups(side, classes int64) *protos.ModelProto {
	b := onnxtest.New(side)
	b.Model.OpsetImport[0].Version = 18
	x := b.Node("GroupNormalization", []string{b.Conv("input", "stem", 3, 6, 3, 1),
		b.Weight("a", 1, 0.3, 3), b.Weight("b", 0, 0.3, 3)}, onnxtest.Int("num_groups", 3))
	x = b.Node("GlobalAveragePool", []string{b.Node("Relu", []string{x})})
	return b.End(b.Node("Flatten", []string{x}, onnxtest.Int("axis", 1)), 6, classes)
}

// pools has windows that reach over the end, count their padding or have no strides.
func pools(side, classes int64) *protos.ModelProto {
	b := onnxtest.New(side)
	window := func(side int64) *protos.AttributeProto {
		return onnxtest.Ints("kernel_shape", side, side)
	}
	end, two := onnxtest.Int("ceil_mode", 1), onnxtest.Ints("strides", 2, 2)
	x := b.Conv("input", "stem", 3, 8, 3, 1)
	y := b.Node("MaxPool", []string{x}, window(3), two, end)
	z := b.Node("AveragePool", []string{x}, window(3), two, end,
		onnxtest.Int("count_include_pad", 1), onnxtest.Ints("pads", 0, 1, 1, 0))
	y = b.Node("MaxPool", []string{b.Node("Add", []string{y, z})}, window(2))
	y = b.Node("AveragePool", []string{b.Conv(y, "more", 8, 8, 1, 1)}, window(2), two, end)
	y = b.Node("AveragePool", []string{y}, window(3), onnxtest.Text("auto_pad", "SAME_UPPER"),
		two)
	return b.End(b.Node("Flatten", []string{y}, onnxtest.Int("axis", 1)), 32, classes)
}
