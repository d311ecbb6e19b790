// Package random makes random numbers that are counted, not consumed: every draw is a function of a
// seed, the name of a stream and counters, for instance the step. A resumed run therefore equals an
// uninterrupted one, and results don't depend on the number of workers. Mersenne repeats choices
// that NumPy made.
package random

import (
	"hash/fnv"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext/prng"
)

// The streams. Each is independent of the others, so that drawing more from one changes none of the
// rest. Their names are part of every result: they never change, and no two are equal.
const (
	Initialisation = "init"         // weights, by variable
	Order          = "order"        // images of an epoch
	Augmentation   = "augmentation" // crops and mirrored images, by step
	Nodes          = "nodes"        // latents in training, by step and layer
	Update         = "update"       // noise of an update rule, by step
	Evaluation     = "evaluation"   // latents in evaluation, by image and layer
	Weights        = "weights"      // draws of a posterior of the weights, by sample
	// momenta and acceptance of Hamiltonian Monte Carlo, by chain and transition
	Chains        = "chains"
	Entropy       = "entropy"        // estimates of the entropy of a mixture
	Labels        = "labels"         // labels that are replaced by random ones
	Implicit      = "implicit"       // seeds of the searches for implicit corruptions
	Corruption    = "corruption"     // corrupted images, by corruption, severity and image
	FrostTexture  = "frost texture"  // procedural textures of frost
	PrincipalAxes = "principal axes" // start of the search for principal axes

	// order and views of the images that running statistics are of
	Renormalisation = "renormalisation"

	AugMix = "augmix" // operations on training images and their weights, by epoch and image

	// u of randomised prediction sets, by held-out or tested images
	PredictionSets = "prediction sets"

	TestPictures = "test pictures" // of a user's folder that are tested on, by class

	Pinwheel        = "pinwheel"         // points of Pinwheel
	Shapes10        = "shapes10"         // images of Shapes10
	Shapes10Classes = "shapes10 classes" // order of their classes
)

// New returns the generator of one stream at the given counters, for instance New(seed, Order,
// epoch).
func New(seed uint64, name string, counters ...uint64) *rand.Rand {
	words := Words(seed, name, counters...)
	return rand.New(rand.NewPCG(words[0], words[1]))
}

// Words returns 256 well-mixed bits for one stream at the given counters: the seed of another
// generator.
func Words(seed uint64, name string, counters ...uint64) [4]uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	state := mix(seed ^ mix(hash.Sum64()))
	for _, counter := range counters {
		state = mix(state + 0x9e3779b97f4a7c15 + mix(counter))
	}
	var words [4]uint64
	for i := range words {
		state += 0x9e3779b97f4a7c15
		words[i] = mix(state)
	}
	return words
}

// mix returns the finaliser of SplitMix64: a bijection in which every input bit reaches every
// output bit.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Mersenne is the Mersenne Twister MT19937 as NumPy's RandomState uses it, to repeat choices that
// were published as a seed. It must come from NewMersenne.
type Mersenne struct{ *prng.MT19937 }

// NewMersenne returns the generator that RandomState has after it was given the seed.
func NewMersenne(seed uint32) *Mersenne {
	g := &Mersenne{prng.NewMT19937()}
	g.Seed(uint64(seed))
	return g
}

// below returns a number from 0 to most, inclusive: words are masked and drawn again while they're
// too large.
func (g *Mersenne) below(most uint32) uint32 {
	mask := most
	for _, bits := range []int{1, 2, 4, 8, 16} {
		mask |= mask >> bits
	}
	for {
		if x := g.Uint32() & mask; x <= most {
			return x
		}
	}
}

// Permutation returns the numbers from 0 to count-1 in the order that RandomState.permutation gives
// them.
func (g *Mersenne) Permutation(count int) []int {
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	for i := count - 1; i > 0; i-- {
		j := g.below(uint32(i))
		order[i], order[j] = order[j], order[i]
	}
	return order
}
