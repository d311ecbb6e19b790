package network

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The answers that the generator's authors publish with it.
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, test := range []struct{ counter, key, want []uint32 }{
		{[]uint32{0, 0, 0, 0}, []uint32{0, 0}, []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
			0x9b00dbd8}},
		{
			[]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
			[]uint32{0xffffffff, 0xffffffff},
			[]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			[]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			[]uint32{0xa4093822, 0x299f31d0},
			[]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		outputs := run(t, func(args []*Node) []*Node {
			words := philox([4]*Node(scalarsOf(args[0])), [2]*Node(scalarsOf(args[1])))
			return words[:]
		}, test.counter, test.key)
		for i, want := range test.want {
			if got := outputs[i].(uint32); got != want {
				t.Errorf("philox(%x, %x): word %d is %08x, want %08x", test.counter, test.key, i,
					got, want)
			}
		}
	}
}

// scalarsOf takes a vector apart into scalars.
func scalarsOf(x *Node) (scalars []*Node) {
	for i := range x.Shape().Dim(0) {
		scalars = append(scalars, Reshape(Slice(x, AxisElem(i))))
	}
	return scalars
}

// Largest and smallest words make finite numbers.
func TestNormalOfExtremeWords(t *testing.T) {
	words := []uint32{0, 1, 1 << 31, 1<<32 - 1}
	outputs := run(t, func(args []*Node) []*Node {
		return []*Node{normalOf(args[0], args[1])}
	}, words, words)
	for i, value := range numbers(outputs[0]) {
		if math.IsNaN(value) || math.Abs(value) > 7 {
			t.Errorf("word %08x makes %v, want a number of at most 7", words[i], value)
		}
	}
}

var numbers = testkit.Flatten

// noiseNetwork is the network of a configuration whose noise is drawn in the graph.
func noiseNetwork(t testing.TB, config Settings) *Model {
	t.Helper()
	return testkit.Must(NewModel(config, randomData(16, 8, 10), ModelOptions{Noise: DeviceNoise}))(
		t)
}

// drawn returns the draws of the layers for images first, first+1, ....
func (n *Model) drawn(t testing.TB, first, images, samples int) (layers [][]float64) {
	t.Helper()
	for _, layer := range run(t, func(args []*Node) []*Node {
		return n.drawNoise(args[0], images, samples, true)
	},
		tensors.FromFlatDataAndDimensions(noiseKey([4]uint64{1 << 40, 2}, first), 4)) {
		layers = append(layers, numbers(layer))
	}
	return layers
}

// Draws are standard normal, and neighbours, rows and layers are independent.
func TestDeviceNoiseIsStandardNormal(t *testing.T) {
	config := tinySettings()
	config.Network.Width = 32
	var all, lagged []float64
	for _, layer := range noiseNetwork(t, config).drawn(t, 0, 40, 4) {
		all = append(all, layer...)
		for i := range len(layer) - 1 {
			lagged = append(lagged, layer[i]*layer[i+1])
		}
	}
	for _, test := range []struct {
		name            string
		power           int
		want, tolerance float64
	}{{"mean", 1, 0, 0.02}, {"variance", 2, 1, 0.03}, {"skewness", 3, 0, 0.05},
		{"fourth moment", 4, 3, 0.2}} {
		sum := 0.0
		for _, value := range all {
			sum += math.Pow(value, float64(test.power))
		}
		testkit.Near(t, test.name, sum/float64(len(all)), test.want, test.tolerance)
	}
	sum := 0.0
	for _, product := range lagged {
		sum += product
	}
	testkit.Near(t, "correlation of neighbours", sum/float64(len(lagged)), 0.0, 0.02)
}

// The draws of an image depend on its index and the sample, not on the batch that it's in.
func TestDeviceNoiseDependsOnTheImageAlone(t *testing.T) {
	n := noiseNetwork(t, tinySettings())
	all, some := n.drawn(t, 0, 5, 2), n.drawn(t, 3, 2, 2)
	for layer := range all {
		size := len(all[layer]) / 5
		testkit.Near(t, "images 3 and 4", some[layer], all[layer][3*size:], 0)
		if all[layer][0] == all[layer][size] || all[layer][0] == all[layer][size/2] {
			t.Errorf("layer %d: two rows have the same draws", layer)
		}
	}
}

// A dropout mask has the mean one and the right share of zeros.
func TestDropoutMaskOnTheDevice(t *testing.T) {
	const count, probability, tolerance = 4000, 0.25, 0.03
	words := make([]uint32, count)
	for i := range words {
		words[i] = uint32(i) * (math.MaxUint32 / count)
	}
	mask := numbers(run(t, func(args []*Node) []*Node {
		return []*Node{dropoutMask(args[0], probability)}
	}, words)[0])
	zeros, sum := 0, 0.0
	for _, value := range mask {
		sum += value
		if value == 0 {
			zeros++
		}
	}
	testkit.Near(t, "share of zeros", float64(zeros)/count, probability, tolerance)
	testkit.Near(t, "mean", sum/count, 1.0, tolerance)
}
