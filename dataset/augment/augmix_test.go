package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
		weights, s := Published().weights(rng)
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
		Published().Mix(pixels, 12, 10, rand.New(rand.NewPCG(seed, 0)))
		return pixels
	}
	if !slices.Equal(mixed(3), mixed(3)) {
		t.Error("the same generator gives two mixtures")
	}
	if slices.Equal(mixed(3), mixed(4)) || slices.Equal(mixed(3), picture()) {
		t.Error("another generator gives the same mixture, or nothing is mixed")
	}
}

// A black image is the same after every operation, and so after mixing. Severity 0 changes nothing.
func TestMixLeavesAsItIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		black := make([]uint8, 12*10*3)
		Published().Mix(black, 12, 10, rng)
		if slices.Max(black) != 0 {
			t.Fatal("a black image has changed")
		}
	}
	pixels := picture()
	AugMix{Chains: 3}.Mix(pixels, 12, 10, rng)
	if !slices.Equal(pixels, picture()) {
		t.Error("severity 0 changes the image")
	}
}

// With one chain the mixture lies between the image and the chain's result, at the share drawn.
func TestMixOfOneChain(t *testing.T) {
	for seed := range uint64(50) {
		a := AugMix{Chains: 1, Severity: 3}
		mixed := picture()
		a.Mix(mixed, 12, 10, rand.New(rand.NewPCG(seed, 1)))
		rng := rand.New(rand.NewPCG(seed, 1))
		_, share := a.weights(rng)
		c := newCanvas(12, 10)
		copy(c.pixels, picture())
		a.chain(c, rng)
		for i, value := range picture() {
			want := (1-share)*float64(value) + share*float64(c.pixels[i])
			near(t, "a mixed value", float64(mixed[i]), want, 0.5001)
		}
	}
}

// Every operation is chosen equally often, in chains of one to three.
func TestChainsUseAllOperations(t *testing.T) {
	kept, counts := operations, make([]int, len(operations))
	t.Cleanup(func() { operations = kept })
	operations = slices.Clone(kept)
	for i := range operations {
		operations[i].run = func(_ *canvas, amount float64, _ bool) {
			counts[i]++
			if amount < leastStrength || amount > 3 {
				t.Errorf("strength %g, want 0.1 to 3", amount)
			}
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	const chains = 20_000
	for range chains {
		Published().chain(newCanvas(2, 2), rng)
	}
	for i, count := range counts {
		near(t, kept[i].name, float64(count), 2.0*chains/9, 300)
	}
}

func TestAugMixRefuses(t *testing.T) {
	for _, a := range []AugMix{{Severity: 3}, {Chains: 3, Depth: -1}, {Chains: 3, Severity: 11}, {Chains: 3, Severity: math.NaN()}} {
		if err := a.Validate(); err == nil || !strings.HasPrefix(err.Error(), "augment: ") {
			t.Errorf("%+v: error %v", a, err)
		}
	}
	if err := Published().Validate(); err != nil {
		t.Error(err)
	}
}
