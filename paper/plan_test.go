package paper

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestPlan(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	plan, err := Figure03.Plan(Smoke, Options{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(runs); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the plan has created %s (%v)", runs, err)
	}
	if len(plan.Runs) != 4 || plan.Trained() != 0 || plan.Operations() <= 0 || plan.Disk <= 0 {
		t.Errorf("plan is %+v, want 4 runs, none of them trained", plan)
	}
}

func TestPlanString(t *testing.T) {
	methods := []string{"M16", "M32"}
	runs := func(count, done int) []RunPlan {
		runs := make([]RunPlan, count)
		for i := range done {
			runs[i].Trained, runs[i].Measured = true, done == count
		}
		return runs
	}
	for _, test := range []struct {
		plan Plan
		want string
	}{
		{Plan{Methods: methods, Seeds: []uint64{1, 2}, Runs: runs(4, 0)}, "4 runs: M16 and M32, seeds 1 2"},
		{Plan{Methods: methods, Seeds: []uint64{1, 2}, Runs: runs(4, 1)}, "4 runs: M16 and M32, seeds 1 2 · 1 trained already"},
		{Plan{Methods: methods, Seeds: FirstSeeds(25), Runs: runs(50, 50)}, "50 runs: M16 and M32, seeds 1 to 25 · nothing left to do"},
		{Plan{Methods: methods[:1], Seeds: []uint64{7}, Runs: runs(1, 0)}, "1 run: M16, seed 7"},
		{Plan{Methods: []string{"a", "b", "c"}, Seeds: []uint64{1, 2, 3, 5, 8}, Runs: runs(15, 0)}, "15 runs: a, b and c, seeds 1 2 3 5 8"},
	} {
		if got := test.plan.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
