package score

import (
	"reflect"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// settings stand for those of a training.
type settings struct {
	Network struct {
		Name string `json:"name"`
	} `json:"network"`
	Gamma      float64 `json:"gamma"`
	BetaEpochs int     `json:"beta_epochs"`
}

func withGamma(gamma float64) (s settings) {
	s.Network.Name = "allcnnc"
	s.Gamma = gamma
	return s
}

// scoredRun is a run whose NLL is the given number plus the level.
func scoredRun(t *testing.T, name string, settings any, seed uint64, nll float64) Run {
	cells := madeCells(t, func(_, severity int) float64 { return nll + float64(severity) })
	return Run{Name: name, Settings: settings, Seed: seed, Cells: cells}
}

func TestCompareGroupsBySettings(t *testing.T) {
	c, err := Compare("main15",
		scoredRun(t, "b", withGamma(8), 2, 0.5), scoredRun(t, "c", withGamma(1), 1, 0.7),
		scoredRun(t, "a", withGamma(8), 1, 0.1), scoredRun(t, "d", withGamma(1), 3, 0.9))
	testkit.NoError(t, err)
	if got := c.Names(); !slices.Equal(got, []string{"gamma 8", "gamma 1"}) {
		t.Errorf("methods are %q, want gamma 8 and gamma 1", got)
	}
	if m := c.Methods[0]; !slices.Equal(m.Runs, []string{"a", "b"}) ||
		!slices.Equal(m.Seeds, []uint64{1, 2}) {
		t.Errorf("the first method has the runs %q with the seeds %d, want a and b with 1 and 2",
			m.Runs, m.Seeds)
	}
	nll, _ := MetricByName("NLL")
	tables := testkit.Must(c.Tables())(t)
	testkit.Near(t, "mean NLL at level 3", tables[0].NLL[3].Mean, 3.3, 1e-12)
	for i, m := range c.Methods {
		series := testkit.Must(nll.Series(c.Suite, m.Cells...))(t)
		if tables[i].NLL != series {
			t.Errorf("the table's NLL is %v, the series %v", tables[i].NLL, series)
		}
	}
}

func TestComparisonRefuses(t *testing.T) {
	one := scoredRun(t, "a", withGamma(8), 1, 0.1)
	short := one
	short.Seed, short.Cells = 2, one.Cells[:9]
	for _, c := range []struct {
		name  string
		suite string
		runs  []Run
		want  string
	}{
		{"nothing", "all19", nil, "0 methods"},
		{"the same run twice", "all19", []Run{one, one}, "give each run once"},
		{"not evaluated", "all19", []Run{{Name: "a"}}, "isn't evaluated yet"},
		{"a cell is missing", "all19", []Run{one, short}, "is missing"},
	} {
		_, err := Compare(c.suite, c.runs...)
		checkError(t, c.name, err, c.want)
	}
	double := Comparison{Suite: "all19", Methods: []Method{{Name: "x", Cells: []Cells{one.Cells}},
		{Name: "x", Cells: []Cells{one.Cells}}}}
	checkError(t, "one name", double.Check(), `called "x"`)
}

// All right ones are surer than all wrong ones: the risk is 0 until those are answered.
func TestRiskCoverageOfBins(t *testing.T) {
	var bins Bins
	for range 6 {
		bins.Add(0.85, true)
	}
	for range 4 {
		bins.Add(0.35, false)
	}
	coverage, risk := bins.RiskCoverage()
	testkit.Near(t, "coverage", coverage, []float64{0.6, 1}, 0)
	testkit.Near(t, "risk", risk, []float64{0, 0.4}, 0)
	cells := Cells{{Corruption: Clean, Bins: bins}, {Corruption: "fog", Severity: 3, Bins: bins}}
	for _, c := range []struct {
		levels []int
		want   int
	}{{nil, 10}, {[]int{0, 3}, 20}, {[]int{1}, 0}} {
		pool := testkit.Must(cells.pool(c.levels...))(t)
		testkit.Near(t, "predictions in the pool", pool.Count(), c.want, 0)
	}
	_, err := cells.pool(6)
	checkError(t, "level", err, "level 6")
}

func TestNameOfAMethodIsOneLine(t *testing.T) {
	for _, name := range []string{"a\nb", "\x1b[31mred", "\u009b2J"} {
		m := Method{Name: name, Cells: []Cells{{{}}}}
		checkError(t, "Check", Comparison{Methods: []Method{m}}.Check(), "control characters")
	}
}

// An ensemble costs what its members cost together; what is unknown of one is unknown of all.
func TestCostOfAnEnsemble(t *testing.T) {
	a := Cost{Parameters: 100, Epochs: 30, TrainingPasses: 2, PredictionPasses: 16,
		TrainingSeconds: 8}
	b := Cost{Parameters: 100, Epochs: 30, TrainingPasses: 2, PredictionPasses: 16,
		TrainingSeconds: 10}
	m := Method{Name: "SAM", Seeds: []uint64{1, 2}, Cells: []Cells{nil, nil}, Costs: []Cost{a, b}}
	if mean, known := m.Cost(); !known || mean.TrainingSeconds != 9 || mean.TrainingPasses != 2 {
		t.Errorf("a run costs %+v (%t), want the mean of 9 seconds and 2 passes", mean, known)
	}
	e := m.Ensemble(nil, "ensemble-1")
	want := Cost{Parameters: 200, Epochs: 30, TrainingPasses: 4, PredictionPasses: 32,
		TrainingSeconds: 18}
	if got, known := e.Cost(); !known || got != want || e.Name != "ens SAM" ||
		!reflect.DeepEqual(e.Seeds, []uint64{2}) || !reflect.DeepEqual(e.Members, []uint64{1, 2}) {
		t.Errorf("the ensemble is %+v and costs %+v (%t), want %+v", e, got, known, want)
	}
	b.TrainingSeconds, b.Parameters = 0, 0
	want.TrainingSeconds, want.Parameters = 0, 0
	if got := a.Plus(b); got != want {
		t.Errorf("with an unknown member the sum is %+v, want %+v", got, want)
	}
	b.Posthoc, want.Posthoc = true, true
	if got := a.Plus(b); got != want {
		t.Errorf("with a member on top of a parent the sum is %+v, want %+v", got, want)
	}
	if _, known := (Method{}).Cost(); known {
		t.Error("a method without costs has one")
	}
}

// Methods of several titles are called by them; those of one title differ in settings.
func TestMethodsAreCalledByTheirTitles(t *testing.T) {
	type settings struct {
		Rho float64 `json:"rho"`
	}
	run := func(title string, rho float64) Run {
		r := scoredRun(t, title, settings{rho}, 1, 0.5)
		r.Title = title
		return r
	}
	c := testkit.Must(Compare("main15", run("MAP", 0), run("SAM", 0.05), run("SAM", 0.1)))(t)
	if got, want := c.Names(), []string{"MAP", "SAM, rho 0.05", "SAM, rho 0.1"}; !reflect.DeepEqual(
		got, want) {
		t.Errorf("methods are called %q, want %q", got, want)
	}
	c.Methods[2].Name = "node-BNN, gamma 0"
	for name, want := range map[string]string{"map": "MAP", "sam, Rho 0.05": "SAM, rho 0.05",
		"node-BNN, γ 0": "node-BNN, gamma 0"} {
		if m, err := c.Method(name); err != nil || m.Name != want {
			t.Errorf("%q is %q (%v), want %q", name, m.Name, err, want)
		}
	}
	c.Methods[1].Name = "map" // beside MAP
	if m, err := c.Method("map"); err != nil || m.Name != "map" {
		t.Errorf("map is %q (%v), want the method of just that name", m.Name, err)
	}
}

// Runs of a seed are pairs if one is noise on the other's network, both are noise on one, or each
// is noise on a network of its own. Noises on one network and noises on another aren't, nor with a
// network that they aren't on.
func TestPair(t *testing.T) {
	trained, imported := Origin{Weights: "a"}, Origin{Weights: "b", Parent: "b"}
	onA, onB := Origin{Parent: "a", OnOne: true}, Origin{Parent: "b", OnOne: true}
	for _, test := range []struct {
		name        string
		one, theirs Origin
		want        int
	}{
		{"two trainings", trained, Origin{Weights: "c"}, 0},
		{"noise on that network", onA, trained, 0},
		{"noise on another network", onB, trained, -1},
		{"noises on one network", onA, onA, 0},
		{"noises on two networks", onA, onB, -1},
		{"noise on an imported seed and several noises on another", imported, onA, -1},
		{"noises on imported seeds", imported, Origin{Parent: "c"}, 0},
	} {
		for _, both := range [][2]Origin{{test.one, test.theirs}, {test.theirs, test.one}} {
			first := Method{Seeds: []uint64{4}, Origins: both[:1]}
			if got := first.Pair(Method{Seeds: []uint64{4}, Origins: both[1:]},
				0); got != test.want {
				t.Errorf("%s: the place is %d, want %d", test.name, got, test.want)
			}
		}
	}
}
