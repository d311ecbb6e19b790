package viz

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		span      span
		intervals int
		whole     bool
		want      string // labels
	}{
		{span{0, 2.26}, 6, false, "0.0 0.5 1.0 1.5 2.0"},
		{span{-185, 88}, 6, false, "−150 −100 −50 0 50"},
		{span{2.2798, 2.2834}, 6, false, "2.280 2.281 2.282 2.283"},
		{span{2.302576, 2.302622}, 6, false, "2.30258 2.30259 2.30260 2.30261 2.30262"},
		{span{0, 0.057}, 6, false, "0.00 0.01 0.02 0.03 0.04 0.05"},
		{span{0, 62}, 6, false, "0 20 40 60"},
		{span{.22, .98}, 4, false, "0.4 0.6 0.8"}, // 0.5 alone with a larger step
		{span{0, 3e7}, 3, false, "0 1e+07 2e+07 3e+07"},
		{span{-0.3, 5.3}, 10, true, "0 1 2 3 4 5"},
		{span{-0.03, 1.03}, 6, true, "0 1"},
		{span{-9, 309}, 6, true, "0 100 200 300"},
	} {
		var labels []string
		for _, tick := range (ticker{test.intervals, test.whole}).Ticks(test.span.low,
			test.span.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("ticks of %v are %q, want %q", test.span, got, test.want)
		}
	}
}

// Every axis has at least two ticks, at most one more than the intervals, inside the span and
// evenly spaced.
func TestTicksOfAnySpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		low := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(4)))
		s := span{low, low + math.Pow(10, 8*rng.Float64()-4)}
		intervals := 4 + rng.IntN(3)
		ticks := ticker{intervals, false}.Ticks(s.low, s.high)
		if len(ticks) < 2 || len(ticks) > intervals+1 {
			t.Errorf("%d ticks for %v, want 2 to %d", len(ticks), s, intervals+1)
			continue
		}
		step := ticks[1].Value - ticks[0].Value
		for i, tick := range ticks {
			even := math.Abs(tick.Value-ticks[0].Value-float64(i)*step) < 1e-6*step
			if tick.Value < s.low-1e-6*step || tick.Value > s.high+1e-6*step || !even {
				t.Errorf("tick %d of %v is %g, want it inside and evenly spaced by %g", i, s,
					tick.Value, step)
			}
		}
	}
}

func TestWiden(t *testing.T) {
	for _, test := range []struct{ values, want span }{
		{span{0, 10}, span{-1, 11}},
		{span{5, 5}, span{4.5, 5.5}},
		{span{0, 0}, span{-0.1, 0.1}},
		{span{2.3, math.Nextafter(2.3, 3)}, span{2.07, 2.53}},
	} {
		got := test.values.widen(0.1)
		if math.Abs(got.low-test.want.low) > 1e-12 || math.Abs(got.high-test.want.high) > 1e-12 {
			t.Errorf("%v is widened to %v, want %v", test.values, got, test.want)
		}
	}
}

func TestFromZero(t *testing.T) {
	for _, test := range []struct {
		values span
		low    float64
	}{
		{span{0.3, 2}, 0},
		{span{0, 0}, 0},
		{span{1.8, 2}, 1.79},
		{span{-0.1, 0.9}, -0.15},
	} {
		if got := test.values.fromZero(0.05).low; math.Abs(got-test.low) > 1e-12 {
			t.Errorf("axis of %v starts at %g, want %g", test.values, got, test.low)
		}
	}
}
