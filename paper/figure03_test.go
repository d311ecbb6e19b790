package paper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestFigure03Verdicts(t *testing.T) {
	const falling, above, likelihood, lead = 0, 1, 2, 3
	const trained = "; training error 5% and 5%"
	const fell = "M16 -100.0 to -108.0, M32 50.0 to 42.0 nats; "
	for _, test := range []struct {
		name    string
		result  *Result
		claim   int
		outcome Outcome
		detail  string
	}{
		{"the entropy falls", fixture(1, 2), falling, Holds, fell + "16 of 16 epochs"},
		{"the entropy jitters", jitteringEntropy(fixture(1, 2)), falling, Holds, "M16 -100.0 to -108.0, M32 50.0 to 44.1 nats; 14 of 16 epochs"},
		{"the entropy rises in the end", risingEntropy(fixture(1, 2)), falling, Fails, "M16 -100.0 to -108.0, M32 50.0 to 51.0 nats; 14 of 16 epochs"},
		{"the entropy falls, one seed", fixture(1), falling, TooFewSeeds, fell + "8 of 8 epochs"},
		{"the entropy is above", fixture(1, 2), above, Holds, "5 of 5 epochs; 2 seeds agree"},
		{"the entropy is below once", lowEntropy(fixture(1, 2)), above, Fails, "4 of 5 epochs; 2 seeds agree"},
		{"the likelihood is the paper's", fixture(1, 2), likelihood, Holds, "6 of 6 levels; 2 seeds agree" + trained},
		{"one seed", fixture(1), likelihood, TooFewSeeds, "6 of 6 levels; 1 seed" + trained},
		{"a worse likelihood on clean images", worseOnClean(fixture(1, 2)), likelihood, Fails, "5 of 6 levels; 2 seeds agree" + trained},
		{"seeds that disagree", disagreeing(fixture(1, 2)), likelihood, TooFewSeeds, "5 of 6 levels; 2 seeds disagree at 1" + trained},
		{"not trained", untrained(fixture(1, 2), 0.4, 1.1), likelihood, NotTrained,
			"6 of 6 levels; 2 seeds agree; training error 5% and 40%, NLL 0.20 and 1.10: at most 10% and 1.15 allow an answer"},
		{"dead, with tied logits", untrained(fixture(1, 2), 0, 2.3026), lead, NotTrained,
			"from +0.052 to +0.308; 2 seeds agree; training error 5% and 0%, NLL 0.20 and 2.30: at most 10% and 1.15 allow an answer"},
		{"not trained, the entropy", untrained(fixture(1, 2), 0.4, 1.1), falling, Holds, fell + "16 of 16 epochs"},
		{"the lead grows", fixture(1, 2), lead, Holds, "from +0.052 to +0.308; 2 seeds agree" + trained},
		{"the lead shrinks", worseUnderCorruption(fixture(1, 2), 0.3), lead, Fails, "from +0.052 to +0.008; 2 seeds agree" + trained},
		{"a deficit shrinks", deficit(fixture(1, 2)), lead, Fails, "from -0.948 to -0.092; 2 seeds agree" + trained},
		{"not evaluated", notYetEvaluated(fixture(1, 2)), likelihood, NotEvaluated, "Figure.Evaluate computes what it is about"},
		{"not evaluated, the entropy", notYetEvaluated(fixture(1, 2)), falling, Holds, fell + "16 of 16 epochs"},
		{"without M32", without(fixture(1, 2), "M32"), lead, NotEvaluated, "the figure has no runs of M32"},
		{"other epochs", fewerEpochs(fixture(1, 2)), above, NotEvaluated, "the runs of M32 have other seeds or epochs than those of M16"},
		{"another method that isn't trained", withDeadThird(fixture(1, 2)), likelihood, Holds, "6 of 6 levels; 2 seeds agree" + trained},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.result.Verdicts()[test.claim]
			if got.Outcome != test.outcome || got.Detail != test.detail {
				t.Errorf("verdict is %q (%s), want %q (%s)", got.Outcome, got.Detail, test.outcome, test.detail)
			}
		})
	}
}

// jitteringEntropy makes the last epoch end a little above the one before it.
func jitteringEntropy(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Entropy = run.History[3].Entropy + 0.1 })
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
	r.change("M32", func(run *RunResult) { run.Levels.NLL[0] += 1 })
	return r
}

// disagreeing makes M32 better at level 0 for one seed and as much worse for the other.
func disagreeing(r *Result) *Result {
	for i, shift := range map[int]float64{1: -0.2, 3: +0.2} {
		r.Runs[i].Levels.NLL[0] = r.Runs[i-1].Levels.NLL[0] + shift
	}
	return r
}

// untrained gives M32 another training error and NLL.
func untrained(r *Result, trainingError, nll float64) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Error, run.History[4].NLL = trainingError, nll })
	return r
}

func worseUnderCorruption(r *Result, by float64) *Result {
	r.change("M32", func(run *RunResult) { run.Levels.NLL[5] += by })
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
	r.Figure = r.Figure.With(M(0.64))
	for _, run := range r.of("M32") {
		run.Method = "M64"
		run.History = slices.Clone(run.History)
		run.History[4].Error, run.History[4].NLL = 0.9, 2.3
		r.Runs = append(r.Runs, run)
	}
	return r
}

func notYetEvaluated(r *Result) *Result {
	for i := range r.Runs {
		r.Runs[i].Cells, r.Runs[i].Levels = nil, score.Levels{}
	}
	return r
}

func TestVerdictsString(t *testing.T) {
	lines := strings.Split(fixture(1, 2).Verdicts().String(), "\n")
	const want = "claim    NLL of M32 is below M16 at every level              holds   (6 of 6 levels; 2 seeds agree; training error 5% and 5%)"
	if lines[2] != want {
		t.Errorf("line is\n%q, want\n%q", lines[2], want)
	}
	if len(lines) != 5 || lines[4] != "" {
		t.Errorf("%d lines, want 4 that end with a line feed", len(lines)-1)
	}
}

// TestFigure03Published compares the table with the digitised figure where the specification is there.
func TestFigure03Published(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "shared", "spec", "readoff.json"))
	if err != nil {
		t.Skip("the digitised curves of the paper aren't here:", err)
	}
	var readoff struct {
		Curves map[string]json.RawMessage `json:"allcnnc_cifar10_nll_by_level"`
	}
	if err := json.Unmarshal(data, &readoff); err != nil {
		t.Fatal(err)
	}
	for _, curve := range figure03Published {
		var want struct{ Mean, SD [score.LevelCount]float64 }
		if err := json.Unmarshal(readoff.Curves[curve.Method], &want); err != nil {
			t.Fatal(err)
		}
		for level := range score.LevelCount {
			closeTo(t, curve.Method+" mean", curve.Mean[level], want.Mean[level], 0)
			closeTo(t, curve.Method+" standard deviation", curve.Std[level], want.SD[level], 0)
		}
	}
}

func TestM(t *testing.T) {
	for _, test := range []struct {
		std  float64
		name string
	}{{0.16, "M16"}, {0.32, "M32"}, {0.05, "M05"}, {1, "M100"}} {
		var config nbbnn.Config
		method := M(test.std)
		method.Change(&config)
		if method.Name != test.name {
			t.Errorf("M(%g) is called %s, want %s", test.std, method.Name, test.name)
		}
		closeTo(t, "initial standard deviation", config.Posterior.InitStd, test.std, 0)
		closeTo(t, "prior's standard deviation", config.Posterior.PriorStd, test.std, 0)
	}
}
