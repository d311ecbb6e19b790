package score

import (
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// An ensemble costs what its members cost together; what is unknown of one is unknown of all.
func TestCostOfAnEnsemble(t *testing.T) {
	a := Cost{Parameters: 100, Epochs: 30, TrainingPasses: 2, PredictionPasses: 16, TrainingSeconds: 8}
	b := Cost{Parameters: 100, Epochs: 30, TrainingPasses: 2, PredictionPasses: 16, TrainingSeconds: 10}
	m := Method{Name: "SAM", Seeds: []uint64{1, 2}, Cells: []Cells{nil, nil}, Costs: []Cost{a, b}}
	if mean, known := m.Cost(); !known || mean.TrainingSeconds != 9 || mean.TrainingPasses != 2 {
		t.Errorf("a run costs %+v (%t), want the mean of 9 seconds and 2 passes", mean, known)
	}
	e := m.Ensemble(nil, "ensemble-1")
	want := Cost{Parameters: 200, Epochs: 30, TrainingPasses: 4, PredictionPasses: 32, TrainingSeconds: 18}
	if got, known := e.Cost(); !known || got != want || e.Name != "ens SAM" || !reflect.DeepEqual(e.Seeds, []uint64{2}) || !reflect.DeepEqual(e.Members, []uint64{1, 2}) {
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
	if got, want := c.Names(), []string{"MAP", "SAM, rho 0.05", "SAM, rho 0.1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("methods are called %q, want %q", got, want)
	}
}
