package random

import "gonum.org/v1/gonum/mathext/prng"

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
