package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var near = testkit.Near

// picture is an image of 12 x 10 pixels with all kinds of values.
func picture() []uint8 {
	pixels := make([]uint8, 12*10*3)
	for i := range pixels {
		pixels[i] = uint8(i * i / 7)
	}
	return pixels
}

// The weights are Dirichlet(1, 1, 1), with the mean 1/3 and the variance 1/18, the share uniform.
func TestWeightsOfTheMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const draws = 40_000
	var mean, square, covariance, share, shareSquare float64
	for range draws {
		weights, s := drawWeights(rng)
		near(t, "sum of the weights", weights[0]+weights[1]+weights[2], 1, 1e-12)
		mean += weights[1] / draws
		square += weights[1] * weights[1] / draws
		covariance += weights[0] * weights[1] / draws
		share += s / draws
		shareSquare += s * s / draws
	}
	near(t, "mean weight", mean, 1.0/3, 0.005)
	near(t, "variance of a weight", square-mean*mean, 1.0/18, 0.002)
	near(t, "covariance of two weights", covariance-1.0/9, -1.0/36, 0.002)
	near(t, "mean share", share, 0.5, 0.01)
	near(t, "variance of the share", shareSquare-share*share, 1.0/12, 0.003)
}

// The same generator gives the same mixture, another one another.
func TestMixIsDeterministic(t *testing.T) {
	mixed := func(seed uint64) []uint8 {
		pixels := picture()
		Mix(pixels, 12, 10, rand.New(rand.NewPCG(seed, 0)))
		return pixels
	}
	if !slices.Equal(mixed(3), mixed(3)) {
		t.Error("the same generator gives two mixtures")
	}
	if slices.Equal(mixed(3), mixed(4)) || slices.Equal(mixed(3), picture()) {
		t.Error("another generator gives the same mixture, or nothing is mixed")
	}
}

// A black image is the same after every operation, and so after mixing.
func TestMixLeavesBlack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		black := make([]uint8, 12*10*3)
		Mix(black, 12, 10, rng)
		if slices.Max(black) != 0 {
			t.Fatal("a black image has changed")
		}
	}
}

// The mixture has the share of the image that is left, and of each chain's result its weight.
func TestMixOfChains(t *testing.T) {
	for seed := range uint64(50) {
		mixed, want := picture(), make([]float64, len(picture()))
		Mix(mixed, 12, 10, rand.New(rand.NewPCG(seed, 1)))
		rng := rand.New(rand.NewPCG(seed, 1))
		weights, share := drawWeights(rng)
		c := newCanvas(12, 10)
		for _, weight := range weights {
			copy(c.pixels, picture())
			c.chain(rng)
			for i, value := range c.pixels {
				want[i] += share * weight * float64(value)
			}
		}
		for i, value := range picture() {
			near(t, "a mixed value", float64(mixed[i]), (1-share)*float64(value)+want[i], 0.501)
		}
	}
}

// Every operation is chosen equally often, in chains of one to three.
func TestChainsUseAllOperations(t *testing.T) {
	kept, counts := operations, make([]int, len(operations))
	t.Cleanup(func() { operations = kept })
	operations = slices.Clone(kept)
	for i := range operations {
		operations[i].run = func(_ *canvas, amount float64) {
			counts[i]++
			if amount = math.Abs(amount); amount < leastStrength || amount > 3 {
				t.Errorf("strength %g, want 0.1 to 3", amount)
			}
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	const drawn = 20_000
	for range drawn {
		newCanvas(2, 2).chain(rng)
	}
	for i, count := range counts {
		near(t, kept[i].name, float64(count), 2.0*drawn/9, 300)
	}
}
