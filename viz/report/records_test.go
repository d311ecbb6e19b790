package report

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"M32 seed 1": "m32-seed1", "M32 fixed σ seed 2": "m32-fixed-sigma-seed2",
		"out, K = 4, γ/K = 12 seed 3": "out-k-4-gamma-k-12-seed3",
	} {
		if got := FileName(name); got != want {
			t.Errorf("the files of %q are called %q, want %q", name, got, want)
		}
	}
}

// Records are named after methods and seeds; an imported run has no epochs, an ensemble no card.
// Those of an earlier comparison are removed, other files aren't.
func TestSaveRecords(t *testing.T) {
	runs, folder := t.TempDir(), filepath.Join(t.TempDir(), "cards")
	for _, path := range []string{"a/card.json", "a/train.jsonl", "a/cells.csv", "a/bins.csv", "a/metrics.csv", "a/outside.csv", "b/card.json", "ensemble-c/ensemble.json", "ensemble-c/cells.csv"} {
		writeText(t, filepath.Join(runs, path), path)
	}
	writeText(t, filepath.Join(folder, "map-seed3.cells.csv"), "of an earlier comparison")
	writeText(t, filepath.Join(folder, "map-seed3.bins.csv"), "of an earlier comparison")
	writeText(t, filepath.Join(folder, "map-seed2.bins.csv"), "of an earlier comparison")
	writeText(t, filepath.Join(folder, "map-seed2.outside.csv"), "of an earlier comparison")
	writeText(t, filepath.Join(folder, "map-seed3.metrics.csv"), "of an earlier comparison")
	writeText(t, filepath.Join(folder, "notes.txt"), "of somebody")
	find := func(run string) string { return filepath.Join(runs, run) }
	compared := score.Comparison{Methods: []score.Method{
		{Name: "MAP", Seeds: []uint64{1, 2}, Runs: []string{"a", "b"}}, {Name: "ens MAP", Seeds: []uint64{2}, Runs: []string{"ensemble-c"}},
	}}
	testkit.NoError(t, SaveRecords(compared, find, folder))
	entries := testkit.Must(os.ReadDir(folder))(t)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := []string{
		"ens-map.cells.csv", "ens-map.json", "map-seed1.bins.csv", "map-seed1.cells.csv", "map-seed1.json", "map-seed1.metrics.csv", "map-seed1.outside.csv", "map-seed1.train.jsonl", "map-seed2.json", "notes.txt",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
	for name, wrong := range map[string][]score.Method{
		"two methods of one name":    {{Name: "MAP (ours)", Seeds: []uint64{1}, Runs: []string{"a"}}, {Name: "MAP ours", Seeds: []uint64{1}, Runs: []string{"b"}}},
		"a name without a letter":    {{Name: "β", Seeds: []uint64{1}, Runs: []string{"a"}}},
		"an unknown run's directory": {{Name: "MAP", Seeds: []uint64{1}, Runs: []string{"z"}}},
	} {
		if err := SaveRecords(score.Comparison{Methods: wrong}, find, filepath.Join(t.TempDir(), "cards")); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}
