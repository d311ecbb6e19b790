package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/cellstore"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// recordedTiny trains and tests a tiny run and keeps its record.
func recordedTiny(t *testing.T, train func(runs string) []string) (run *nbbnn.Run, record string) {
	t.Helper()
	runs := t.TempDir()
	wantStatus(t, exitDone, "", train(runs)...)
	run = testkit.Must(nbbnn.OpenDirectory(onlyMatch(t, filepath.Join(runs, "*"))))(t)
	wantStatus(t, exitDone, "", "evaluate", run.Directory(), "--samples", "2", "--images", "4",
		"--suite", "first8")
	return run, recordOf(t, run)
}

func recordOf(t *testing.T, run *nbbnn.Run) string {
	t.Helper()
	folder := t.TempDir()
	testkit.NoError(t, report.WriteRecords(folder, []string{"tiny"}, []string{run.Directory()}))
	return onlyMatch(t, filepath.Join(folder, "*"))
}

// changedRecord writes a record with another card and its right checksums. If the configuration is
// another, the record has the card alone.
func changedRecord(t *testing.T, record string, change func(*nbbnn.Card)) string {
	t.Helper()
	var card nbbnn.Card
	testkit.NoError(t, files.ParseJSON(testkit.Must(files.ReadFile(filepath.Join(record,
		"card.json")))(t), &card))
	change(&card)
	names := []string{"train.jsonl", "cells.csv", "bins.csv"}
	if hash := card.Config.Hash(); hash != card.ConfigHash {
		card.ConfigHash, card.Run, names = hash, card.Config.RunName(), nil
	}
	card.Checksum = ""
	card.Checksum = fmt.Sprintf("%x", sha256.Sum256(testkit.Must(json.Marshal(card))(t)))
	parts := []files.Part{{Name: "card.json", Text: testkit.Must(json.Marshal(card))(t)}}
	for _, name := range names {
		parts = append(parts, files.Part{Name: name, Text: testkit.Must(files.ReadFile(
			filepath.Join(record, name)))(t)})
	}
	path := filepath.Join(t.TempDir(), "changed."+card.Run+files.RecordEnding)
	testkit.NoError(t, files.WriteRecord(path, parts))
	return path
}

// A record is verified by training again, also after an interrupt. One whose cell has another
// digit, with all checksums made again, is different, and the cell is named.
func TestVerify(t *testing.T) {
	run, record := recordedTiny(t, tinyRun)
	wantTexts(t, exitDone, []string{", 2 epochs, with its tests about ", "epoch 2/2",
		record + ": equal: weights, epochs and 42 cells of 2 tests, by go", "; trained in ",
		" and again in ", "!not compared"}, "verify", record)
	wantTexts(t, exitDone, []string{"plan     all of them about ", record + ": planned: ",
		", 2 epochs, with its tests about ", "!epoch ", "!plan     " + record},
		"verify", "--plan", record, recordOf(t, run))
	planned := printed[[]verification](t, exitDone, "verify", "--plan", record)
	if !strings.Contains(planned[0].Took, ", with its tests about ") {
		t.Errorf("a planned repetition is %+v", planned[0])
	}

	again := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, stderr, status := executeWith(t, ctx, "verify", record, "--runs",
		again); status != exitStopped {
		t.Errorf("status %d, want %d: %s", status, exitStopped, stderr)
	}
	results := printed[[]verification](t, exitDone, "verify", record, "--runs", again)
	if r := results[0]; len(results) != 1 || r.Outcome != "equal" || r.Cells != 42 || r.Left != 0 {
		t.Errorf("%+v, want 42 equal cells", results)
	}
	for want, change := range map[string]func(*nbbnn.Card){
		"0 to 5 (--suite first8 --samples 2 --images 4), error is [": func(card *nbbnn.Card) {
			card.Evaluation.Levels.Error[3] += 0.01
		},
		"on the card, weights_sha256 is 0123 in the record and ": func(card *nbbnn.Card) {
			card.WeightsSHA256 = "0123"
		},
		"on the card, of the last epoch, nll is 0.5 in the record and ": func(card *nbbnn.Card) {
			card.Training.NLL = 0.5
		},
	} {
		wantStatus(t, exitFailed, want, "verify", changedRecord(t, record, change), "--runs", again)
	}

	store, key, cell := cellOf(t, run)
	was := cell.NLL
	cell.NLL += 1e-12
	testkit.NoError(t, store.Add(key, cell))
	wantTexts(t, exitFailed, []string{fmt.Sprintf("different: in the cell gaussian_blur at level "+
		"3 of the test first8 (plain, 4 images from 0 on, 2 samples, seed 0), the column nll is "+
		"%v in the record and %v in the new run (commits ", cell.NLL, was),
		"1 of 2 records not verified", record + ": equal"}, "verify", recordOf(t, run), record,
		"--runs", again)
	beside := filepath.Join(filepath.Dir(run.Directory()), filepath.Base(record))
	testkit.NoError(t, os.WriteFile(beside, []byte(textOf(t, record)), 0o644))
	wantStatus(t, exitFailed, "lies the run, "+run.Directory(), "verify", beside)
	wantStatus(t, exitUsage, "are records of one run", "verify", record, record)
	wantStatus(t, exitUsage, " is a folder: name its records, ", "verify", record, run.Directory())
}

// What a record has of tests that aren't repeated, or of a metric that this program lacks, isn't
// compared, and is named.
func TestVerifyNamesWhatIsLeft(t *testing.T) {
	run, _ := recordedTiny(t, tinyRun)
	wantStatus(t, exitDone, "", "evaluate", run.Directory(), "--samples", "2", "--images", "4",
		"--part", "clean")
	store, key, cell := cellOf(t, run)
	cell.Custom = map[string]float64{"mine": 0.5}
	testkit.NoError(t, store.Add(key, cell))
	wantTexts(t, exitDone, []string{"equal: weights, epochs and 42 cells of 2 tests",
		"; not compared: 20 values (test clean, column mine)\n"}, "verify", recordOf(t, run))
}

// cellOf finds a cell of a tested run.
func cellOf(t *testing.T, run *nbbnn.Run) (*cellstore.Store, cellstore.Key, score.Cell) {
	t.Helper()
	card := testkit.Must(run.Card())(t)
	store := testkit.Must(cellstore.Open(run.Directory(),
		run.Config().Hash()+" "+card.StateSHA256))(t)
	key := cellstore.Key{Suite: "first8", Samples: 2, Subset: 4}
	cell, found := store.Find(key, score.Condition{Corruption: "gaussian_blur",
		Severity: 3}, false)
	if !found {
		t.Fatal("no cell to change")
	}
	return store, key, cell
}

// Cells of another engine may differ by less than the bounds.
func TestVerifyBounds(t *testing.T) {
	for _, c := range []struct {
		test, column, recorded, again string
		want                          bool
	}{
		{"first8", "nll", "1", "1.4", true},
		{"first8", "nll", "1", "1.5", false},
		{"first8", "nll", "1", "NaN", false},
		{"first8", "error", "0.1", "0.19", true},
		{"first8", "error", "0.1", "0.21", false},
		{"first8", "brier", "1", "1.5", true},
		{"", "nll", "1", "2", true},
	} {
		v := value{test: c.test, column: c.column, text: c.recorded}
		if got := v.isNear(c.again); got != c.want {
			t.Errorf("%+v and %s are near: %t", v, c.again, got)
		}
	}
	for engines, want := range map[string]bool{"go (AVX2 kernels)": true, "xla:cuda": false,
		"go (AVX2 kernels), then go (AVX-512 kernels)": true, "go (portable kernels)": false,
		"go (AVX2 kernels, GOAMD64=v3)": false, "go (AVX2 kernels), then xla:cpu": false} {
		if got := engine.HasEqualBits(engines); got != want {
			t.Errorf("%s promises equal bits: %t", engines, got)
		}
	}
}

// What can't be trained again is refused with a reason, before anything is trained.
func TestVerifyRefuses(t *testing.T) {
	run, record := recordedTiny(t, tinyOrdinaryRun)
	damaged := filepath.Join(t.TempDir(), filepath.Base(record))
	testkit.NoError(t, os.WriteFile(damaged, []byte(strings.Replace(textOf(t, record), "4", "5",
		1)), 0o644))
	var parts []files.Part
	for _, name := range []string{"card.json", "train.jsonl", "cells.csv", "bins.csv"} {
		text := testkit.Must(files.ReadFile(filepath.Join(record, name)))(t)
		text = bytes.Replace(text, []byte(`"epoch":1,`), []byte(`"epoch":2,`), 1)
		parts = append(parts, files.Part{Name: name, Text: text})
	}
	changedEpoch := filepath.Join(t.TempDir(), filepath.Base(record))
	testkit.NoError(t, files.WriteRecord(changedEpoch, parts))
	wantStatus(t, exitDone, "", "posthoc", "--from", run.Directory(), "--epochs", "1", "--runs",
		filepath.Dir(run.Directory()))
	directories := testkit.Must(records.List(filepath.Dir(run.Directory())))(t)
	noise := directories[slices.IndexFunc(directories, func(directory string) bool {
		return directory != run.Directory()
	})]
	posthoc := recordOf(t, testkit.Must(nbbnn.OpenDirectory(noise))(t))
	changed := func(change func(*nbbnn.Card)) string { return changedRecord(t, record, change) }
	for _, c := range []struct{ record, want string }{
		{damaged, damaged + ": failed: was changed after it was written: keep or download"},
		{changedEpoch, "line 2 isn't the record of epoch 1"},
		{posthoc, "it keeps the weights of run " + filepath.Base(run.Directory())},
		{changed(func(card *nbbnn.Card) { card.Data.Hash = "0123" }), "shapes10 here has SHA-256 "},
		{changed(func(card *nbbnn.Card) {
			card.Config.Network.Name, card.Config.Network.Form = "mine", ""
			card.Config.Network.Fingerprint = "0123456789ab"
		}), `"mine"`},
		{changed(func(card *nbbnn.Card) { card.Config.Data.Name = "cifar10" }), "data get cifar10"},
		{changed(func(card *nbbnn.Card) {
			card.Config.Imported = strings.Repeat("0", 64)
		}), "can't be trained here"},
	} {
		t.Setenv("NBBNN_DATA", t.TempDir())
		wantTexts(t, exitFailed, []string{": failed: ", c.want, "1 of 1 record not verified",
			"!train  "}, "verify", c.record)
	}
	wantStatus(t, exitUsage, "there is no record", "verify", filepath.Join(filepath.Dir(record),
		"none."+filepath.Base(run.Directory())+".record"))
}

// A committed record of a network with latents has the same bits today: what initial values and
// noise are drawn in which order.
func TestVerifyCommittedRecord(t *testing.T) {
	wantStatus(t, exitDone, ".record: ", "verify", onlyMatch(t, filepath.Join("..", "..", "docs",
		"results", "figure-01-quick", "cards", "high-entropy-sigma-0-4-seed1.*.record")))
}
