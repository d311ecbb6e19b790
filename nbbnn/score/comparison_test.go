package score

import (
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
	if m := c.Methods[0]; !slices.Equal(m.Runs, []string{"a", "b"}) || !slices.Equal(m.Seeds, []uint64{1, 2}) {
		t.Errorf("the first method has the runs %q with the seeds %d, want a and b with 1 and 2", m.Runs, m.Seeds)
	}
	nll, _ := MetricByName("NLL")
	series := testkit.Must(c.Series(nll))(t)
	near(t, "mean NLL at level 3", series[0][3].Mean, 3.3, 1e-12)
	tables := testkit.Must(c.Tables())(t)
	for i := range tables {
		if tables[i].NLL != series[i] {
			t.Errorf("the table's NLL is %v, the series %v", tables[i].NLL, series[i])
		}
	}
}

// Differences are paired: only seed 1 is in both methods, and the seeds' own levels cancel.
func TestDifferencesArePaired(t *testing.T) {
	c, err := Compare("all19",
		scoredRun(t, "a", withGamma(8), 1, 0.1), scoredRun(t, "b", withGamma(8), 2, 5),
		scoredRun(t, "c", withGamma(1), 1, 0.7), scoredRun(t, "d", withGamma(1), 3, 9))
	testkit.NoError(t, err)
	nll, _ := MetricByName("NLL")
	d := testkit.Must(c.Differences(nll, "gamma 8", "gamma 1"))(t)
	if !slices.Equal(d.Seeds, []uint64{1}) {
		t.Errorf("the seeds are %d, want 1", d.Seeds)
	}
	for level, s := range d.Series() {
		near(t, "difference", s.Mean, -0.6, 1e-12)
		near(t, "differences at a level", len(d.Level(level)), 1, 0)
	}
	_, err = c.Differences(nll, "gamma 8", "gamma 2")
	checkError(t, "unknown method", err, `no method "gamma 2"`)
	c.Methods[1].Seeds = []uint64{7, 8}
	_, err = c.Differences(nll, "gamma 8", "gamma 1")
	checkError(t, "no shared seed", err, "none of which is shared")
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
	double := Comparison{Suite: "all19", Methods: []Method{{Name: "x", Cells: []Cells{one.Cells}}, {Name: "x", Cells: []Cells{one.Cells}}}}
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
	want := []RiskPoint{{0.6, 0}, {1, 0.4}}
	if got := bins.RiskCoverage(); !slices.Equal(got, want) {
		t.Errorf("the points are %v, want %v", got, want)
	}
	cells := Cells{{Corruption: Clean, Bins: bins}, {Corruption: "fog", Severity: 3, Bins: bins}}
	for _, c := range []struct {
		levels []int
		want   int
	}{{nil, 10}, {[]int{0, 3}, 20}, {[]int{1}, 0}} {
		pool := testkit.Must(cells.Pool(c.levels...))(t)
		near(t, "predictions in the pool", pool.Count(), c.want, 0)
	}
	_, err := cells.Pool(6)
	checkError(t, "level", err, "level 6")
}
