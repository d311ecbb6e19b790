package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

func TestFigure03Verdicts(t *testing.T) {
	const primary, falling, above, likelihood, wrong, scaled, lead = 0, 1, 2, 3, 4, 5, 6
	const gap = "; gap 0.12 nats (M16)"
	const nlls = "; training NLL 0.20 (M16), 0.20 (M32)" + gap
	for _, test := range []struct {
		name    string
		result  *Result
		claim   int
		outcome string
		detail  string
		least   string // the beginning of the first effect that is shown
	}{
		{"the entropy falls", fixture(1, 2, 3, 4, 5), falling, "as the paper",
			"4 of 4 intervals on the claimed side", "M16, epoch 2 - epoch 0: -4"},
		{"the entropy rises in the second half", risingEntropy(fixture(1, 2, 3, 4, 5)), falling,
			"mixed", "3 of 4 intervals on the claimed side, 1 on the other", "M16, epoch 2"},
		{"the entropy falls, two seeds", fixture(1, 2), falling, "seen in 2 of 2 seeds",
			"4 of 4 means on the claimed side", "M16, epoch 2"},
		{"the entropy is above", fixture(1, 2, 3, 4, 5), above, "as the paper",
			"5 of 5 intervals on the claimed side", "M32 - M16 at epoch 0: +150"},
		{"the entropy is below once", lowEntropy(fixture(1, 2, 3, 4, 5)), above, "mixed",
			"4 of 5 intervals on the claimed side, 1 on the other", "M32 - M16 at epoch 0"},
		{"the likelihood is the paper's", fixture(1, 2, 3, 4, 5), likelihood, "as the paper",
			"6 of 6 intervals on the claimed side" + nlls, "M32 - M16, level 0: -0.05"},
		{"two seeds", fixture(1, 2), likelihood, "seen in 2 of 2 seeds", "6 of 6 means on the " +
			"claimed side; training NLL 0.20 (M16), 0.20 (M32); gap 0.11 nats (M16)",
			"M32 - M16, level 0: -0.05"},
		{"three seeds", fixture(1, 2, 3), likelihood, "seen in 3 of 3 seeds",
			"6 of 6 intervals on the claimed side; training NLL 0.20 (M16), 0.20 (M32); gap 0.11 " +
				"nats (M16)", "M32 - M16, level 0: -0.05"},
		{"four seeds", fixture(1, 2, 3, 4), primary, "seen in 4 of 4 seeds",
			"1 of 1 interval on the claimed side" + nlls,
			"M32 - M16, mean of levels 1 to 5: -0.168"},
		{"a worse likelihood on clean images", worseOnClean(fixture(1, 2, 3, 4, 5)), likelihood,
			"mixed", "5 of 6 intervals on the claimed side, 1 on the other" + nlls,
			"M32 - M16, level 0: +0.9"},
		{"seeds that disagree", disagreeing(fixture(1, 2, 3, 4, 5)), likelihood, "undecided",
			"5 of 6 intervals on the claimed side" + nlls,
			"M32 - M16, level 0: -0.06 nats [-0.25, +0.13]"},
		{"the same error", fixture(1, 2, 3, 4, 5), wrong, "undecided",
			"0 of 6 intervals on the claimed side" + nlls, "M32 - M16, level 0: 0.00 points"},
		{"the scaled likelihood", fixture(1, 2, 3, 4, 5), scaled, "holds",
			"6 of 6 intervals on the claimed side" + nlls, "M32 - M16, level 0: -0.04"},
		{"tests of an earlier version", withoutTemperature(fixture(1, 2, 3, 4, 5)), scaled,
			"not evaluated",
			"M32 seed 2 has no ScaledNLL: `nbbnn figure 3 --scale desk --images N`" +
				" with another N of at least 100 measures it", ""},
		{"dead, with tied logits", dead(fixture(1, 2, 3, 4, 5)), primary, "no better than guessing",
			"0 of 1 interval on the claimed side, 1 on the other; training NLL 0.20 (M16), 0.20 " +
				"(M32); 5 of 10 networks don't beat guessing: M32 seed 1 has the test NLL 2.30 " +
				"and the error 90%: guessing has 2.30 and 90%" + gap, "M32"},
		{"refuses wrong labels", refusing(fixture(1, 2, 3, 4, 5)), primary, "as the paper",
			"1 of 1 interval on the claimed side; training NLL 0.20 (M16), 2.26 (M32)" + gap,
			"M32 - M16, mean of levels 1 to 5: -0.168"},
		{"dead, the entropy", dead(fixture(1, 2, 3, 4, 5)), falling, "as the paper",
			"4 of 4 intervals on the claimed side", "M16"},
		{"the lead grows", fixture(1, 2, 3, 4, 5), lead, "holds",
			"2 of 2 intervals on the claimed side" + nlls,
			"lead at level 5 - lead at level 0: +0.25"},
		{"the lead shrinks", worseUnderCorruption(fixture(1, 2, 3, 4, 5), 0.3), lead, "mixed",
			"1 of 2 intervals on the claimed side, 1 on the other" + nlls,
			"lead at level 5 - lead at level 0: -0.04"},
		{"a deficit shrinks", deficit(fixture(1, 2, 3, 4, 5)), lead, "mixed",
			"1 of 2 intervals on the claimed side, 1 on the other" + nlls, "lead"},
		{"not evaluated", notYetEvaluated(fixture(1, 2, 3, 4, 5)), likelihood, "not evaluated",
			"Figure.Evaluate computes its numbers", ""},
		{"not evaluated, the entropy", notYetEvaluated(fixture(1, 2, 3, 4, 5)), falling,
			"as the paper", "4 of 4 intervals on the claimed side", "M16"},
		{"without runs of M32", without(fixture(1, 2, 3, 4, 5), "M32"), lead, "not evaluated",
			"the figure has no runs of M32", ""},
		{"other epochs", fewerEpochs(fixture(1, 2, 3, 4, 5)), above, "not evaluated",
			"the runs of M32 and M16 differ in seeds or epochs", ""},
		{"another method that isn't trained", withDeadThird(fixture(1, 2, 3, 4, 5)), likelihood,
			"as the paper", "6 of 6 intervals on the claimed side" + nlls, "M32"},
		{"the smoke scale", smoke(fixture(1, 2, 3, 4, 5)), likelihood, "an illustration",
			"6 of 6 intervals on the claimed side" + nlls, "M32"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.result.Verdicts()[test.claim]
			if got.Text() != test.outcome || got.Detail != test.detail {
				t.Errorf("verdict is %q (%s), want %q (%s)", got.Text(), got.Detail, test.outcome,
					test.detail)
			}
			if test.least == "" {
				if len(got.Effects) > 0 {
					t.Errorf("effects are %v, want none", got.Effects)
				}
			} else if shown := got.shown()[0].String(); !strings.HasPrefix(shown, test.least) {
				t.Errorf("the first effect is %q, want %q", shown, test.least)
			}
		})
	}
}

// The picture has a panel of differences for each metric, if the seeds can be paired.
func TestFigure03Panels(t *testing.T) {
	unpaired := fixture(1, 2, 3, 4, 5)
	unpaired.Runs = unpaired.Runs[:9]
	for _, test := range []struct {
		name   string
		result *Result
		want   int
	}{
		{"all metrics", fixture(1, 2, 3, 4, 5), 4 + 3},
		{"two seeds", smoke(fixture(1, 2)), 4 + 3},
		{"with the control", withControl(fixture(1, 2, 3, 4, 5)), 4 + 3},
		{"tests of an earlier version", withoutTemperature(fixture(1, 2, 3, 4, 5)), 3 + 2},
		{"a seed without M32", unpaired, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			if page := testkit.Must(figure03Draw(test.result))(t); len(page.Plots()) > 4 {
				t.Errorf("%d panels on the page, want 4 at most", len(page.Plots()))
			}
			figure := testkit.Must(figure03Whole(test.result))(t)
			if got := len(figure.Plots()); got != test.want {
				t.Errorf("%d panels, want %d", got, test.want)
			}
			if width, height := figure.Headed("a title", "a line",
				"another").Size(); width > 1.65*height {
				t.Errorf("%.0f points wide and %.0f high, want 1.65 times as wide at most", width,
					height)
			}
		})
	}
}

// withoutTemperature makes the tests of M32 from seed 2 on those of an earlier version.
func withoutTemperature(r *Result) *Result {
	r.change("M32", func(run *RunResult) {
		if run.Seed > 1 {
			run.Cells[3].Temperature, run.Cells[3].ScaledNLL = 0, 0
		}
	})
	return r
}

// smoke makes a result of the scale that doesn't judge.
func smoke(r *Result) *Result {
	r.Scale = Smoke
	return r
}

// A claim about a method that the scale doesn't have isn't listed.
func TestVerdictsOfTheScalesMethods(t *testing.T) {
	for _, test := range []struct {
		result *Result
		want   int
	}{{fixture(1, 2, 3, 4, 5), 7}, {withControl(fixture(1, 2, 3, 4, 5)), 10}} {
		if got := len(test.result.Verdicts()); got != test.want {
			t.Errorf("%d verdicts with the methods %v, want %d", got, test.result.methodNames(),
				test.want)
		}
	}
	for _, control := range withControl(fixture(1, 2, 3, 4, 5)).Verdicts()[7:] {
		if control.Outcome != Holds || control.Source != ours {
			t.Errorf("%s: the verdict on the control, which equals M32, is %q by %q, want %q by %q",
				control.Claim, control.Outcome, control.Source, Holds, ours)
		}
	}
}

// withControl adds the runs of M32 once more, as its control.
func withControl(r *Result) *Result {
	r.Setup.Methods = append(r.Setup.Methods, fixedSigma(M(0.32)))
	for _, run := range r.of("M32") {
		run.Method = "M32 fixed σ"
		r.Runs = append(r.Runs, run)
	}
	return r
}

// risingEntropy makes training end with more entropy than it began with.
func risingEntropy(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Entropy = run.History[0].Entropy + 1 })
	return r
}

func lowEntropy(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Entropy = -1000 })
	return r
}

func worseOnClean(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.Cells[0].NLL += 1 })
	return r
}

// disagreeing makes M32 better at level 0 for three seeds and worse for two.
func disagreeing(r *Result) *Result {
	for i, shift := range map[int]float64{1: -0.2, 3: +0.12, 5: -0.16, 7: +0.1, 9: -0.14} {
		r.Runs[i].Cells[0].NLL = r.Runs[i-1].Cells[0].NLL + shift
	}
	return r
}

// dead makes M32 guess on every image.
func dead(r *Result) *Result {
	r.change("M32", func(run *RunResult) {
		for level := range run.Cells {
			run.Cells[level].NLL, run.Cells[level].Error = 2.3026, 0.9
		}
	})
	return r
}

// refusing makes M32 fit its training images as little as a network that refuses wrong labels.
func refusing(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Error, run.History[4].NLL = 0.7, 2.26 })
	return r
}

func worseUnderCorruption(r *Result, by float64) *Result {
	r.change("M32", func(run *RunResult) { run.Cells[5].NLL += by })
	return r
}

// deficit makes M32 worse at both ends, and less so at level 5.
func deficit(r *Result) *Result { return worseUnderCorruption(worseOnClean(r), 0.4) }

func without(r *Result, method string) *Result {
	r.Runs = slices.DeleteFunc(r.Runs, func(run RunResult) bool { return run.Method == method })
	return r
}

func fewerEpochs(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History = run.History[:4] })
	return r
}

// withDeadThird adds a method that the claims aren't about.
func withDeadThird(r *Result) *Result {
	r.Setup.Methods = append(r.Setup.Methods, M(0.64))
	for _, run := range r.of("M32") {
		run.Method = "M64"
		run.Cells = slices.Clone(run.Cells)
		run.Cells[0].NLL, run.Cells[0].Error = 2.31, 0.9
		r.Runs = append(r.Runs, run)
	}
	return r
}

func notYetEvaluated(r *Result) *Result {
	for i := range r.Runs {
		r.Runs[i].Cells = nil
	}
	r.evaluated = false
	return r
}

func TestVerdictsString(t *testing.T) {
	lines := strings.Split(fixture(1, 2, 3, 4, 5).Verdicts().String(), "\n")
	want := []string{
		"claim    entropy of M32 is above M16 throughout:              as the paper   (paper; 5 " +
			"of 5 intervals on the claimed side)",
		"           M32 - M16 at epoch 0: +150.00 nats of entropy [+150.00, +150.00], 5 seeds: " +
			"holds",
	}
	for i, line := range want {
		if lines[7+i] != line {
			t.Errorf("line %d is\n%q, want\n%q", 7+i, lines[7+i], line)
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		t.Errorf("the text ends with %q, want a line feed", last)
	}
}

// A method of the paper sets both standard deviations.
func TestM(t *testing.T) {
	for std, name := range map[float64]string{0.16: "M16", 0.05: "M05", 1: "M100"} {
		var config nbbnn.Config
		method := M(std)
		if method.Change(&config); method.Name != name || config.Posterior.InitStd != std ||
			config.Posterior.PriorStd != std {
			t.Errorf("M(%g) is %s with %+v, want %s", std, method.Name, config.Posterior, name)
		}
	}
}
