package command

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/sweep"
)

// methodProduct plans points of several methods and returns their names of runs, and what was said.
func methodProduct(t *testing.T, flags ...string) (runs []string, said string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.json")
	plan := []string{"sweep", "plan", "--network", "allcnnc", "--width", "2", "--data", "shapes10", "--epochs", "4", "--manifest", path}
	said = wantStatus(t, exitDone, "", append(plan, flags...)...)
	manifest, err := sweep.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range manifest.Len() {
		runs = append(runs, manifest.RunName(i))
	}
	return runs, said
}

// An option in a product of methods makes points of the methods that have it. The others get the
// point that `nbbnn train` would train without it.
func TestProductOfMethods(t *testing.T) {
	train := func(flags ...string) string {
		return readArguments(t, append([]string{"--network", "allcnnc", "--width", "2", "--data", "shapes10", "--epochs", "4"}, flags...)...).RunName()
	}
	for _, c := range []struct {
		flags []string
		want  []string
		note  string
	}{
		{
			[]string{"--method", "map,nodebnn", "--init-std", "0.2,0.4"},
			[]string{train("--method", "map"), train("--init-std", "0.2"), train("--init-std", "0.4")},
			"note     --init-std is left out for map, without such an option: one point for all its values\n",
		},
		{
			[]string{"--method", "map,swag,nodebnn", "--gamma", "0,2", "--swag-rank", "2"},
			[]string{train("--method", "map"), train("--method", "swag", "--swag-rank", "2"), train(), train("--gamma", "2")},
			"note     --gamma is left out for map, swag, without",
		},
		{
			[]string{"--method", "map,nodebnn", "--samples", "4,1"}, // 1 holds for map, too
			[]string{train("--method", "map"), train("--samples", "4"), train("--samples", "1")},
			"note     --samples is left out for map,",
		},
		{
			[]string{"--method", "sam,damp", "--rho", "0.1,0.2", "--seeds", "1..2"},
			[]string{
				train("--method", "sam", "--rho", "0.1", "--seed", "1"), train("--method", "sam", "--rho", "0.2", "--seed", "1"),
				train("--method", "damp", "--seed", "1"),
				train("--method", "sam", "--rho", "0.1", "--seed", "2"), train("--method", "sam", "--rho", "0.2", "--seed", "2"),
				train("--method", "damp", "--seed", "2"),
			},
			"note     --rho is left out for damp,",
		},
	} {
		runs, said := methodProduct(t, c.flags...)
		if slices.Sort(runs); !slices.Equal(runs, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%v plans the runs %v, want %v", c.flags, runs, c.want)
		}
		if !strings.Contains(said, c.note) {
			t.Errorf("%v says %q, want %q", c.flags, said, c.note)
		}
	}
	if _, said := methodProduct(t, "--method", "map,swag", "--seeds", "1..2"); strings.Contains(said, "note") {
		t.Errorf("without an option: %s", said)
	}
}

// In JSON the options that were left out have names.
func TestProductOfMethodsInJSON(t *testing.T) {
	_, said := methodProduct(t, "--method", "map,nodebnn", "--init-std", "0.2,0.4", "--json")
	var plan struct {
		Points  int
		LeftOut []leftOutOption `json:"left_out"`
	}
	if err := json.Unmarshal([]byte(said), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Points != 3 || len(plan.LeftOut) != 1 || plan.LeftOut[0].Option != "init-std" || string(plan.LeftOut[0].Methods[0]) != "map" {
		t.Errorf("the plan in JSON is %+v", plan)
	}
}

// A point is named by its method and by no option that this doesn't have.
func TestPointIsNamedByItsMethod(t *testing.T) {
	_, said := methodProduct(t, "--method", "map,sam")
	if !strings.Contains(said, "point 0   MAP   ") {
		t.Errorf("the plan says %s", said)
	}
}
