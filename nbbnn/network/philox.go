package network

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// noiseKey returns the key from which a pass draws its noise on the device: two words of the
// stream, the index of the first image, and zero.
func noiseKey(words [4]uint64, first int) []uint32 {
	return []uint32{uint32(words[0]), uint32(words[0] >> 32), uint32(first), 0}
}

// noiseWords returns the random words of all latents, each uint32 [images*samples, total].
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

// normalOf returns standard normal numbers, each from two random words (Box and Muller).
func normalOf(first, second *Node) *Node {
	radius := Sqrt(MulScalar(Log(uniformOf(first)), -2))
	return StopGradient(Mul(radius, Cos(MulScalar(uniformOf(second), 2*math.Pi))))
}

// normalsFromKey returns standard normal numbers, [count], from a key as noiseKey makes it. Each
// stream of the key has others.
func normalsFromKey(key *Node, count, stream int) *Node {
	const each = 4 // numbers of a counter
	g := key.Graph()
	at := func(i int) *Node { return Reshape(Slice(key, AxisElem(i))) }
	index := Iota(g, shapes.Make(dtypes.Uint32, (count+each-1)/each), 0)
	counter := [4]*Node{index, Const(g, uint32(stream)), Const(g, uint32(0)), at(3)}
	numbers := Concatenate(normalsOf(philox(counter, [2]*Node{at(0), at(1)})), 0)
	return Slice(numbers, AxisRange(0, count))
}

// normalsOf returns four standard normal numbers from four random words: two from each pair.
func normalsOf(words [4]*Node) (all []*Node) {
	for pair := range 2 {
		radius := Sqrt(MulScalar(Log(uniformOf(words[2*pair])), -2))
		angle := MulScalar(uniformOf(words[2*pair+1]), 2*math.Pi)
		all = append(all, StopGradient(Mul(radius, Cos(angle))),
			StopGradient(Mul(radius, Sin(angle))))
	}
	return all
}

// dropoutMask returns 0 with the given probability p, otherwise 1/(1-p), so that the mean is one.
func dropoutMask(words *Node, probability float64) *Node {
	limit := Scalar(words.Graph(), dtypes.Float32, probability)
	kept := ConvertDType(GreaterThan(uniformOf(words), limit), computeType)
	return StopGradient(MulScalar(kept, 1/(1-probability)))
}

// philoxRounds is the number of rounds that the generator's authors recommend.
const philoxRounds = 10

// philox returns 128 random bits for each counter, as four words uint32: the generator Philox
// 4x32-10 of Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011). The words of
// the counter broadcast against each other and give the shape; the words of the key are scalars. It
// has no state: any number can be computed without the earlier ones.
func philox(counter [4]*Node, key [2]*Node) [4]*Node {
	const multiplier0, multiplier1, weyl0, weyl1 = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85
	for range philoxRounds {
		high0, low0 := wideProduct(counter[0], multiplier0)
		high1, low1 := wideProduct(counter[2], multiplier1)
		counter = [4]*Node{
			BitwiseXor(BitwiseXor(high1, counter[1]), key[0]), low1,
			BitwiseXor(BitwiseXor(high0, counter[3]), key[1]), low0,
		}
		key = [2]*Node{Add(key[0], word(key[0], weyl0)), Add(key[1], word(key[1], weyl1))}
	}
	return counter
}

// wideProduct returns the two halves of the product of 32-bit words with a constant.
func wideProduct(x *Node, constant uint32) (high, low *Node) {
	product := Mul(ConvertDType(x, dtypes.Uint64), Const(x.Graph(), uint64(constant)))
	high = ConvertDType(BitwiseShiftRightLogicalScalar(product, 32), dtypes.Uint32)
	return high, Mul(x, word(x, constant))
}

// word returns a constant in the graph of x.
func word(x *Node, value uint32) *Node { return Const(x.Graph(), value) }

// uniformOf maps words to numbers above zero and up to one, float32.
func uniformOf(words *Node) *Node {
	const unit = 1.0 / (1 << 32)
	return AddScalar(MulScalar(ConvertDType(words, dtypes.Float32), unit), unit/2)
}
