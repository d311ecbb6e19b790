package nbbnn

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// recordOf writes the record of a run or an ensemble, without some of its files, and returns its
// path.
func recordOf(t *testing.T, directory, base string, without ...string) string {
	t.Helper()
	var parts []files.Part
	for _, name := range []string{"card.json", "ensemble.json", "train.jsonl", "cells.csv",
		"bins.csv"} {
		text, err := os.ReadFile(filepath.Join(directory, name))
		if err == nil && !slices.Contains(without, name) {
			parts = append(parts, files.Part{Name: name, Text: text})
		}
	}
	path := base + "." + filepath.Base(directory) + ".record"
	testkit.NoError(t, files.WriteRecord(path, parts))
	return path
}

// recordedRuns trains and tests two runs and their ensemble.
func recordedRuns(t *testing.T, evaluation Evaluation) (directory string, runs []*Run,
	ensemble *Ensemble) {
	t.Helper()
	directory = t.TempDir()
	config := briefConfig()
	for seed := range uint64(2) {
		config.Seed = seed + 1
		run := trainedRun(t, directory, config)
		testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
		runs = append(runs, run)
	}
	ensemble = testkit.Must(OpenEnsemble(directory, runs...))(t)
	testkit.Must(ensemble.Evaluate(t.Context(), evaluation, nil))(t)
	return directory, runs, ensemble
}

// scoresOf returns the cells of runs and of their ensemble.
func scoresOf(t *testing.T, directory string, runs []*Run,
	evaluation Evaluation) (all []score.Cells) {
	t.Helper()
	for _, method := range testkit.Must(Compare(runs, evaluation, ""))(t).Methods {
		all = append(all, method.Cells...)
	}
	ensemble := testkit.Must(OpenEnsemble(directory, runs...))(t)
	return append(all, testkit.Must(ensemble.Cells(evaluation))(t))
}

// Records compare as the runs and ensembles that were recorded, and nothing is written next to
// them; without bins they lack the ECE of several cells alone. They have no weights, and say so.
func TestRecordsCompareAsTheirRuns(t *testing.T) {
	evaluation := Evaluation{Samples: 2, Images: 4}
	directory, runs, ensemble := recordedRuns(t, evaluation)
	want := scoresOf(t, directory, runs, evaluation)
	for _, without := range []string{"", "bins.csv"} {
		folder := t.TempDir()
		recordOf(t, runs[0].Directory(), filepath.Join(folder, "map-seed1"), without)
		recordOf(t, runs[1].Directory(), filepath.Join(folder, "map-seed2"), without)
		recordOf(t, ensemble.Directory(), filepath.Join(folder, "ens-map"), without)
		before := testkit.Must(os.ReadDir(folder))(t)
		first := openRun(t, folder, runs[0].Config())
		recorded := []*Run{first,
			testkit.Must(OpenDirectory(filepath.Join(folder, runs[1].Config().RunName())))(t)}
		for i, cells := range scoresOf(t, folder, recorded, evaluation) {
			checkRecorded(t, want[i], cells, without == "")
		}
		if history, err := first.History(); err != nil || len(history) != 2 || first.Complete() ||
			!first.Recorded() {
			t.Errorf("%d epochs, error %v, complete %t, recorded %t", len(history), err,
				first.Complete(), first.Recorded())
		}
		testkit.Must(first.Evaluate(t.Context(), evaluation, nil))(t)
		refused(t, "an evaluation of a record", "has recorded results and no weights")(
			first.Evaluate(t.Context(), Evaluation{Samples: 2, Images: 3}, nil))
		checkError(t, "a training of a record", first.Train(t.Context(), nil),
			"has recorded results and no weights")
		if left := testkit.Must(os.ReadDir(folder))(t); len(left) != len(before) {
			t.Errorf("the folder of records holds %v, before it held %v", left, before)
		}
	}
}

// checkRecorded compares cells of a record with what they were recorded of.
func checkRecorded(t *testing.T, want, got score.Cells, binned bool) {
	t.Helper()
	if got.Binned() != binned || len(got) != len(want) {
		t.Fatalf("%d cells with bins %t, want %d with bins %t", len(got), got.Binned(), len(want),
			binned)
	}
	for i := range want {
		if got[i].NLL != want[i].NLL || got[i].ECE != want[i].ECE {
			t.Errorf("cell %d has the NLL %g and the ECE %g, want %g and %g", i, got[i].NLL,
				got[i].ECE, want[i].NLL, want[i].ECE)
		}
	}
	levels, err := got.Levels()
	if err != nil || (levels.ECE != nil) != binned || levels.MeanECE[1] == 0 {
		t.Errorf("with bins %t the ECE of levels is %v and the mean ECE %v, error %v", binned,
			levels.ECE, levels.MeanECE, err)
	}
}

// Damage to a record is told with its name, and so is a file of another run in it.
func TestDamagedRecords(t *testing.T) {
	evaluation := Evaluation{Samples: 2, Images: 4}
	_, runs, _ := recordedRuns(t, evaluation)
	for _, old := range []string{`"seed": 1`, `"epoch":1`, "clean", "-- bins.csv", "-- sha256"} {
		path := recordOf(t, runs[0].Directory(), filepath.Join(t.TempDir(), "map-seed1"))
		rewrite(t, path, old, strings.ToUpper(old[:len(old)-1])+"3")
		_, err := OpenDirectory(testkit.Must(records.Directory(path))(t))
		what := " was changed after it was written: "
		if old == "-- sha256" {
			what = " ends early: "
		}
		checkError(t, old, err, path+what+"keep or download the record again")
	}
	path := recordOf(t, runs[0].Directory(), filepath.Join(t.TempDir(), "map-seed1"))
	copied := strings.TrimSuffix(path, ".record") + " (1).record"
	testkit.NoError(t, os.WriteFile(copied, testkit.Must(os.ReadFile(path))(t), 0o600))
	_, err := OpenDirectory(testkit.Must(records.Directory(copied))(t))
	checkError(t, "another name", err, copied+" is the record of run "+runs[0].config.RunName()+
		": let its name end with ."+runs[0].config.RunName()+".record")
	record := openRun(t, filepath.Dir(path), runs[0].Config())
	text := func(run *Run, name string) []byte {
		return testkit.Must(files.ReadFile(filepath.Join(run.Directory(), name)))(t)
	}
	testkit.NoError(t, files.WriteRecord(path, []files.Part{
		{Name: "card.json", Text: text(runs[0], "card.json")},
		{Name: "cells.csv", Text: text(runs[1], "cells.csv")},
	}))
	refused(t, "other cells", path+"/cells.csv is damaged")(record.Cells(evaluation))
}

// A card with a key that this program doesn't have is of a newer one if its checksum is right.
func TestCardsOfNewerVersions(t *testing.T) {
	run := trainedRun(t, t.TempDir(), ordinaryConfig())
	text := string(testkit.Must(os.ReadFile(run.path("card.json")))(t))
	body, _, _ := strings.Cut(text, `,`+"\n"+`  "sha256"`)
	var compact bytes.Buffer
	testkit.NoError(t, json.Compact(&compact, []byte(body+`, "novel": 1.50}`)))
	newer := body + `, "novel": 1.50, "sha256": "` + records.Digest(compact.Bytes()) + `"}`
	_, err := parseCard([]byte(newer), "", "card.json")
	checkError(t, "newer", err,
		`card.json was written by a newer version: unknown key "/novel": update this program`)
	_, err = parseCard([]byte(strings.Replace(newer, "1.50", "1.51", 1)), "", "card.json")
	checkError(t, "damaged", err, "card.json is damaged: unknown key")
	_, err = parseCard([]byte(strings.Replace(text, "wall_seconds", "vall_seconds", 1)), "",
		"card.json")
	checkError(t, "a flipped bit", err, "card.json is damaged: unknown key")
	if !isSealed([]byte(text)) {
		t.Error("a card isn't sealed")
	}
}

// A folder of runs may hold records; other files in it are neither.
func TestDirectoriesOfRecords(t *testing.T) {
	folder := t.TempDir()
	run := trainedRun(t, folder, briefConfig())
	elsewhere := filepath.Join(t.TempDir(), "a.b")
	testkit.NoError(t, os.Mkdir(elsewhere, 0o755))
	path := recordOf(t, run.Directory(), filepath.Join(elsewhere, "map.v2"))
	testkit.NoError(t, os.WriteFile(filepath.Join(elsewhere, "other.json"), []byte("{}"), 0o644))
	testkit.NoError(t, os.Mkdir(filepath.Join(elsewhere, ".removed-run"), 0o755))
	testkit.NoError(t, os.Rename(run.Directory(), filepath.Join(elsewhere, "renamed")))
	name := run.Config().RunName()
	got := testkit.Must(records.List(elsewhere))(t)
	if want := []string{filepath.Join(elsewhere, name),
		filepath.Join(elsewhere, "renamed")}; !slices.Equal(got, want) {
		t.Errorf("the runs are %q, want %q", got, want)
	}
	if at := records.Path(filepath.Join(elsewhere, name), "card.json"); at != path+"/card.json" {
		t.Errorf("the card of the record is in %s", at)
	}
	refused(t, "another file", "isn't the record of a run")(records.Directory(
		filepath.Join(elsewhere, "other.json")))
	refused(t, "a renamed run", "holds a run that is called "+
		name)(OpenDirectory(filepath.Join(elsewhere, "renamed")))
}
