package paper

import (
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The intervals are computed by hand: mean ± t(0.975; n-1) s/sqrt(n), with the quantiles of a table
// of Student's t: 4.302653 (2 degrees of freedom), 3.182446 (3) and 2.776445 (4).
func TestEffect(t *testing.T) {
	for _, test := range []struct {
		name        string
		differences []float64
		claimed     Side
		interval    [2]float64
		holds       bool
		fails       bool
		text        string
	}{
		// mean 2, s 1, half 4.302653/sqrt(3) = 2.484138
		{"three seeds around 2", []float64{1, 2, 3}, aboveZero, [2]float64{-0.484138, 4.484138}, false, false,
			"a - b: +2.0 nats [-0.5, +4.5], 3 seeds"},
		// mean -10, s 1, half 2.484138
		{"three seeds around -10", []float64{-9, -10, -11}, belowZero, [2]float64{-12.484138, -7.515862}, true, false,
			"a - b: -10.0 nats [-12.5, -7.5], 3 seeds"},
		{"the wrong side", []float64{-9, -10, -11}, aboveZero, [2]float64{-12.484138, -7.515862}, false, true,
			"a - b: -10.0 nats [-12.5, -7.5], 3 seeds"},
		// mean 0.5, s sqrt(0.05/3) = 0.1290994, half 3.182446*0.1290994/2 = 0.2054262
		{"four seeds", []float64{0.35, 0.45, 0.55, 0.65}, aboveZero, [2]float64{0.2945738, 0.7054262}, true, false,
			"a - b: +0.50 nats [+0.29, +0.71], 4 seeds"},
		// mean -0.58, s sqrt(0.0250/4) = 0.0790569, half 2.776445*0.0790569/sqrt(5) = 0.0981621
		{"five seeds", []float64{-0.48, -0.53, -0.58, -0.63, -0.68}, belowZero, [2]float64{-0.6781621, -0.4818379}, true, false,
			"a - b: -0.580 nats [-0.678, -0.482], 5 seeds"},
		{"no difference at all", []float64{0, 0, 0}, aboveZero, [2]float64{0, 0}, false, false,
			"a - b: 0.00 nats [0.00, 0.00], 3 seeds"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEffect("a - b", "nats", test.claimed, test.differences)
			testkit.Near(t, "lower end", e.Interval[0], test.interval[0], 1e-6)
			testkit.Near(t, "upper end", e.Interval[1], test.interval[1], 1e-6)
			if e.holds() != test.holds || e.fails() != test.fails {
				t.Errorf("holds %v, fails %v, want %v and %v", e.holds(), e.fails(), test.holds, test.fails)
			}
			if got := e.String(); got != test.text {
				t.Errorf("text is %q, want %q", got, test.text)
			}
		})
	}
}

// An equivalence holds if the whole interval is nearer to zero than the margin, and fails if all of
// it is farther away.
func TestEffectNearZero(t *testing.T) {
	for _, test := range []struct {
		differences  []float64
		holds, fails bool
	}{
		{[]float64{0.009, 0.01, 0.011}, true, false},
		{[]float64{-0.01, 0, 0.01}, true, false},
		{[]float64{-0.03, 0, 0.03}, false, false},
		{[]float64{0.029, 0.03, 0.031}, false, false},
		{[]float64{-0.051, -0.05, -0.049}, false, true},
	} {
		e := newEffect("a - b", "nats", nearZero, test.differences)
		e.Margin = 0.03
		if e.holds() != test.holds || e.fails() != test.fails {
			t.Errorf("%s: holds %v, fails %v, want %v and %v", e, e.holds(), e.fails(), test.holds, test.fails)
		}
	}
}

// Six differences of which one fails by its 95 % interval alone leave a claim undecided.
func TestFailingAmongMany(t *testing.T) {
	fails := newEffect("a - b", "nats", aboveZero, []float64{-0.034, -0.043, -0.052})
	open := newEffect("a - b", "nats", aboveZero, []float64{-1, 0, 3})
	if got := outcomeOf([]Effect{fails}); got != Fails {
		t.Errorf("alone it %s, want fails", got)
	}
	v := Verdict{Outcome: outcomeOf([]Effect{fails, open, open, open, open, open}), Effects: []Effect{fails, open, open, open, open, open}}
	if want := "; 0 on the other side at the confidence of 99.2 % for 6 intervals"; v.Outcome != Undecided || v.adjusted() != want {
		t.Errorf("among six it's %s%s, want undecided%s", v.Outcome, v.adjusted(), want)
	}
}

// Fewer than three seeds have no interval and no verdict.
func TestEffectOfFewSeeds(t *testing.T) {
	for text, differences := range map[string][]float64{"M32 - M16: -0.61 and -0.55 nats, 2 seeds": {-0.61, -0.55}, "M32 - M16: -0.61 nats, 1 seed": {-0.61}} {
		if e := newEffect("M32 - M16", "nats", belowZero, differences); e.Interval != nil || e.holds() || e.fails() || e.String() != text {
			t.Errorf("the effect is %s with the interval %v, want %s", e, e.Interval, text)
		}
	}
}

func TestOutcomes(t *testing.T) {
	effect := func(differences ...float64) Effect { return newEffect("a - b", "nats", aboveZero, differences) }
	holds, fails, open := effect(10, 11, 12), effect(-10, -11, -12), effect(-1, 0, 3)
	for _, test := range []struct {
		name    string
		effects []Effect
		outcome Outcome
		detail  string
	}{
		{"all hold", []Effect{holds, holds}, Holds, "2 of 2 intervals on the claimed side"},
		{"one is open", []Effect{holds, open}, Undecided, "1 of 2 intervals on the claimed side"},
		{"one fails", []Effect{holds, open, fails}, Fails, "1 of 3 intervals on the claimed side, 1 on the other"},
		{"all lie a little on the other side", []Effect{effect(-1, -2, -1.2), effect(-1, -2, -1.2), effect(-1, -2, -1.2)}, Fails, "0 of 3 intervals on the claimed side, 3 on the other"},
		{"two of three do", []Effect{effect(-1, -2, -1.2), effect(-1, -2, -1.2), open}, Undecided, "0 of 3 intervals on the claimed side, 2 on the other"},
		{"two seeds agree", []Effect{effect(1, 2)}, Seen, "1 of 1 mean on the claimed side"},
	} {
		if got := outcomeOf(test.effects); got != test.outcome {
			t.Errorf("%s: outcome is %q, want %q", test.name, got, test.outcome)
		}
		if got := holding(test.effects); got != test.detail {
			t.Errorf("%s: detail is %q, want %q", test.name, got, test.detail)
		}
	}
	if agreeing, seeds := agreement([]Effect{effect(1, 2), effect(1, -1)}); agreeing != 1 || seeds != 2 {
		t.Errorf("%d of %d seeds agree, want 1 of 2", agreeing, seeds)
	}
}

// Without any effect a claim of several effects holds in at most 5 % of the studies.
func TestNoEffectHoldsRarely(t *testing.T) {
	const studies = 2000
	random, holds := rand.New(rand.NewPCG(1, 2)), 0
	for range studies {
		effects := make([]Effect, 2)
		for i := range effects {
			differences := make([]float64, 5)
			for seed := range differences {
				differences[seed] = random.NormFloat64()
			}
			effects[i] = newEffect("a - b", "nats", belowZero, differences)
		}
		if outcomeOf(effects) == Holds {
			holds++
		}
	}
	if 100*holds > 5*studies {
		t.Errorf("%d of %d studies without effect hold, want 5 %% at most", holds, studies)
	}
}

func TestMetricErrors(t *testing.T) {
	_, err := fixture(1).LevelSummary("M16", "NL")
	testkit.Error(t, t.Name(), err, `did you mean "NLL"?`)
	_, err = notYetEvaluated(fixture(1)).LevelSummary("M16", NLL)
	testkit.Error(t, t.Name(), err, "Figure.Evaluate")
}
