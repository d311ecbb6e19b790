package corrupt

import (
	"math/bits"
	"math/rand/v2"
)

// shotNoiseRate is the mean count of a white value.
var shotNoiseRate = levels[int]{
	CIFAR:    {500, 250, 100, 75, 50},
	Tiny:     {250, 100, 50, 30, 15},
	ImageNet: {60, 25, 12, 5, 3},
}

// shotNoise replaces every value by a Poisson count of that mean, scaled back (CORRUPT.md 1).
type shotNoise struct {
	rate     int
	samplers [256]*poisson // of the counts of each byte, made when it first occurs
	bytes    []uint8       // the byte of each count below the rate; all others are white
}

func newShotNoise(setup setup) operator {
	c := &shotNoise{rate: shotNoiseRate.at(setup)}
	for count := range c.rate {
		c.bytes = append(c.bytes, quantise(float64(count)/float64(c.rate)))
	}
	return c
}

func (c *shotNoise) draw(rng *rand.Rand, image []uint8, draws *draws) {
	draws.counts = resize(draws.counts, len(image))
	for i, v := range image {
		if c.samplers[v] == nil {
			c.samplers[v] = newPoisson(unit[v] * float64(c.rate))
		}
		draws.counts[i] = c.samplers[v].sample(rng)
	}
}

func (c *shotNoise) apply(image []uint8, draws *draws, out []uint8) {
	for i, count := range draws.counts[:len(image)] {
		out[i] = 255
		if count < len(c.bytes) {
			out[i] = c.bytes[count]
		}
	}
}

// poisson samples counts of one mean by Walker's alias method: each of the table's columns holds at
// most two counts, so a single 64-bit number chooses the column and one of the two.
type poisson struct {
	first   int // the count of column 0
	columns []aliasColumn
}

// aliasColumn stands for its own count when the fraction is below keep, and for the count of
// another column otherwise.
type aliasColumn struct {
	keep  uint64 // probability times 2^64
	alias int    // the other column
}

// newPoisson makes the sampler of a mean of at least 0.
func newPoisson(mean float64) *poisson {
	first, probabilities := poissonProbabilities(mean)
	return &poisson{first, newAliasColumns(probabilities)}
}

// sample draws one count.
func (p *poisson) sample(rng *rand.Rand) int {
	column, fraction := bits.Mul64(rng.Uint64(), uint64(len(p.columns)))
	if fraction < p.columns[column].keep {
		return p.first + int(column)
	}
	return p.first + p.columns[column].alias
}

// poissonProbabilities returns the probabilities of the counts first, first+1 and so on. Counts
// that are 2^-70 times less likely than the most likely one are left out. Only products and
// quotients are used, so every platform gets the same.
func poissonProbabilities(mean float64) (first int, probabilities []float64) {
	const negligible = 0x1p-70
	mode := int(mean)
	var below []float64 // of mode-1, mode-2, ...
	for count, p := mode, 1.0; count > 0; count-- {
		if p *= float64(count) / mean; p < negligible {
			break
		}
		below = append(below, p)
	}
	for i := len(below) - 1; i >= 0; i-- {
		probabilities = append(probabilities, below[i])
	}
	for count, p := mode, 1.0; p >= negligible; count++ {
		probabilities = append(probabilities, p)
		p *= mean / float64(count+1)
	}
	return mode - len(below), normalised(probabilities)
}

// newAliasColumns pairs each column that has less than the average probability with one that has
// more.
func newAliasColumns(probabilities []float64) []aliasColumn {
	columns := make([]aliasColumn, len(probabilities))
	share := make([]float64, len(probabilities)) // in units of the average
	var small, large []int
	for i, p := range probabilities {
		columns[i] = aliasColumn{^uint64(0), i}
		share[i] = p * float64(len(probabilities))
		if share[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		poor, rich := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		columns[poor] = aliasColumn{uint64(share[poor] * 0x1p64), rich}
		if share[rich] -= 1 - share[poor]; share[rich] < 1 {
			large = large[:len(large)-1]
			small = append(small, rich)
		}
	}
	return columns
}
