package paper

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// A network that stops while it learns decides nothing: its NLL ends above half of guessing's,
// which is 1.15 for ten classes, and falls by more than 0.23 in the second half of its epochs.
func TestUnfinished(t *testing.T) {
	const primary = 0
	for _, test := range []struct {
		name        string
		middle, end float64 // training NLL of M32
		seeds       int     // that end so, from the first on
		data        string
		outcome     Outcome
		detail      string
	}{
		{"learns to the end", 1.9, 1.6, 5, dataset.CIFAR10, Unfinished, "training NLL 0.20 " +
			"(M16), 1.60 (M32); the training NLL of M32 seed 1 still falls, from 1.90 to 1.60 in " +
			"the second half of its epochs, and so do 4 more; "},
		{"one of five", 1.9, 1.6, 1, dataset.CIFAR10, Unfinished, "training NLL 0.20 (M16), 0.48 " +
			"(M32); the training NLL of M32 seed 1 still falls, from 1.90 to 1.60 in the second " +
			"half of its epochs; "},
		{"ends low", 1.9, 1.1, 5, dataset.CIFAR10, Holds,
			"training NLL 0.20 (M16), 1.10 (M32); gap"},
		{"doesn't fall", 1.8, 1.6, 5, dataset.CIFAR10, Holds,
			"training NLL 0.20 (M16), 1.60 (M32); gap"},
		{"low for a hundred classes", 1.9, 1.6, 5, dataset.CIFAR100, Holds,
			"training NLL 0.20 (M16), 1.60 (M32); gap"},
	} {
		r := fixture(1, 2, 3, 4, 5)
		r.Setup.Config.Data.Name = test.data
		r.change("M32", func(run *RunResult) {
			if run.Seed <= uint64(test.seeds) {
				run.History[2].NLL, run.History[3].NLL, run.History[4].NLL = test.middle,
					(test.middle+test.end)/2, test.end
			}
		})
		verdicts := r.Verdicts()
		if got := verdicts[primary]; got.Outcome != test.outcome ||
			!strings.Contains(got.Detail, test.detail) || len(got.Effects) == 0 {
			t.Errorf("%s: %s (%s), want %s (%s)", test.name, got.Outcome, got.Detail, test.outcome,
				test.detail)
		}
		if got := verdicts[1]; got.Outcome != Holds || strings.Contains(got.Detail, "NLL") {
			t.Errorf("%s: the claim on the entropy, which compares no tests, is %s (%s)", test.name,
				got.Outcome, got.Detail)
		}
	}
}

// A network that doesn't beat guessing isn't called one that learns to the end.
func TestUntrainedBeforeUnfinished(t *testing.T) {
	r := dead(fixture(1, 2, 3, 4, 5))
	r.change("M32", func(run *RunResult) { run.History[2].NLL, run.History[4].NLL = 3, 2.3 })
	if got := r.Verdicts()[0].Outcome; got != NotTrained {
		t.Errorf("it's %q, want %q", got, NotTrained)
	}
}

// The training NLLs are means over the seeds; of more than four methods there's the range.
func TestTrainingNLLs(t *testing.T) {
	r := fixture(1, 2)
	r.change("M32", func(run *RunResult) { run.History[4].NLL = 0.5 + 0.1*float64(run.Seed) })
	if got, want := trainingNLLs(r, claim{Methods: figure03Methods}),
		"training NLL 0.20 (M16), 0.65 (M32)"; got != want {
		t.Errorf("it's %q, want %q", got, want)
	}
	r.change("M32", func(run *RunResult) { run.History = run.History[:1] }) // noise that stays
	if got, want := trainingNLLs(r, claim{Methods: figure03Methods}),
		"training NLL 0.20 (M16)"; got != want || !math.IsNaN(gapsOf(r.of("M32"))[0]) {
		t.Errorf("it's %q, want %q, and the gaps are %v", got, want, gapsOf(r.of("M32")))
	}
	r = sweepFixture(t, figure06)
	names := r.methodNames()
	// to 0.5, mean 0.3
	r.change(names[1], func(run *RunResult) { run.History[2].NLL = 0.1 * float64(run.Seed) })
	if got, want := trainingNLLs(r, claim{Methods: names}),
		"training NLL from 0.20 to 0.30"; got != want {
		t.Errorf("it's %q, want %q", got, want)
	}
	if got, want := trainingNLLs(r, claim{Methods: names[:4]}),
		"training NLL 0.20 ("; !strings.HasPrefix(got, want) || strings.Count(got, "(") != 4 {
		t.Errorf("of four methods it's %q, want each", got)
	}
}

// Only runs of one seed have to be of one engine.
func TestMixedEngines(t *testing.T) {
	const cpu, gpu = "go (AVX kernels)", "xla:cuda"
	for _, test := range []struct {
		name    string
		engines map[string]string // of runs; cpu for the others
		want    string
	}{
		{"one engine", nil, ""},
		{"a pair", map[string]string{"M32 seed 2": gpu},
			"M16 seed 2 was trained by go (AVX kernels), M32 seed 2 by xla:cuda: train one of " +
				"them again on the other's engine"},
		{"a seed of its own engine", map[string]string{"M16 seed 2": gpu, "M32 seed 2": gpu}, ""},
		{"unknown", map[string]string{"M16 seed 2": ""}, ""},
		{"another method", map[string]string{"M32 fixed σ seed 2": gpu}, ""},
	} {
		r := withControl(fixture(1, 2, 3, 4, 5))
		for i := range r.Runs {
			r.Runs[i].engine = cpu
			if engine, named := test.engines[r.Runs[i].Name()]; named {
				r.Runs[i].engine = engine
			}
		}
		primary := r.Verdicts()[0]
		if test.want == "" && primary.Outcome != Holds || test.want != "" &&
			(primary.Outcome != NotEvaluated || primary.Detail != test.want ||
				len(primary.Effects) > 0) {
			t.Errorf("%s: %s (%s), want %q", test.name, primary.Outcome, primary.Detail, test.want)
		}
	}
}

// checkMixedEngines changes the engine of the last run of a figure: seed 2 then pairs two, so that
// the figure isn't evaluated.
func checkMixedEngines(t *testing.T, figure Figure, options Options, last RunResult) {
	t.Helper()
	changeCard(t, last.Run.Run, func(card *nbbnn.Card) { card.Engine = "another" })
	result := testkit.Must(figure.Evaluate(t.Context(), Smoke, options))(t)
	primary, _ := result.Verdicts().primary()
	for _, want := range []string{"M16 seed 2 was trained by go", last.Name() + " by another"} {
		if primary.Outcome != NotEvaluated || !strings.Contains(primary.Detail, want) {
			t.Errorf("a pair of two engines is %s (%s), want not evaluated and %q", primary.Outcome,
				primary.Detail, want)
		}
	}
}

// No claim of a committed result is decided by a pair of networks from two engines.
func TestNoDecidedClaimPairsEngines(t *testing.T) {
	results, beyond, err := readResults(resultsFolder)
	testkit.NoError(t, err)
	kernels := regexp.MustCompile(`AVX(2|-512)`)
	decided := 0
	for _, c := range slices.Concat(results, beyond) {
		byState := map[string]string{}
		for _, card := range c.cards {
			byState[card.StateSHA256] = kernels.ReplaceAllString(card.Engine, "AVX")
		}
		r := &Result{Figure: c.figure, Scale: c.Scale, Setup: c.figure.Runs(c.Scale)}
		r.Setup.Methods = slices.DeleteFunc(r.Setup.Methods, func(m Method) bool {
			return !slices.ContainsFunc(c.Runs, func(run runReport) bool {
				return run.Method == m.Name && run.Row == m.Row
			})
		})
		for _, claim := range c.figure.claims {
			part := r.about(claim)
			claim, possible := claim.among(part.methodNames())
			v := c.Verdict(claim.about(part) + claim.Text)
			if !possible || !isDecided(v.Outcome) {
				continue
			}
			decided++
			for _, seed := range c.Seeds {
				engines := map[string]bool{}
				for _, run := range c.Runs {
					engine := byState[run.State]
					if run.Seed == seed && engine != "" && slices.Contains(part.rows(), run.Row) &&
						slices.Contains(claim.Methods, run.Method) {
						engines[engine] = true
					}
				}
				if len(engines) > 1 {
					t.Errorf("%s: %s: seed %d pairs %v, and the claim %s", c.Name, v.Claim, seed,
						engines, v.Outcome)
				}
			}
		}
	}
	if decided < 30 {
		t.Errorf("%d claims are decided: the test looks at none", decided)
	}
}
