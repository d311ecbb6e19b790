package paper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

func TestFigure03Verdicts(t *testing.T) {
	const falls, above, likelihood, lead = 0, 1, 2, 3
	for _, test := range []struct {
		name    string
		result  *Result
		claim   int
		outcome Outcome
		detail  string
	}{
		{"the entropy falls", fixture(1, 2), falls, Holds, "8 of 8 epochs; 2 seeds"},
		{"the entropy rises once", risingEntropy(fixture(1, 2)), falls, Fails, "7 of 8 epochs; 2 seeds"},
		{"the entropy is above", fixture(1, 2), above, Holds, "5 of 5 epochs; 2 seeds"},
		{"the entropy is below once", lowEntropy(fixture(1, 2)), above, Fails, "4 of 5 epochs; 2 seeds"},
		{"the likelihood is the paper's", fixture(1, 2), likelihood, Holds, "6 of 6 levels; 2 seeds"},
		{"one seed", fixture(1), likelihood, TooFewSeeds, "6 of 6 levels; 1 seed"},
		{"a worse likelihood on clean images", worseOnClean(fixture(1, 2)), likelihood, Fails, "5 of 6 levels; 2 seeds"},
		{"seeds that disagree", disagreeing(fixture(1, 2)), likelihood, TooFewSeeds, "5 of 6 levels, 1 within a standard error; 2 seeds"},
		{"not trained", untrained(fixture(1, 2)), likelihood, NotTrained,
			"6 of 6 levels; 2 seeds; training NLL 0.20 and 1.17, error 5% and 40%, limit 10%"},
		{"not trained, another claim", untrained(fixture(1, 2)), lead, Holds, "from +0.052 to +0.308; 2 seeds"},
		{"not trained at all, another claim", ignorant(fixture(1, 2)), lead, NotTrained,
			"from +0.052 to +0.308; 2 seeds; training NLL 0.20 and 2.30, error 5% and 90%, limit 50%"},
		{"the lead shrinks", shrinkingLead(fixture(1, 2)), lead, Fails, "from +0.052 to +0.008; 2 seeds"},
		{"not evaluated", notYetEvaluated(fixture(1, 2)), likelihood, NotEvaluated, "Figure.Evaluate computes the levels"},
		{"not evaluated, the entropy", notYetEvaluated(fixture(1, 2)), falls, Holds, "8 of 8 epochs; 2 seeds"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.result.Verdicts()[test.claim]
			if got.Outcome != test.outcome || got.Detail != test.detail {
				t.Errorf("verdict is %q (%s), want %q (%s)", got.Outcome, got.Detail, test.outcome, test.detail)
			}
		})
	}
}

func risingEntropy(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Entropy = run.History[3].Entropy + 1 })
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

func untrained(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Error, run.History[4].NLL = 0.4, 1.17 })
	return r
}

func ignorant(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.History[4].Error, run.History[4].NLL = 0.9, 2.3 })
	return r
}

func shrinkingLead(r *Result) *Result {
	r.change("M32", func(run *RunResult) { run.Levels.NLL[5] += 0.3 })
	return r
}

func notYetEvaluated(r *Result) *Result {
	for i := range r.Runs {
		r.Runs[i].Cells, r.Runs[i].Levels = nil, nbbnn.Levels{}
	}
	return r
}

func TestVerdictsString(t *testing.T) {
	lines := strings.Split(fixture(1, 2).Verdicts().String(), "\n")
	const want = "claim    NLL of M32 is below M16 at every level              holds   (6 of 6 levels; 2 seeds)"
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
		var want struct{ Mean, SD [nbbnn.LevelCount]float64 }
		if err := json.Unmarshal(readoff.Curves[curve.Method], &want); err != nil {
			t.Fatal(err)
		}
		for level := range nbbnn.LevelCount {
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
