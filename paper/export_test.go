package paper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// An exported result has the card, epochs and cells of each run, and verdicts that name their
// weights.
func TestExport(t *testing.T) {
	options := Options{Runs: t.TempDir(), Out: t.TempDir(), Flags: []string{"--epochs", "1"}}
	result := made(t, tiny(Figure03, 1), options)
	paths := testkit.Must(Export(result, options.Out))(t)
	if want := 3 + 1; len(paths) != want {
		t.Errorf("%d files are written, want %d: %v", len(paths), want, paths)
	}
	var written Report
	testkit.NoError(t, json.Unmarshal(readFile(t, filepath.Join(options.Out, "figure-03.json")), &written))
	if written.Flags != " --epochs 1 --seeds=1" {
		t.Errorf("the flags are %q", written.Flags)
	}
	for i, run := range written.Runs {
		var card nbbnn.Card
		testkit.NoError(t, json.Unmarshal(readFile(t, filepath.Join(options.Out, cardsFolder, run.Card+".json")), &card))
		if card.StateSHA256 != run.State || card.Seed != run.Seed || run.Card != []string{"m16-seed1", "m32-seed1"}[i] {
			t.Errorf("the card of %+v has the seed %d and the weights %s", run, card.Seed, card.StateSHA256)
		}
	}
	recorded := testkit.Must(Collected(t.Context(), result.Figure, Smoke, Options{Runs: filepath.Join(options.Out, cardsFolder)}))(t)
	for _, metric := range reported {
		if got, want := recorded.levels("M32", metric), result.levels("M32", metric); !reflect.DeepEqual(got, want) {
			t.Errorf("the %s of the record is %v, that of the run %v", metric, got, want)
		}
	}
	checkStaleFiles(t, result, options.Out)
	saved := t.TempDir()
	testkit.Must(result.Save(saved))(t)
	if err := checkExport(Figure06, Smoke, saved); err != nil {
		t.Errorf("a figure can't be exported beside one that was only saved: %v", err)
	}
	result.Figure.Number = 4
	_, err := Export(result, options.Out)
	testkit.Error(t, t.Name(), err, "holds the result of figure 3 at the scale smoke: choose another directory for figure 4")
}

// checkStaleFiles checks that a further export removes what it doesn't name, and nothing else.
func checkStaleFiles(t *testing.T, result *Result, folder string) {
	t.Helper()
	stale := []string{"cards/m64-seed1.json", "cards/m64-seed1.train.jsonl"}
	kept := []string{remarksFile, "cards/m16-seed1.json", "cards/notes.txt"}
	for _, name := range append(stale, remarksFile, "cards/notes.txt") {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
	}
	result.Figure.Headline = Headline{}
	testkit.Must(Export(result, folder))(t)
	for _, name := range stale {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("%s is removed", name)
		}
	}
}
