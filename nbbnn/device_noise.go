package nbbnn

import (
	"math"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Noise says where the standard normal draws of the latents are made.
type Noise string

// The sources of noise.
const (
	HostNoise   Noise = "host"   // beside the graph, the same for every engine
	DeviceNoise Noise = "device" // in the graph: a GPU has not to wait for its host
)

// noise is the source that the network's engine asks for.
func (n *network) noise() Noise {
	if n.deviceNoise {
		return DeviceNoise
	}
	return HostNoise
}

// joinNoise names the sources that had a part in a training, in order.
func joinNoise(sources []Noise) Noise {
	words := make([]string, len(sources))
	for i, source := range sources {
		words[i] = string(source)
	}
	return Noise(strings.Join(words, ", then "))
}

// noiseKey is all that a pass needs to draw its noise on the device: two words of the stream, the index of the first image,
// and zero.
func noiseKey(words [4]uint64, first int) []uint32 {
	return []uint32{uint32(words[0]), uint32(words[0] >> 32), uint32(first), 0}
}

// drawNoise draws the epsilon of every layer in the graph, each [images*samples, D]. A number depends on the key, the index of
// its image, the sample and its place among all latents of the network, and on nothing else: not on the size of the batch.
func (n *network) drawNoise(key *Node, images, samples int, training bool) []*Node {
	layers := n.drawnLayers(training)
	widths, total := make([]int, len(layers)), 0
	for i, l := range layers {
		widths[i] = n.drawnDimensions(l)
		total += widths[i]
	}
	words := noiseWords(key, images, samples, total)
	numbers := make([]*Node, len(layers))
	for i, at := 0, 0; i < len(layers); i++ {
		columns := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(at, at+widths[i])) }
		if n.config.Posterior.Mode == Deterministic {
			numbers[i] = dropoutMask(columns(words[0]), layers[i].dropout)
		} else {
			numbers[i] = normalOf(columns(words[0]), columns(words[1]))
		}
		at += widths[i]
	}
	return numbers
}

// noiseWords are the random words of all latents, each uint32 [images*samples, total].
func noiseWords(key *Node, images, samples, total int) [4]*Node {
	if total == 0 {
		return [4]*Node{}
	}
	g, rows := key.Graph(), images*samples
	at := func(i int) *Node { return Reshape(Slice(key, AxisElem(i))) }
	row := Iota(g, shapes.Make(dtypes.Uint32, rows, 1), 0)
	count := Const(g, uint32(samples))
	image := Add(Div(row, count), at(2))                          // [rows, 1]
	sample := Mod(row, count)                                     // [rows, 1]
	column := Iota(g, shapes.Make(dtypes.Uint32, rows, total), 1) // [rows, total]
	return philox([4]*Node{column, sample, image, at(3)}, [2]*Node{at(0), at(1)})
}

// normalOf makes standard normal numbers of two random words each (Box and Muller).
func normalOf(first, second *Node) *Node {
	radius := Sqrt(MulScalar(Log(uniformOf(first)), -2))
	return StopGradient(Mul(radius, Cos(MulScalar(uniformOf(second), 2*math.Pi))))
}

// dropoutMask is 0 with the given probability, else what keeps the mean at one.
func dropoutMask(words *Node, probability float64) *Node {
	kept := ConvertDType(GreaterThan(uniformOf(words), Scalar(words.Graph(), dtypes.Float32, probability)), computeType)
	return StopGradient(MulScalar(kept, 1/(1-probability)))
}
