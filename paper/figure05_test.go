package paper

import (
	"bytes"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// crossFixture is a result of Figure 5 at the desk with the paper's numbers; seed s lies s/1000
// above them.
func crossFixture() *Result {
	result := &Result{evaluated: true, Figure: figure05, Scale: Desk, Setup: figure05Runs(Desk)}
	for _, seed := range result.Setup.Seeds {
		for _, method := range result.methodNames() {
			run := RunResult{Run: Run{Method: method, Seed: seed},
				History: []nbbnn.Epoch{{}, {Epoch: 1, NLL: 0.2, Error: 0.05}}}
			above := func(values []float64) (shifted []float64) {
				for _, value := range values {
					shifted = append(shifted, value+float64(seed)/1000)
				}
				return shifted
			}
			scores := crossScores{above(crossCurve{method, ""}.inPaper())[0],
				map[string][]float64{}}
			for _, by := range result.methodNames() {
				for _, n := range noiseFrees {
					scores.By[n.source(by)] = above(crossCurve{method, by}.inPaper())
				}
			}
			// claims with these numbers hold for all
			run.cross = crossTest{NLL: scores, ScaledNLL: scores, Error: scores}
			result.Runs = append(result.Runs, run)
		}
	}
	return result
}

// All claims hold with the paper's own numbers.
func TestFigure05Verdicts(t *testing.T) {
	r := crossFixture()
	for i, effects := range []int{8, 1, 4, 6, 8, 8, 1, 1} {
		if got := r.Verdicts()[i]; got.Outcome != Holds || len(got.Effects) != effects {
			t.Errorf("%s: %s with %d effects (%s), want that it holds with %d", got.Claim,
				got.Outcome, len(got.Effects), got.Detail, effects)
		}
	}
	testkit.Near(t, "M16's own corruptions at 0.3, beyond 0.07 nats",
		r.Verdicts()[0].Effects[3].Mean, 0.3620-0.3088-0.07, 1e-12)
	for _, by := range []string{"M32", "M16"} {
		want := map[string]Outcome{"M32": Mixed, "M16": Fails}[by]
		for i := range r.Runs {
			r.Runs[i].cross[NLL].By[by] = []float64{0.34, 0.35, 0.36, 0.37}
		}
		if got := r.Verdicts()[3]; got.Outcome != want {
			t.Errorf("with corruptions of %s, too, that cost more as lambda grows: %s, want %s", by,
				got.Outcome, want)
		}
	}
	delete(r.Runs[2].cross, ScaledNLL)
	want := "the cross-test of " + r.Runs[2].Name() + " has no ScaledNLL: " +
		"`nbbnn figure 3 --scale desk`" +
		" gives it a temperature, and `nbbnn figure 5` adds it"
	if got := r.Verdicts()[4]; got.Outcome != NotEvaluated || got.Detail != want {
		t.Errorf("without a temperature: %s (%s), want not evaluated (%s)", got.Outcome, got.Detail,
			want)
	}
}

func TestFigure05IsDrawn(t *testing.T) {
	r := crossFixture()
	if _, err := r.Draw(); err != nil {
		t.Error(err)
	}
	table, err := firstTable(r)
	if err != nil || len(table.Rows) != 58 || table.Rows[2][2] != "0.309" ||
		table.Rows[2][1] != "M16, clean, paper" {
		t.Errorf("table is %v (%v), want 6 lines of means and deviations with the paper's below "+
			"each, and 6 for each further metric", table.Rows, err)
	}
}

// A cross-test is kept, so that it's read again; a damaged file is replaced, and other settings
// have another file.
func TestCrossTestIsKept(t *testing.T) {
	figure := tiny(figure05, 1).Adjust(func(s *Setup) {
		s.Implicit.Images, s.Implicit.Draws, s.Implicit.Steps = 2, 2, 3
	})
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	result := made(t, figure, options)
	first := result.Runs[0].cross
	if len(first[NLL].By["M16"]) != 4 || len(first[NLL].By["M32, Z = 1"]) != 4 ||
		len(first[Error].By["M32"]) != 4 || first[NLL].Clean <= 0 || len(first) != 2 {
		t.Fatalf("the cross-test is %+v, want 4 values by each method, and no scaled NLL without "+
			"a temperature", first)
	}
	kept, err := filepath.Glob(filepath.Join(result.Runs[0].Directory(), "cross", "*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept are %v (%v), want one file", kept, err)
	}
	sealed := readFile(t, kept[0])
	for _, damage := range []string{"{", `"by":`} {
		replaceInFile(t, kept[0], damage, "")
		again, err := figure.Evaluate(t.Context(), Smoke, options)
		if err != nil || !reflect.DeepEqual(again.Runs[0].cross, first) ||
			!bytes.Equal(readFile(t, kept[0]), sealed) {
			t.Errorf("without %q it is %+v (%v), want %+v and the same file", damage,
				again.Runs[0].cross, err, first)
		}
	}
	replaceInFile(t, kept[0], `"clean":`, `"clean":1`)
	if plan, err := figure.Plan(Smoke, options); err != nil || plan.Measured != 1 {
		t.Errorf("with a damaged cross-test %d of 2 runs are measured (%v), want 1",
			plan.Measured, err)
	}
	other := figure.Adjust(func(s *Setup) { s.Evaluation.Samples = 2 })
	if plan, err := other.Plan(Smoke, options); err != nil || plan.Measured != 0 {
		t.Errorf("with other samples %d runs are measured (%v), want none", plan.Measured, err)
	}
}
