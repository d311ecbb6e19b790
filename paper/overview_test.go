package paper

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMissingCountsSharedRunsOnce(t *testing.T) {
	shared := RunPlan{Directory: "shared", Training: 10, Measuring: 1}
	own := RunPlan{Directory: "own", Training: 5, Measuring: 2}
	all := []Status{{Plan: Plan{Runs: []RunPlan{shared, own}}}, {Plan: Plan{Runs: []RunPlan{shared}}}}
	if got := Missing(all); got != 10+1+5+2+1 {
		t.Errorf("%g operations are missing, want 19: the shared run is trained once and measured twice", got)
	}
}

// Only seeds whose runs are all trained and measured are available.
func TestAvailable(t *testing.T) {
	figure, options := tiny(Figure03, 2), Options{Runs: t.TempDir(), Out: t.TempDir()}
	if result, err := figure.Available(t.Context(), Smoke, options); err != nil || result != nil {
		t.Errorf("of no runs there are %v, %v, want none", result, err)
	}
	result, _, err := Make(t.Context(), figure, Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(result.Runs[1].Directory()); err != nil { // M32 seed 1
		t.Fatal(err)
	}
	if result, err = figure.Available(t.Context(), Smoke, options); err != nil {
		t.Fatal(err)
	}
	if len(result.Runs) != 2 || result.Runs[0].Seed != 2 || !result.Evaluated() {
		t.Errorf("%d runs of seed %d are available, want the two of seed 2", len(result.Runs), result.Runs[0].Seed)
	}
}

// Further seeds are taken in once all of their runs are there, and never trained.
func TestFurtherSeeds(t *testing.T) {
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	figure := tiny(Figure03, 1).Adjust(func(s *Setup) { s.Further = []uint64{2} })
	for _, test := range []struct{ trained, want int }{{1, 2}, {2, 4}} {
		if _, _, err := Make(t.Context(), tiny(Figure03, test.trained), Smoke, options); err != nil {
			t.Fatal(err)
		}
		result, err := figure.Evaluate(t.Context(), Smoke, options)
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Runs) != test.want {
			t.Errorf("with %d trained seeds the figure has %d runs, want %d", test.trained, len(result.Runs), test.want)
		}
	}
	directories, err := filepath.Glob(filepath.Join(options.Runs, "*"))
	if err != nil || len(directories) != 4 {
		t.Errorf("%d directories (%v), want 4", len(directories), err)
	}
}

// Runs that were trained on different data aren't drawn as one curve.
func TestOtherDataIsRefused(t *testing.T) {
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	result, _, err := Make(t.Context(), tiny(Figure03, 1), Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	card := filepath.Join(result.Runs[1].Directory(), "card.json")
	replaceInFile(t, card, `"hash": "`, `"hash": "0`)
	_, err = tiny(Figure03, 1).Evaluate(t.Context(), Smoke, options)
	wantError(t, err, "M32 seed 1 was trained on shapes10 with the hash 0")
}

func TestOtherTestIsRefused(t *testing.T) {
	r := fixture(1)
	r.Runs[0].Cells[0].Images, r.Runs[0].Cells[0].Samples = 10, 4
	r.Runs[1].Cells[0].Images, r.Runs[1].Cells[0].Samples = 10, 8
	wantError(t, sameTest(r.Runs[0], r.Runs[1]), "M32 seed 1 was tested on 6 cells with 10 images and 8 samples, M16 seed 1 on 6 cells with 10 and 4")
}
