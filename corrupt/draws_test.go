package corrupt

import (
	"math"
	"math/rand/v2"
	"testing"
)

func testRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// TestPoissonTableHoldsTheDistribution adds up what the table gives each count, which needs no
// sampling.
func TestPoissonTableHoldsTheDistribution(t *testing.T) {
	for _, mean := range []float64{0, 1. / 255, .5, 3, 29.7, 250, 500} {
		p := newPoisson(mean)
		got := make(map[int]float64)
		for i, column := range p.columns {
			keep := float64(column.keep) * 0x1p-64
			got[p.first+i] += keep / float64(len(p.columns))
			got[p.first+column.alias] += (1 - keep) / float64(len(p.columns))
		}
		for count, probability := range got {
			logGamma, _ := math.Lgamma(float64(count) + 1)
			want := math.Exp(float64(count)*math.Log(mean) - mean - logGamma)
			if mean == 0 {
				want = 1
			}
			if math.Abs(probability-want) > 1e-13 {
				t.Errorf("mean %g, count %d: probability %g, want %g, tolerance 1e-13", mean, count,
					probability, want)
			}
		}
	}
}

func TestPoissonMoments(t *testing.T) {
	const draws = 200000
	for _, mean := range []float64{.3, 7, 120} {
		p, rng, sum, squares := newPoisson(mean), testRandom(3), 0.0, 0.0
		for range draws {
			n := float64(p.sample(rng))
			sum, squares = sum+n, squares+n*n
		}
		gotMean, variance := sum/draws, squares/draws-sum/draws*sum/draws
		if tolerance := 5 * math.Sqrt(mean/draws); math.Abs(gotMean-mean) > tolerance {
			t.Errorf("mean %g: got %g, tolerance %g", mean, gotMean, tolerance)
		}
		if tolerance := 5 * (mean*math.Sqrt(2) + math.Sqrt(mean)) / math.Sqrt(draws); math.Abs(
			variance-mean) > tolerance {
			t.Errorf("variance of mean %g: got %g, tolerance %g", mean, variance, tolerance)
		}
	}
}

// TestNormalsFollowTheNormalDistribution compares the distribution function, and the moments, with
// the exact ones.
func TestNormalsFollowTheNormalDistribution(t *testing.T) {
	const count = 2000000
	var draws draws
	draws.fillNormals(testRandom(4), count)
	edges := []float64{-4, -3.654, -3, -2, -1, -.5, -.1, 0, .1, .5, 1, 2, 3, 3.654, 4}
	below := make([]float64, len(edges))
	var moments [5]float64
	for _, z := range draws.normals {
		for i, edge := range edges {
			if z < edge {
				below[i]++
			}
		}
		for power := range moments {
			moments[power] += math.Pow(z, float64(power)) / count
		}
	}
	for i, edge := range edges {
		p := .5 * math.Erfc(-edge/math.Sqrt2)
		tolerance := 5 * math.Sqrt(p*(1-p)/count)
		if got := below[i] / count; math.Abs(got-p) > tolerance {
			t.Errorf("share below %g: got %.6f, want %.6f, tolerance %.6f", edge, got, p, tolerance)
		}
	}
	for power, want := range []float64{1, 0, 1, 0, 3} {
		if math.Abs(moments[power]-want) > .02 {
			t.Errorf("moment %d: got %.4f, want %g, tolerance .02", power, moments[power], want)
		}
	}
}

func TestFillNormalsTakesOddCounts(t *testing.T) {
	var odd, even draws
	odd.fillNormals(testRandom(5), 7)
	even.fillNormals(testRandom(5), 8)
	for i, z := range odd.normals {
		if z != even.normals[i] {
			t.Errorf("number %d: got %g, want %g", i, z, even.normals[i])
		}
	}
	if len(odd.normals) != 7 {
		t.Errorf("got %d numbers, want 7", len(odd.normals))
	}
}
