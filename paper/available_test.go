package paper

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A part of the figure is drawn: the methods and seeds that are complete together.
func TestPart(t *testing.T) {
	all := fixture(1, 2, 3).Setup
	all.Seeds = FirstSeeds(4)
	all.Methods = append(all.Methods, fixedSigma(M(0.32)))
	for _, test := range []struct {
		name    string
		missing []string // runs
		methods int
		seeds   []uint64
	}{
		{"everything", nil, 3, []uint64{1, 2, 3, 4}},
		{"no control", []string{"M32 fixed σ seed 1", "M32 fixed σ seed 2", "M32 fixed σ seed 3", "M32 fixed σ seed 4"}, 2, []uint64{1, 2, 3, 4}},
		{"a control of one seed", []string{"M32 fixed σ seed 2", "M32 fixed σ seed 3", "M32 fixed σ seed 4"}, 2, []uint64{1, 2, 3, 4}},
		{"a control of two seeds", []string{"M32 fixed σ seed 3", "M32 fixed σ seed 4", "M16 seed 4"}, 2, []uint64{1, 2, 3}},
		{"a control of three seeds", []string{"M32 fixed σ seed 4"}, 3, []uint64{1, 2, 3}},
		{"a pair is broken", []string{"M16 seed 1", "M32 seed 2", "M32 fixed σ seed 4"}, 2, []uint64{3, 4}},
		{"no pair", []string{"M16 seed 1", "M32 seed 2", "M32 seed 3", "M32 seed 4"}, 0, nil},
	} {
		var states []RunPlan
		for _, seed := range all.Seeds {
			for _, method := range all.methodNames() {
				name := Run{Method: method, Seed: seed}.Name()
				states = append(states, RunPlan{method: method, seed: seed, Measured: !slices.Contains(test.missing, name)})
			}
		}
		got := choosePart(Figure03, all, states)
		if len(got.methods) != test.methods || !slices.Equal(got.seeds, test.seeds) {
			t.Errorf("%s: %d methods and the seeds %v are drawn, want %d and %v", test.name, len(got.methods), got.seeds, test.methods, test.seeds)
		}
	}
}

// A figure whose claims are about all methods is drawn with all of them or not at all.
func TestPartHasAllMethodsOfASweep(t *testing.T) {
	setup := Figure06.Runs(Desk)
	var states []RunPlan
	for _, method := range setup.methodNames()[1:] {
		states = append(states, RunPlan{method: method, seed: 1, Measured: true})
	}
	states = append(states, RunPlan{method: setup.methodNames()[0], seed: 1})
	setup.Seeds = FirstSeeds(1)
	if got := choosePart(Figure06, setup, states); len(got.seeds) != 0 {
		t.Errorf("the part has %d methods, want none: one curve lacks its first point", len(got.methods))
	}
}

// What isn't drawn is named, and without a complete seed the error says what is missing.
func TestCollected(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	_, err := Collected(t.Context(), Figure06, Quick, Options{Runs: filepath.Join(resultsFolder, "figure-06-quick", cardsFolder)})
	testkit.Error(t, t.Name(), err, "cards holds runs on CIFAR-10, which isn't here, so that figure 6 looks for runs on Shapes10: `nbbnn data get cifar10`")
	figure, options := tiny(Figure03, 2), Options{Runs: t.TempDir(), Out: t.TempDir()}
	_, err = Collected(t.Context(), figure, Smoke, options)
	testkit.Error(t, t.Name(), err, "figure 3 has no seed at the scale smoke whose runs are all trained and evaluated (M16 seed 1: not begun; M32 seed 1: not begun; M16 seed 2: not begun; 1 more)")
	result := made(t, figure, options)
	last := result.Runs[3] // M32 seed 2
	testkit.NoError(t, os.Remove(last.Directory()+"/cells.csv"))
	if result, err = Collected(t.Context(), figure, Smoke, options); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(result.LeftOut, "; "); got != "M16 seed 2: its seed or its method lacks others; M32 seed 2: trained, not evaluated" {
		t.Errorf("left out are %q", got)
	}
	checkDamagedRun(t, figure, options, result.Runs[0])
}

// checkDamagedRun damages what a run scored and its card: it isn't called unfinished.
func checkDamagedRun(t *testing.T, figure Figure, options Options, run RunResult) {
	t.Helper()
	for _, name := range []string{"cells.csv", "card.json"} {
		path := filepath.Join(run.Directory(), name)
		sound := testkit.Must(os.ReadFile(path))(t)
		damaged := slices.Clone(sound)
		damaged[len(damaged)-3] ^= 1
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		_, err := Collected(t.Context(), figure, Smoke, options)
		testkit.Error(t, t.Name(), err, path+" is damaged")
		testkit.NoError(t, os.WriteFile(path, sound, 0o644))
	}
}
