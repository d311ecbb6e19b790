package random

// Sizes and constants of MT19937.
const (
	size     = 624
	shift    = 397
	upper    = 0x80000000
	lower    = 0x7fffffff
	twist    = 0x9908b0df
	seedStep = 1812433253
)

// Mersenne is the Mersenne Twister MT19937 of Matsumoto and Nishimura, as NumPy's RandomState uses
// it, to repeat choices that were published as a seed. It must come from NewMersenne.
type Mersenne struct {
	state [size]uint32
	next  int
}

// NewMersenne returns the generator that RandomState has after it was given the seed.
func NewMersenne(seed uint32) *Mersenne {
	g := &Mersenne{next: size}
	g.state[0] = seed
	for i := 1; i < size; i++ {
		last := g.state[i-1]
		g.state[i] = seedStep*(last^last>>30) + uint32(i)
	}
	return g
}

// Uint32 returns the next 32 random bits.
func (g *Mersenne) Uint32() uint32 {
	if g.next == size {
		g.refill()
	}
	x := g.state[g.next]
	g.next++
	x ^= x >> 11
	x ^= x << 7 & 0x9d2c5680
	x ^= x << 15 & 0xefc60000
	return x ^ x>>18
}

// refill makes the next 624 words.
func (g *Mersenne) refill() {
	for i := range g.state {
		x := g.state[i]&upper | g.state[(i+1)%size]&lower
		g.state[i] = g.state[(i+shift)%size] ^ x>>1
		if x&1 != 0 {
			g.state[i] ^= twist
		}
	}
	g.next = 0
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
