package report

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// onTwoSets are a baseline with the seeds 2 and 3 and a method with a seed more in front of these, on
// their own test images or, with other shifts of the NLL, on another set.
func onTwoSets(t *testing.T, baseline [2]float64, method [3]float64) score.Comparison {
	c := score.Comparison{Suite: "first8", Baseline: "base", Methods: []score.Method{
		{Name: "base", Seeds: []uint64{2, 3}}, {Name: "noise", Seeds: []uint64{1, 2, 3}},
	}}
	for i, shifts := range [][]float64{baseline[:], method[:]} {
		for _, shift := range shifts {
			c.Methods[i].Cells = append(c.Methods[i].Cells, scoredCells(t, shift))
		}
	}
	return c
}

// Of a test set the corrupted images are those of the levels 1 to 5, whose NLL is 0.3 above the clean
// images'. Differences from the own set are within runs, those from the baseline within seeds.
func TestSetResults(t *testing.T) {
	compared := []score.Comparison{
		onTwoSets(t, [2]float64{0.5, 0.9}, [3]float64{9, 0.1, 0.2}),
		onTwoSets(t, [2]float64{0.6, 0.8}, [3]float64{9.5, 0.4, 0.3}),
	}
	results := testkit.Must(SetResults([]string{"own", "other"}, compared, "NLL"))(t)
	if len(results) != 8 {
		t.Fatalf("%d results, want 2 methods x 2 sets x clean and corrupted", len(results))
	}
	for i, want := range []struct {
		data, images      string
		mean, own, versus float64
	}{
		{"own", "clean", 3.1, 0, -0.55}, // -0.4 of seed 2 and -0.7 of 3
		{"own", "corrupted", 3.4, 0, -0.55},
		{"other", "clean", 3.4, 0.3, -0.35}, // -0.2 and -0.5
		{"other", "corrupted", 3.7, 0.3, -0.35},
	} {
		got := results[4+i]
		if got.Method != "noise" || got.Data != want.data || got.Images != want.images || got.N != 3 || (got.MinusOwn != nil) != (want.own != 0) || got.MinusBaseline == nil {
			t.Fatalf("result %d is %+v, want %+v", 4+i, got, want)
		}
		testkit.Near(t, want.data+" "+want.images, got.Mean, want.mean, 1e-12)
		testkit.Near(t, "minus base", got.MinusBaseline.Mean, want.versus, 1e-12)
		testkit.Near(t, "seeds of both", float64(got.MinusBaseline.N), 2, 0)
		if got.MinusOwn != nil {
			testkit.Near(t, "minus own", got.MinusOwn.Mean, want.own, 1e-12)
		}
	}
}
