package corrupt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// custom runs a registered corruption and guards against its faults: the functions see copies, and
// their results are checked. Faults are panics that a generator turns into errors.
type custom struct {
	Corruption
	strength float64
	image    Image     // a copy of the image
	out      []float64 // what Apply writes
	again    []float64 // output of the second call of Apply, nil after that
}

func newCustom(c Corruption, setup setup) operator {
	severities, found := c.ByTable[setup.table]
	if !found {
		severities = c.Severities
	}
	values := setup.size.Values()
	return &custom{
		Corruption: c, strength: severities[setup.severity-1],
		image: Image{setup.size, make([]float64, values)},
		out:   make([]float64, values), again: make([]float64, values),
	}
}

// fault describes an error of a registered corruption, and the cure.
type fault string

func (c *custom) draw(rng *rand.Rand, image []uint8, draws *draws) {
	draws.custom = nil
	if c.Draw == nil {
		return
	}
	toUnit(c.image.Values, image)
	guard("Draw", func() { draws.custom = c.Draw(rng, c.image, c.strength) })
	c.checkInput("Draw", image)
}

func (c *custom) apply(image []uint8, draws *draws, out []uint8) {
	c.run(image, draws, c.out)
	if c.again != nil { // for the first image of a worker only
		c.run(image, draws, c.again)
		if !slices.Equal(c.out, c.again) {
			panic(fault("Apply gives two results for the same draws: take random numbers in Draw"))
		}
		c.again = nil
	}
	quantiseAll(out, c.out)
}

// run calls Apply once and checks the output.
func (c *custom) run(image []uint8, draws *draws, out []float64) {
	toUnit(c.image.Values, image)
	copy(out, c.image.Values)
	numbers := slices.Clone(draws.custom)
	guard("Apply", func() { c.Apply(c.image, c.strength, numbers, out[:len(out):len(out)]) })
	c.checkInput("Apply", image)
	for i, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			width := c.image.Width
			panic(fault(fmt.Sprintf("Apply writes %v at row %d, column %d, channel %d: want "+
				"finite values, 0 to 1",
				v, i/3/width, i/3%width, i%3)))
		}
	}
}

// checkInput panics if a function has changed its image.
func (c *custom) checkInput(function string, image []uint8) {
	for i, v := range image {
		if c.image.Values[i] != unit[v] {
			panic(fault(function + " changes its input image: write to out only"))
		}
	}
}

// guard names the function of a user that panics.
func guard(function string, call func()) {
	defer func() {
		if value := recover(); value != nil {
			text := strings.Join(strings.Fields(fmt.Sprint(value)), " ")
			panic(fault(fmt.Sprintf("%s panics (%s): check its indexes and the number of its draws",
				function, text)))
		}
	}()
	call()
}
