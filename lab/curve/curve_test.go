package curve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.10g, want %.10g within %g", what, got, want, tolerance)
	}
}

func TestNumbersDrawn(t *testing.T) {
	for kind, want := range map[string]int{Weights: 321, Nodes: 33, Dropout: 32, Ensemble: 1} {
		if got := New(Config{Kind: kind, Hidden: 16, K: 2}).Drawn(); got != want {
			t.Errorf("%s draws %d numbers, want %d", kind, got, want)
		}
	}
}

// A network of two nodes a layer by hand: 1.5 times the one that lives, and the bias of the last.
func TestOutput(t *testing.T) {
	weights := []float64{2, 1, -1, 0, 1, 1, 0, -1, 0, 0, 3, 5, 0.5}
	near(t, "f(1)", value(twoLayers(2), weights, []float64{1, 1, 1.5, 1, 2}, 1), 2*(3*4.5+0.5),
		1e-12)
}

// The derivatives meet differences.
func TestGradients(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	shape := twoLayers(5)
	weights, factors := shape.drawWeights(random), make([]float64, shape.nodes())
	for i := range factors {
		factors[i] = 1 + 0.3*random.NormFloat64()
	}
	_, passed := shape.forward(weights, factors, 0.7)
	byWeights, byFactors := shape.backward(weights, factors, passed, 2)
	for j := range weights {
		near(t, "derivative by a weight", byWeights[j], 2*slope(shape, weights, factors, weights,
			j), 1e-6)
	}
	for j := range factors {
		near(t, "derivative by a factor", byFactors[j], 2*slope(shape, weights, factors, factors,
			j), 1e-6)
	}
}

func value(s shape, weights, factors []float64, x float64) float64 {
	y, _ := s.forward(weights, factors, x)
	return y
}

// slope is the central difference of the output by one of the values.
func slope(shape shape, weights, factors, values []float64, j int) float64 {
	const h = 1e-6
	before := values[j]
	values[j] = before + h
	above := value(shape, weights, factors, 0.7)
	values[j] = before - h
	below := value(shape, weights, factors, 0.7)
	values[j] = before
	return (above - below) / (2 * h)
}

// Without data, the loss is least at the prior for gamma = 0, and at a deviation that is sqrt(gamma
// + 1) times as large otherwise.
func TestPriorTerms(t *testing.T) {
	for _, gamma := range []float64{0, 3} {
		m := New(Config{Kind: Nodes, Hidden: 4, K: 2, Gamma: gamma, Noise: 1})
		m.Train(nil, 4000)
		for _, f := range m.factors {
			near(t, "mean of a factor", f.mean[0], 1, 1e-3)
			near(t, "deviation of a factor", softplus(f.rho[0]), nodePriorStd*math.Sqrt(gamma+1),
				1e-3)
		}
	}
}

// Every point meets every component, whatever their numbers: 4 components see the first of 7, 10 or
// 11 points in 4 steps.
func TestPointsMeetAllComponents(t *testing.T) {
	for _, count := range []int{7, 10, 11} {
		m, met := New(Config{Kind: Nodes, Hidden: 2, K: 4, Noise: 1}), map[int]bool{}
		for range 4 {
			met[m.next%4] = true
			m.Train(make([]Point, count), 1)
		}
		if len(met) != 4 {
			t.Errorf("a point of %d meets %d components, want 4", count, len(met))
		}
	}
}

// A point in the gap closes the band of nodes with four components.
func TestPointClosesTheGap(t *testing.T) {
	m := New(Config{Kind: Nodes, Hidden: 16, Gamma: 2, K: 4, Noise: 0.1, Seed: 1})
	m.Train(append(Points(), Point{}), 2000)
	if _, std := m.Band([]float64{0}, 200); std[0] > 0.2 {
		t.Errorf("the band at the added point is %.2f wide, want at most 0.2", std[0])
	}
}

// The kernel is the covariance of wide networks with weights from the prior.
func TestKernel(t *testing.T) {
	random, shape := rand.New(rand.NewPCG(1, 0)), twoLayers(60)
	ones := make([]float64, shape.nodes())
	for i := range ones {
		ones[i] = 1
	}
	var xx, xy float64
	const draws = 6000
	for range draws {
		weights := shape.drawWeights(random)
		a, b := value(shape, weights, ones, -1.5), value(shape, weights, ones, 2)
		xx, xy = xx+a*a/draws, xy+a*b/draws
	}
	near(t, "variance at -1.5", xx, kernel(-1.5, -1.5), 0.05*kernel(-1.5, -1.5))
	near(t, "covariance of -1.5 and 2", xy, kernel(-1.5, 2), 0.08*kernel(2, 2))
}

// One point of noise 1 by hand, and many points that pin the process down.
func TestProcess(t *testing.T) {
	mean, std := Process([]Point{{X: 0.5, Y: 2}}, 1, []float64{0.5})
	k := kernel(0.5, 0.5)
	near(t, "mean", mean[0], 2*k/(k+1), 1e-12)
	near(t, "std", std[0], math.Sqrt(k/(k+1)), 1e-12)
	mean, std = Process(Points(), 1e-3, []float64{1.3})
	near(t, "mean at a point", mean[0], math.Sin(1.3)+wiggle(6), 1e-2)
	near(t, "std at a point", std[0], 0, 1e-2)
}

// What the lesson says of the bands, as medians of five seeds: dropout's is nearly as narrow in the
// gap as at the points; that of weights is twice as wide at the points as the exact one; that of
// nodes with gamma = 2 opens as the exact one does, and with gamma = 0 less.
func TestBandsInTheGap(t *testing.T) {
	_, exact := Process(Points(), 0.1, Places())
	at, opening := widths(exact)
	for _, c := range []struct {
		config      Config
		at, opening [2]float64 // limits, in parts of the exact ones
	}{
		{Config{Kind: Weights}, [2]float64{2, 3}, [2]float64{0.3, 0.7}},
		{Config{Kind: Nodes}, [2]float64{0.7, 1.2}, [2]float64{0.2, 0.6}},
		{Config{Kind: Nodes, Gamma: 2}, [2]float64{1, 1.6}, [2]float64{0.7, 1.1}},
		{Config{Kind: Dropout}, [2]float64{1.6, 2.6}, [2]float64{0.2, 0.4}},
	} {
		var ats, openings []float64
		for seed := range uint64(5) {
			c.config.Hidden, c.config.Noise, c.config.K, c.config.Seed = 16, 0.1, 1, seed
			m := New(c.config)
			m.Train(Points(), 2000)
			_, std := m.Band(Places(), 200)
			a, o := widths(std)
			ats, openings = append(ats, a/at), append(openings, o/opening)
		}
		slices.Sort(ats)
		slices.Sort(openings)
		if ats[2] < c.at[0] || ats[2] > c.at[1] || openings[2] < c.opening[0] ||
			openings[2] > c.opening[1] {
			t.Errorf("%+v: %.2f times as wide at the points and opens %.2f times as much as the "+
				"exact one", c.config, ats[2], openings[2])
		}
	}
}

// widths returns the mean deviation at the points, and how many times larger the largest one in the
// gap is.
func widths(std []float64) (at, opening float64) {
	for _, p := range Points() {
		at += std[int(math.Round(10*p.X))+40] / 10
	}
	return at, slices.Max(std[33:48]) / at
}
