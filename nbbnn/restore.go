package nbbnn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// ErrThere reports that Restore found the run or the ensemble in its place. It's left as it is.
var ErrThere = errors.New("it is there already")

// Record is what report.SaveRecords keeps of a run or of an ensemble: its files by the names that
// they have in its directory, such as "card.json" and "cells.csv", or "ensemble.json".
type Record map[string]RecordFile

// RecordFile is a file of a Record.
type RecordFile struct {
	Path    string // where it was read, for errors; "" means its name in the record
	Content []byte
}

// recordedFiles are the files that a record may hold.
var recordedFiles = []string{"card.json", "ensemble.json", "train.jsonl", "cells.csv", "bins.csv", "metrics.csv", "outside.csv"}

// Restore makes the directory of a run, or of an ensemble, from a record, and returns its path. A
// restored run has results and no weights: Compare takes it, and a training with
// TrainOptions.ReplaceRecorded begins it again. A run or an ensemble in the same place stays, and
// the error wraps ErrThere; that of a call while another one restores the same wraps ErrLocked. The
// files are compared with their checksums and with each other before the directory is there, and
// the record must have all epochs and cells that its card lists. Restore also removes what killed
// calls left in the directory of runs.
func Restore(directory string, record Record) (path string, err error) {
	for name := range record {
		if !slices.Contains(recordedFiles, name) {
			return "", fmt.Errorf("nbbnn: %q is no file of a record: give those of %q", name, recordedFiles)
		}
	}
	sweepRestored(directory)
	if _, isEnsemble := record["ensemble.json"]; isEnsemble {
		return restoreEnsemble(directory, record)
	}
	return restoreRun(directory, record)
}

// restoreRun is Restore for a run.
func restoreRun(directory string, record Record) (path string, err error) {
	var card Card
	if err := json.Unmarshal(record["card.json"].Content, &card); err != nil {
		return "", fmt.Errorf("nbbnn: %s isn't the card of a run: %w: %s", record.path("card.json"), err, takeSaved)
	}
	run, err := Open(directory, card.Config)
	if err != nil {
		return "", err
	}
	isThere := func() bool { return exists(run.path("card.json")) || exists(run.checkpointPath()) }
	return run.directory, place("run", run.directory, record, isThere, func(folder string) error {
		return checkRun(folder, run, record)
	})
}

// checkRun completes the files of a run in a folder and checks that they belong together and that
// none is missing.
func checkRun(folder string, run *Run, record Record) error {
	card, err := parseCard(record["card.json"].Content, run.Hash(), filepath.Join(folder, "card.json"))
	if err != nil {
		return err
	}
	restored, owner := &Run{folder, run.config}, run.ownerOn(card)
	if err := restored.writeConfig(); err != nil {
		return err
	}
	history, err := restored.History()
	if err != nil {
		return err
	}
	store, err := score.OpenStore(folder, owner)
	if err != nil {
		return err
	}
	_, err = score.ReadOutside(folder, owner)
	return check.First(err, checkEpochs(record, card, history), checkEvaluations(record, card, store))
}

// restoreEnsemble is Restore for an ensemble.
func restoreEnsemble(directory string, record Record) (path string, err error) {
	var content ensembleFile
	if err := files.ParseJSON(record["ensemble.json"].Content, &content); err != nil || len(content.Members) < 2 {
		return "", fmt.Errorf("nbbnn: %s doesn't list the members of an ensemble: %s", record.path("ensemble.json"), takeSaved)
	}
	path = filepath.Join(directory, content.name())
	isThere := func() bool { return exists(filepath.Join(path, "ensemble.json")) }
	return path, place("ensemble", path, record, isThere, func(folder string) error {
		store, err := score.OpenStore(folder, content.digest())
		if err != nil {
			return err
		}
		_, err = score.ReadOutside(folder, content.digest())
		return check.First(err, checkEnsemble(record, store))
	})
}

// takeSaved is the cure for a damaged record, whose run has no weights to measure it again with.
const takeSaved = "take the files as they were saved"

// restoreAgain is the cure for damage in a restored run or ensemble.
func restoreAgain(directory string) string {
	return fmt.Sprintf("it has no weights to measure again with: remove %s and restore its record again (Restore or `nbbnn runs restore`)", directory)
}

// path returns where a file of the record was read.
func (r Record) path(name string) string { return cmp.Or(r[name].Path, name) }

// located returns an error about the record's files in a folder as one about the files that were
// read.
func (r Record) located(err error, folder string) error {
	text := files.Cured(err, takeSaved).Error()
	for name := range r {
		text = strings.ReplaceAll(text, filepath.Join(folder, name), r.path(name))
	}
	return worded{text, err}
}
