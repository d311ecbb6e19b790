package kernel

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// shapes is the number of random shapes on which all sets are compared: a few by default, 10,000
// with `go test ./internal/purego/kernel -run AllSetsAgree -shapes 10000`. Each has a number, so
// that several calls can compare a part each.
var (
	shapes     = flag.Int("shapes", 100, "random `shapes` on which all sets are compared")
	firstShape = flag.Int("first", 0, "`number` of the first of these shapes")
)

// setTolerance is of the largest value: sums of products in another order, and with or without
// rounding between multiplication and addition.
const setTolerance = 4e-6

// Every set computes what the portable kernels define, and those in assembly the same bits: they
// add products in the same order, channel by channel.
func TestAllSetsAgree(t *testing.T) {
	before := passes
	defer func() { passes = before }()
	sets := Available()
	definition, others := sets[len(sets)-1], withBothRules(sets[:len(sets)-1])
	if len(others) == 0 {
		t.Skip("this processor runs the portable kernels only: there are none to compare them with")
	}
	for number := *firstShape; number < *firstShape+*shapes; number++ {
		random := rand.New(rand.NewPCG(91, uint64(number)))
		l, p, seed := randomLayer(random), randomPixels(random), random.Uint64()
		compute := func(s InstructionSet) map[string][]float32 {
			s.Use()
			results := l.resultsOf(&s, rand.New(rand.NewPCG(seed, 1)))
			maps.Copy(results, p.resultsOf(rand.New(rand.NewPCG(seed, 2)), fromHeap))
			return results
		}
		want := compute(definition)
		var assembly map[string][]float32 // of the set before
		for _, s := range others {
			results := compute(s)
			for name, other := range assembly {
				if !slices.Equal(results[name], other) {
					t.Errorf("%v, %+v: %s: AVX2 and AVX-512 give different bits", l, p, name)
				}
			}
			assembly = results
			for name, got := range results {
				tolerance := setTolerance
				if strings.HasPrefix(name, "normalisation") {
					tolerance = normaliseTolerance
				}
				compare(t, fmt.Sprintf("%s, %v, %+v: %s", s.Name, l, p, name), got,
					widened(want[name]), tolerance)
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.Name
	}
	t.Logf("compared %s on %d shapes from %d on within %g, normalisation within %g",
		strings.Join(names, ", "), *shapes, *firstShape, setTolerance, normaliseTolerance)
}

// withBothRules adds each set as it is on processors that choose the narrower one by the other
// rule.
func withBothRules(sets []InstructionSet) []InstructionSet {
	all := slices.Clone(sets)
	for _, s := range sets {
		if s.narrower != nil {
			s.halved = !s.halved
			all = append(all, s)
		}
	}
	return all
}

// dividedLayers are layers whose kernel gradient is near a limit: padded to vectors of 16 channels,
// its sums would be divided in another way than padded to vectors of eight.
var dividedLayers = []layerSizes{
	// direct
	{16, 8, 8, 120, 120, 3, 2, 1, 1}, {16, 8, 8, 136, 136, 3, 2, 1, 1},
	{16, 8, 8, 100, 200, 3, 1, 1, 1},
	{16, 8, 8, 80, 88, 3, 1, 1, 1}, {16, 8, 8, 168, 40, 3, 1, 1, 1}, // Winograd's algorithm
	{20, 20, 20, 100, 136, 1, 1, 0, 0}, // across images, in groups
}

// The sets in assembly give the same bits for these layers, too.
func TestSetsDivideSumsAlike(t *testing.T) {
	before := passes
	defer func() { passes = before }()
	sets := Available()
	sets = withBothRules(sets[:len(sets)-1])
	if len(sets) < 2 {
		t.Skip("this processor runs one set in assembly at most: there are none to compare")
	}
	for _, l := range dividedLayers {
		compute := func(s InstructionSet) map[string][]float32 {
			s.Use()
			return l.resultsOf(&s, rand.New(rand.NewPCG(93, 94)))
		}
		want := compute(sets[0])
		for _, s := range sets[1:] {
			for name, got := range compute(s) {
				if !slices.Equal(got, want[name]) {
					t.Errorf("%v: %s: %s and %s give different bits", l, name, s.Name, sets[0].Name)
				}
			}
		}
	}
}

// randomLayer returns a small layer, one in ten times one of many channels and images, whose kernel
// gradient has another number of partial sums. Half of the layers have 3 by 3 pixels and whole
// vectors, which suit Winograd's algorithm.
func randomLayer(random *rand.Rand) layerSizes {
	large := random.IntN(10) == 0
	for {
		l := layerSizes{
			images: 1 + random.IntN(10), height: 1 + random.IntN(14), width: 1 + random.IntN(14),
			inputs: 1 + random.IntN(40), outputs: 1 + random.IntN(70),
			kernel: 1 + random.IntN(5), stride: 1 + random.IntN(3), before: random.IntN(3),
			after: random.IntN(3),
		}
		operations := 4e6
		if large {
			l.images, l.inputs, l.outputs, operations = 8+random.IntN(12), 40+random.IntN(160),
				40+random.IntN(160), 1e8
		}
		if random.IntN(2) == 0 {
			l.inputs, l.outputs, l.kernel, l.stride = (l.inputs+7)/8*8, (l.outputs+7)/8*8, tapSide,
				1
		}
		if random.IntN(4) == 0 { // vectors of pixels, and of taps
			l.width, l.inputs, l.outputs = 14+random.IntN(26), (l.inputs+7)/8*8, 8
			if random.IntN(2) == 0 {
				l.inputs, l.outputs = l.outputs, l.inputs
			}
		}
		fits := l.height+l.before+l.after >= l.kernel && l.width+l.before+l.after >= l.kernel &&
			max(l.before, l.after) < l.kernel
		if fits && l.operations() < operations {
			return l
		}
	}
}

// resultsOf are all that a layer computes, with a random finish.
func (l layerSizes) resultsOf(s *InstructionSet, random *rand.Rand) map[string][]float32 {
	pixels := l.output(l.height) * l.output(l.width)
	input, kernel := normals(random, l.images*l.height*l.width*l.inputs),
		normals(random, l.kernel*l.kernel*l.inputs*l.outputs)
	gradient := normals(random, l.images*pixels*l.outputs)
	finish := Finish{Rectify: random.IntN(2) == 0}
	if random.IntN(2) == 0 {
		finish.Bias = normals(random, l.outputs)
	}
	if random.IntN(2) == 0 {
		finish.Scale = normals(random, l.images*l.outputs)
	}
	if random.IntN(2) == 0 {
		finish.Residual = normals(random, len(gradient))
	}
	output, inputGradient, kernelGradient := make([]float32, len(gradient)),
		make([]float32, len(input)), make([]float32, len(kernel))
	s.Convolve(l.forward(), finish, input, kernel, output)
	s.Convolve(l.backward(), Finish{Residual: input}, gradient, kernel, inputGradient)
	s.KernelGradient(l.forward(), input, gradient, kernelGradient)
	return map[string][]float32{"output": output, "input gradient": inputGradient,
		"kernel gradient": kernelGradient}
}

func randomPixels(random *rand.Rand) Pixels {
	return Pixels{Images: 1 + random.IntN(4), Pixels: 4 * (1 + random.IntN(9)),
		Channels: 8 * (1 + random.IntN(17))}
}

// allocator gives the memory of a number of values.
type allocator func(length int) []float32

func fromHeap(length int) []float32 { return make([]float32, length) }

// normals are normal numbers in memory of the allocator.
func (allocate allocator) normals(random *rand.Rand, count int) []float32 {
	values := allocate(count)
	copy(values, normals(random, count))
	return values
}

// resultsOf are all that passes over images compute, with all values in memory of an allocator.
func (p Pixels) resultsOf(random *rand.Rand, allocate allocator) map[string][]float32 {
	draw := func(count int) []float32 { return allocate.normals(random, count) }
	size, rows := p.Images*p.Pixels*p.Channels, p.Images*p.Channels
	a, b, c, scale := draw(size), draw(size), draw(size), draw(rows)
	results := map[string][]float32{}
	result := func(name string, length int) []float32 {
		results[name] = allocate(length)
		return results[name]
	}
	for name, o := range map[string]Operation{"product": Multiply, "sum": Add, "maximum": Maximum} {
		o.Values(result(name+" of values", size), a, b)
		o.Number(result(name+" with a number", size), a, b[0])
		o.Rows(p, result(name+" with rows", size), a, scale)
		o.Rows(p, result(name+" with one row", size), a, scale[rows-p.Channels:])
	}
	Absolute(result("absolute values", size), a)
	MultiplySign(result("gradient times sign", size), a, b)
	ScaleMultiplySign(p, result("gradient times scale times sign", size), a, b, scale)
	ScaleRectify(p, result("scaled rectifier", size), a, scale)
	SumPixels(p, result("sums over pixels", rows), a)
	SumImages(p, result("sums over images", p.Channels), a)
	SumRows(result("sums over rows", p.Channels), a)
	SumProducts(p, result("sums of products", rows), a, b)
	RectifiedNoiseGradient(p, result("rectified noise gradient", size),
		result("rectified noise gradient, scale", rows),
		result("rectified noise gradient, sums", rows), a, b, scale)
	AddScaled(p, result("scaled and added", size), a, scale, b)
	ScaleGradient(p, result("scale gradient", size), result("scale gradient, scale", rows), a, b,
		scale)
	Moments(p, result("mean", p.Channels), result("variance", p.Channels), a, scale)
	if p.Pixels%4 == 0 {
		pool := Pool{p.Images, 2, p.Pixels / 2, p.Channels}
		pool.Maximum(result("pool", size/4), a)
		pool.MaximumGradient(result("pool gradient", size), b[:size/4], a)
	}
	parameter, momentum := result("parameter", size), result("momentum", size)
	copy(parameter, a)
	copy(momentum, b)
	Descent{Rate: 0.1, Momentum: 0.9, Decay: 0.01}.Step(parameter, momentum, c)
	latents := 2 * p.Channels // of two components
	l := Latents{2, []int{p.Channels}}
	mean, rho := draw(latents), draw(latents)
	l.Sample([][]float32{result("latents", size)}, mean, rho, [][]float32{c})
	l.SampleGradient(result("gradient of the mean", latents), result("gradient of rho", latents),
		rho, [][]float32{a}, [][]float32{c})
	for form := range 8 {
		p.normalisation(form, draw, a, b, c, result)
	}
	return results
}

// normalisation adds the results of one form of batch normalisation, forwards and backwards.
func (p Pixels) normalisation(form int, draw func(int) []float32, input, gradient, other []float32,
	result func(string, int) []float32) {
	n := Normalisation{
		Mean: draw(p.Channels), Variance: draw(p.Channels), Gain: draw(p.Channels),
		Shift:   draw(p.Channels),
		Epsilon: 1e-3, Rectify: form&1 > 0,
	}
	for channel, value := range n.Variance {
		n.Variance[channel] = 0.1 + value*value
	}
	name := fmt.Sprintf("normalisation %d", form)
	to := NormalisationGradients{
		Input: result(name+", input gradient", len(input)), Gain: result(name+", gain", p.Channels),
		Shift: result(name+", shift", p.Channels),
	}
	if form&2 > 0 {
		n.Scale, to.Scale = draw(p.Images*p.Channels), result(name+", scale", p.Images*p.Channels)
	}
	var residual []float32
	if form&4 > 0 {
		residual, to.Residual = other, result(name+", residual", len(input))
	}
	n.moveFromKinks(p, input)
	output := result(name, len(input))
	n.Apply(p, output, input, residual)
	activation := result(name+", activation", len(output))
	// the same for all sets, or the sign of what is nearly zero may differ
	copy(activation, other)
	n.Differentiate(p, to, gradient, activation, input)
	to.Input, to.Gain, to.Shift = result(name+", input gradient by constant moments", len(input)),
		nil, nil
	if n.Scale != nil {
		to.Scale = result(name+", scale by constant moments", len(n.Scale))
	}
	n.DifferentiateConstant(p, to, n.Gain, gradient, activation, input)
}

// noiseAt is the noise of the image and channel of a number.
func (n Normalisation) noiseAt(p Pixels, i int) float64 {
	if noise := n.noiseOf(p, i/(p.Pixels*p.Channels)); noise != nil {
		return float64(noise[i%p.Channels])
	}
	return 1
}

// moveFromKinks moves the inputs whose normalised value is so near zero that rounding may decide
// whether a rectifier lets it pass.
func (n Normalisation) moveFromKinks(p Pixels, moved []float32) {
	for i := range moved {
		channel := i % p.Channels
		factor := float64(n.Gain[channel]) / math.Sqrt(float64(n.Variance[channel]+n.Epsilon))
		for tries := 0; tries < 20; tries++ {
			noisy := float64(moved[i]) * n.noiseAt(p, i)
			if math.Abs((noisy-float64(n.Mean[channel]))*factor+float64(n.Shift[channel])) > 1e-4 {
				break
			}
			moved[i] += 0.125
		}
	}
}

// operations of one pass over a layer, by the definition of a convolution.
func (l layerSizes) operations() float64 {
	return 2 * float64(l.images*l.output(l.height)*l.output(
		l.width)*l.outputs*l.kernel*l.kernel*l.inputs)
}
