package network

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The initial means are N(1, 0.05^2), the standard deviations a folded normal around the initial
// one, spread 0.02.
func TestInitialPosteriorMoments(t *testing.T) {
	const count = 40000
	mean, rho := initialPosterior(rand.New(rand.NewPCG(5, 6)), 1, count, 0.32)
	sigma := make([]float64, count)
	for i, r := range rho {
		sigma[i] = math.Log1p(math.Exp(float64(r)))
	}
	for _, c := range []struct {
		what             string
		values           []float64
		mean, std, error float64
	}{
		{"mean", widen(mean), 1, 0.05, 4 * 0.05 / math.Sqrt(count)},
		{"standard deviation", sigma, 0.32, 0.02, 4 * 0.02 / math.Sqrt(count)},
	} {
		average, spread := moments(c.values)
		testkit.Near(t, "average "+c.what, average, c.mean, c.error)
		testkit.Near(t, "spread of the "+c.what, spread, c.std, c.error)
	}
}

func widen(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return wide
}

func moments(values []float64) (mean, std float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		std += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(std)
}

// The entropy and the divergence where every mean is one and every standard deviation that of the
// prior, and where four such components are far apart in every layer.
func TestInitialValuesAgreeWithOracles(t *testing.T) {
	names := map[string]string{"AllCNNC": "allcnnc", "VGG16": "vgg16", "ResNet18": "resnet18",
		"PreActResNet18": "preactresnet18"}
	for key, want := range testkit.Oracle[map[string]struct {
		Dimensions int     `json:"D"`
		Entropy    float64 `json:"H_lb"`
		KL         float64 `json:"KL_if_prior_std_equal"`
		FarApart   float64 `json:"H_lb_if_K4_far_apart_per_layer"`
	}](t, "init_values") {
		parts := strings.Split(key, "/") // like VGG16/100/out/std0.3
		classes := testkit.Must(strconv.Atoi(parts[1]))(t)
		std := testkit.Must(strconv.ParseFloat(strings.TrimPrefix(parts[3], "std"), 64))(t)
		a, dimensions := testArchitecture(names[parts[0]], 0, classes), 0
		for _, l := range a.layers {
			dimensions += l.out
		}
		testkit.Near(t, key+": dimensions", float64(dimensions), float64(want.Dimensions), 0)
		entropy, kl := initialTerms(t, a, 1, std)
		testkit.Near(t, key+": entropy", entropy, want.Entropy, 1e-9)
		testkit.Near(t, key+": KL", kl, want.KL, 1e-9)
		entropy, _ = initialTerms(t, a, 4, std)
		testkit.Near(t, key+": entropy of four components", entropy, want.FarApart, 1e-9)
	}
}

// initialTerms are the entropy and the divergence of n components, a thousand apart, whose
// standard deviations are those of the prior.
func initialTerms(t *testing.T, a Architecture, components int, std float64) (entropy, kl float64) {
	t.Helper()
	var means, sigmas []any
	for _, l := range a.layers {
		mean, sigma := make([][]float64, components), make([][]float64, components)
		for k := range components {
			mean[k], sigma[k] = slices.Repeat([]float64{1 + 1000*float64(k)}, l.out),
				slices.Repeat([]float64{std}, l.out)
		}
		means, sigmas = append(means, mean), append(sigmas, sigma)
	}
	outputs := run(t, func(args []*Node) []*Node {
		half := len(args) / 2
		terms := termsOf(args[:half], args[half:], std, Objective{Bound: ReferenceBound,
			Scope: layerScope})
		return []*Node{terms.Entropy, terms.KL}
	}, append(means, sigmas...)...)
	return outputs[0].(float64), outputs[1].(float64)
}
