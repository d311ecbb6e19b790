package nbbnn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
// the error wraps ErrThere; that of a call while another one restores or trains the same wraps
// ErrLocked. The files are compared with their checksums and with each other before the card or the
// list of members is there, and the record must have all epochs and cells that its card lists. A
// killed call leaves neither of the two, and the next one begins again.
func Restore(directory string, record Record) (path string, err error) {
	for name := range record {
		if !slices.Contains(recordedFiles, name) {
			return "", fmt.Errorf("nbbnn: %q is no file of a record: give those of %q", name, recordedFiles)
		}
	}
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
	return run.directory, record.place(run.directory, "card.json", func() error {
		if err := checkRun(run, record); err != nil {
			return err
		}
		return run.writeConfig()
	})
}

// checkRun checks that the files of a run belong together and that none is missing.
func checkRun(run *Run, record Record) error {
	card, err := parseCard(record["card.json"].Content, run.Hash(), run.path("card.json"))
	if err != nil {
		return err
	}
	history, err := historyFile{run.path("train.jsonl"), run.Hash(), true}.read()
	if err != nil {
		return err
	}
	store, err := score.OpenStore(run.directory, run.ownerOn(card))
	if err != nil {
		return err
	}
	_, err = score.ReadOutside(run.directory, run.ownerOn(card))
	return check.First(err, checkEpochs(record, card, history), checkEvaluations(record, card, store))
}

// restoreEnsemble is Restore for an ensemble.
func restoreEnsemble(directory string, record Record) (path string, err error) {
	var content ensembleFile
	if err := files.ParseJSON(record["ensemble.json"].Content, &content); err != nil || len(content.Members) < 2 {
		return "", fmt.Errorf("nbbnn: %s doesn't list the members of an ensemble: %s", record.path("ensemble.json"), takeSaved)
	}
	path = filepath.Join(directory, content.name())
	return path, record.place(path, "ensemble.json", func() error {
		store, err := score.OpenStore(path, content.digest())
		if err != nil {
			return err
		}
		_, err = score.ReadOutside(path, content.digest())
		return check.First(err, checkEnsemble(record, store))
	})
}

// place writes a record into a directory, under its lock. The last file makes it a run or an
// ensemble and comes after the check of the others; if that fails, nothing is left.
func (r Record) place(directory, last string, check func() error) (err error) {
	isThere := func() bool {
		return exists(filepath.Join(directory, last)) || exists(checkpoints{directory: directory}.latest())
	}
	there := fmt.Errorf("nbbnn: %s: %w", directory, ErrThere)
	if isThere() {
		return there
	}
	if err := files.MakeFolder(directory); err != nil {
		return unwritable(directory, err)
	}
	unlock, err := lockDirectory(directory)
	if err != nil {
		return err
	}
	defer os.Remove(directory) // stays unless it's empty
	defer unlock()
	if isThere() { // another call was faster
		return there
	}
	empty := func() {
		for _, name := range append([]string{"config.json"}, recordedFiles...) {
			_ = os.Remove(filepath.Join(directory, name))
		}
	}
	empty() // of what a killed call left
	if err = r.write(directory, last, check); err != nil {
		empty()
	}
	return err
}

// write writes the files of the record into a directory, the last one after the check.
func (r Record) write(directory, last string, check func() error) error {
	put := func(name string) error {
		path := filepath.Join(directory, name)
		if err := files.WriteBytes(path, r[name].Content); err != nil {
			return unwritten(path, err)
		}
		return nil
	}
	for name := range r {
		if name == last {
			continue
		}
		if err := put(name); err != nil {
			return err
		}
	}
	if err := check(); err != nil {
		return r.located(err, directory)
	}
	return put(last)
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
