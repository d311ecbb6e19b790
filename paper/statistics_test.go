package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The intervals are computed by hand: mean ± t(0.975; n-1) s/sqrt(n), with the quantiles of a table
// of Student's t: 4.302653 (2 degrees of freedom), 3.182446 (3) and 2.776445 (4).
func TestEffect(t *testing.T) {
	for _, test := range []struct {
		name        string
		differences []float64
		claimed     direction
		interval    [2]float64
		holds       bool
		fails       bool
		text        string
	}{
		// mean 2, s 1, half 4.302653/sqrt(3) = 2.484138
		{"three seeds around 2", []float64{1, 2, 3}, aboveZero, [2]float64{-0.484138, 4.484138},
			false, false,
			"a - b: +2.0 nats [-0.5, +4.5], 3 seeds"},
		// mean -10, s 1, half 2.484138
		{"three seeds around -10", []float64{-9, -10, -11}, belowZero,
			[2]float64{-12.484138, -7.515862}, true, false,
			"a - b: -10.0 nats [-12.5, -7.5], 3 seeds"},
		{"the wrong side", []float64{-9, -10, -11}, aboveZero, [2]float64{-12.484138, -7.515862},
			false, true,
			"a - b: -10.0 nats [-12.5, -7.5], 3 seeds"},
		// mean 0.5, s sqrt(0.05/3) = 0.1290994, half 3.182446*0.1290994/2 = 0.2054262
		{"four seeds", []float64{0.35, 0.45, 0.55, 0.65}, aboveZero,
			[2]float64{0.2945738, 0.7054262}, true, false,
			"a - b: +0.50 nats [+0.29, +0.71], 4 seeds"},
		// mean -0.58, s sqrt(0.0250/4) = 0.0790569, half 2.776445*0.0790569/sqrt(5) = 0.0981621
		{"five seeds", []float64{-0.48, -0.53, -0.58, -0.63, -0.68}, belowZero,
			[2]float64{-0.6781621, -0.4818379}, true, false,
			"a - b: -0.580 nats [-0.678, -0.482], 5 seeds"},
		{"no difference at all", []float64{0, 0, 0}, aboveZero, [2]float64{0, 0}, false, false,
			"a - b: 0.00 nats [0.00, 0.00], 3 seeds"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEffect("a - b", "nats", test.claimed, test.differences)
			testkit.Near(t, "lower end", e.Interval[0], test.interval[0], 1e-6)
			testkit.Near(t, "upper end", e.Interval[1], test.interval[1], 1e-6)
			if e.holds() != test.holds || e.fails() != test.fails {
				t.Errorf("holds %v, fails %v, want %v and %v", e.holds(), e.fails(), test.holds,
					test.fails)
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
			t.Errorf("%s: holds %v, fails %v, want %v and %v", e, e.holds(), e.fails(), test.holds,
				test.fails)
		}
	}
}

// Six differences of which one fails by its 95 % interval alone leave a claim undecided.
func TestFailingAmongMany(t *testing.T) {
	// p = 0.013 > 0.05/6
	fails := newEffect("a - b", "nats", aboveZero, []float64{-0.01, -0.02, -0.03, -0.04, -0.05})
	open := newEffect("a - b", "nats", aboveZero, []float64{-1, 0, 3, 1, -1})
	if got := outcomeOf([]Effect{fails}); got != Fails {
		t.Errorf("alone it %s, want fails", got)
	}
	v := Verdict{Outcome: outcomeOf([]Effect{fails, open, open, open, open, open}),
		Effects: []Effect{fails, open, open, open, open, open}}
	if want := "; 0 on the other side after correction for 6 intervals"; v.Outcome != Undecided ||
		v.adjusted() != want {
		t.Errorf("among six it's %s%s, want undecided%s", v.Outcome, v.adjusted(), want)
	}
	// a standard error of 0.00707, by t(1-0.025/6; 4) + t(0.8; 4) = 4.851 + 0.941; of one effect it
	// would be 2.776 + 0.941, in 79 % of samples by the noncentral t distribution
	want := " (a true effect of 0.041 nats would be seen in some four of five such samples)"
	if got := v.findable(fails); got != want {
		t.Errorf("what five seeds can show is%q, want%q", got, want)
	}
}

// Fewer than three seeds have no interval and no verdict.
func TestEffectOfFewSeeds(t *testing.T) {
	for text, differences := range map[string][]float64{
		"M32 - M16: -0.61 and -0.55 nats, 2 seeds": {-0.61, -0.55},
		"M32 - M16: -0.61 nats, 1 seed":            {-0.61}} {
		if e := newEffect("M32 - M16", "nats", belowZero, differences); e.Interval != nil ||
			e.holds() || e.fails() || e.String() != text {
			t.Errorf("the effect is %s with the interval %v, want %s", e, e.Interval, text)
		}
	}
}

func TestOutcomes(t *testing.T) {
	effect := func(differences ...float64) Effect {
		return newEffect("a - b", "nats", aboveZero, differences)
	}
	holds, fails, open := effect(10, 11, 12, 11, 10), effect(-10, -11, -12, -11, -10),
		effect(-1, 0, 3, 1, -1)
	little := effect(-1, -2, -3, -4, -6) // p = 0.0205, between 0.05/3 and 0.05
	for _, test := range []struct {
		name    string
		effects []Effect
		outcome Outcome
		detail  string
	}{
		{"all hold", []Effect{holds, holds}, Holds, "2 of 2 intervals on the claimed side"},
		{"one is open", []Effect{holds, open}, Undecided, "1 of 2 intervals on the claimed side"},
		{"one fails", []Effect{open, open, fails}, Fails, "0 of 3 intervals on the claimed side, " +
			"1 on the other"},
		{"one holds and one fails", []Effect{holds, open, fails}, Mixed,
			"1 of 3 intervals on the claimed side, 1 on the other"},
		{"all lie a little on the other side", []Effect{little, little, little}, Fails,
			"0 of 3 intervals on the claimed side, 3 on the other"},
		{"two of three do", []Effect{little, little, open}, Undecided,
			"0 of 3 intervals on the claimed side, 2 on the other"},
		{"one holds and one fails a little", []Effect{holds, open, open, little}, Undecided,
			"1 of 4 intervals on the claimed side, 1 on the other"},
		{"two seeds agree", []Effect{effect(1, 2)}, Seen, "1 of 1 mean on the claimed side"},
		{"three seeds agree", []Effect{effect(10, 11, 12)}, Seen,
			"1 of 1 interval on the claimed side"},
		{"four seeds fail", []Effect{effect(-10, -11, -12, -11)}, Seen,
			"0 of 1 interval on the claimed side, 1 on the other"},
	} {
		if got := outcomeOf(test.effects); got != test.outcome {
			t.Errorf("%s: outcome is %q, want %q", test.name, got, test.outcome)
		}
		if got := holding(test.effects); got != test.detail {
			t.Errorf("%s: detail is %q, want %q", test.name, got, test.detail)
		}
	}
	if agreeing, seeds := agreement([]Effect{effect(1, 2), effect(1, -1)}); agreeing != 1 ||
		seeds != 2 {
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

// Holm's steps by hand: of five seeds with these t, the p values are compared with 0.05/3, 0.05/2
// and 0.05, from the smallest on, up to the first that is larger.
func TestOutcomeAmong(t *testing.T) {
	// ratio is t: the standard error of -2 to 2 is sqrt(2.5/5)
	effect := func(ratio float64) Effect {
		shift := ratio * math.Sqrt(0.5)
		return newEffect("a - b", "nats", aboveZero, []float64{shift - 2, shift - 1, shift,
			shift + 1, shift + 2})
	}
	for _, test := range []struct {
		ratios, p []float64
		want      []Outcome
	}{
		{[]float64{2.9}, []float64{0.0441}, []Outcome{Holds}},
		{[]float64{2.7}, []float64{0.0541}, []Outcome{Undecided}},
		// Bonferroni's 0.05/3 would decide the second alone.
		{[]float64{3, 5.6, -3.6}, []float64{0.0399, 0.0050, 0.0227},
			[]Outcome{Holds, Holds, Fails}},
		// 0.0399 > 0.05/2 ends the steps.
		{[]float64{3, 5.6, 2.7}, []float64{0.0399, 0.0050, 0.0541},
			[]Outcome{Undecided, Holds, Undecided}},
		// A claim that holds as a whole holds in each comparison, whatever the steps say.
		{[]float64{3, 5.6, 3.2}, []float64{0.0399, 0.0050, 0.0329}, []Outcome{Holds, Holds, Holds}},
		// 0.0227 > 0.05/3 ends them at once.
		{[]float64{3, -3, 3.6}, []float64{0.0399, 0.0399, 0.0227}, []Outcome{Undecided, Undecided,
			Undecided}},
	} {
		var effects []Effect
		for i, ratio := range test.ratios {
			effects = append(effects, effect(ratio))
			testkit.Near(t, fmt.Sprintf("p of t = %g", ratio), effects[i].pValue(),
				2*distuv.StudentsT{Sigma: 1, Nu: 4}.CDF(-math.Abs(ratio)), 1e-9)
			testkit.Near(t, fmt.Sprintf("p of t = %g", ratio), effects[i].pValue(), test.p[i], 1e-4)
		}
		for i, e := range effects {
			if got := outcomeAmong(e, effects); got != test.want[i] {
				t.Errorf("of %v the effect with t = %g is %q, want %q", test.ratios, test.ratios[i],
					got, test.want[i])
			}
		}
	}
	alike := effect(0)
	alike.Claimed, alike.Margin = nearZero, 5
	if got := outcomeAmong(alike, []Effect{alike, effect(3)}); got != Holds {
		t.Errorf("an equivalence whose interval is nearer than its margin is %q, want %q", got,
			Holds)
	}
}

// Each training is in the differences of two seeds: the t-interval then misses a mean of zero in
// about 19 % of the studies of five seeds, the wider one in less than 8 %.
func TestSharingWidensIntervals(t *testing.T) {
	const studies, seeds = 4000, 5
	random := rand.New(rand.NewPCG(7, 8))
	var shared contrast = func(*Result) []Effect {
		var training, differences [seeds]float64
		for i := range training {
			training[i] = random.NormFloat64()
		}
		for i := range differences {
			differences[i] = training[i] + training[(i+1)%seeds]
		}
		return []Effect{newEffect("a - b", "nats", belowZero, differences[:])}
	}
	missed := func(of contrast) (share float64) {
		for range studies {
			if e := of(nil)[0]; e.holds() || e.fails() {
				share += 1.0 / studies
			}
		}
		return share
	}
	if share := missed(shared); share < 0.16 || share > 0.22 {
		t.Errorf("the t-interval misses zero in %.3f of the studies, want about 0.19", share)
	}
	if share := missed(shared.sharing()); share < 0.05 || share > 0.08 {
		t.Errorf("the wider interval misses zero in %.3f of the studies, want 0.05 to 0.08", share)
	}
}

// Four seeds decide nothing: their interval isn't shown.
func TestDecided(t *testing.T) {
	for count, want := range map[int]bool{2: false, 3: false, 4: false, 5: true, 6: true} {
		e := newEffect("a - b", "nats", belowZero, []float64{-9, -10, -11, -10, -9, -11}[:count])
		if got := e.decided().Interval != nil; got != want || (e.Interval != nil) != (count > 2) {
			t.Errorf("%d seeds: the interval is shown: %t, want %t; the effect's own is %v", count,
				got, want, e.Interval)
		}
	}
}

// A claim of the paper that holds is compared in size with the paper's effect on the same data.
func TestSize(t *testing.T) {
	effect := func(mean float64, theirs *float64) Effect {
		e := newEffect("a - b", "nats", belowZero, []float64{mean - 0.01, mean, mean, mean,
			mean + 0.01})
		e.Paper = theirs
		return e
	}
	theirs := -1.2
	for _, test := range []struct {
		name    string
		effects []Effect
		want    string
	}{
		{"a twelfth", []Effect{effect(-0.1, &theirs)}, "same sign as the paper, 1/12 of the size"},
		{"three times", []Effect{effect(-3.6, &theirs)},
			"same sign as the paper, 3 times the size"},
		{"more than half", []Effect{effect(-0.61, &theirs)}, "as the paper"},
		{"less than twice", []Effect{effect(-2.39, &theirs)}, "as the paper"},
		{"not public", []Effect{effect(-0.1, nil)}, "as the paper"},
		{"two effects", []Effect{effect(-0.1, &theirs), effect(-0.1, &theirs)}, "as the paper"},
		{"the other side", []Effect{effect(0.1, &theirs)}, "against the paper"},
		{"nothing", []Effect{effect(-0.001, &theirs)}, "undecided"},
	} {
		v := Verdict{Source: fromPaper, Effects: test.effects, Outcome: outcomeOf(test.effects)}
		if got := v.Text(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		v.Exploratory = true
		if got := v.Text(); got != test.want+" (exploratory)" {
			t.Errorf("%s: %q, want that it's exploratory", test.name, got)
		}
		if v.Source = ours; strings.Contains(v.Text(), "paper") {
			t.Errorf("%s: a claim of ours is answered by %q", test.name, v.Text())
		}
	}
}

func TestMetricErrors(t *testing.T) {
	r := fixture(1)
	testkit.Error(t, t.Name(), r.checkLevels("NL", r.of("M16")), `did you mean "NLL"?`)
	r = notYetEvaluated(r)
	testkit.Error(t, t.Name(), r.checkLevels(NLL, r.of("M16")), "Figure.Evaluate")
}

// The mean of several effects has the paper's number only if all of them have it.
func TestAveragedEffects(t *testing.T) {
	first, second := -0.2, -0.6
	effects := func(papers ...*float64) contrast {
		return func(*Result) (all []Effect) {
			for i, paper := range papers {
				e := newEffect("e", "nats", belowZero, []float64{-0.1 - float64(i),
					-0.3 - float64(i), -0.2 - float64(i)})
				e.Paper = paper
				all = append(all, e)
			}
			return all
		}
	}
	mean := effects(&first, &second).averaged("mean")(nil)[0]
	testkit.Near(t, "differences", mean.Differences, []float64{-0.6, -0.8, -0.7}, 1e-12)
	testkit.Near(t, "the paper's", *mean.Paper, -0.4, 1e-12)
	if mean = effects(&first, nil).averaged("mean")(nil)[0]; mean.Paper != nil {
		t.Errorf("the paper's mean is %g, where one of two effects is public", *mean.Paper)
	}
}
