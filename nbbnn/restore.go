package nbbnn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// ErrThere reports that Restore found the run or the ensemble in its place. It's left as it is.
var ErrThere = errors.New("it is there already")

// recordedFiles are the files that a record may hold.
var recordedFiles = []string{"card.json", "ensemble.json", "train.jsonl", "cells.csv", "bins.csv"}

// Restore makes the directory of a run, or of an ensemble, from what report.SaveRecords keeps of
// it: the content of its files by their names, such as "card.json" and "cells.csv", or
// "ensemble.json". It returns the path. A restored run has results and no weights: Compare takes
// it, and Run.Train trains it again from the start. A run or an ensemble in the same place stays,
// and the error wraps ErrThere. The files are compared with their checksums and with each other
// before the directory is there.
func Restore(directory string, record map[string][]byte) (path string, err error) {
	for name := range record {
		if !slices.Contains(recordedFiles, name) {
			return "", fmt.Errorf("nbbnn: %q is no file of a record: give those of %q", name, recordedFiles)
		}
	}
	if _, isEnsemble := record["ensemble.json"]; isEnsemble {
		return restoreEnsemble(directory, record)
	}
	var card Card
	if err := json.Unmarshal(record["card.json"], &card); err != nil {
		return "", fmt.Errorf("nbbnn: a record can't be restored: its card isn't one: %w: take the files as they were saved", err)
	}
	run, err := Open(directory, card.Config)
	if err != nil {
		return "", err
	}
	if exists(run.path("card.json")) || exists(run.checkpointPath()) {
		return run.directory, fmt.Errorf("nbbnn: run %s: %w", run.directory, ErrThere)
	}
	return run.directory, place(run.directory, record, func(directory string) error { return run.restore(directory, record) })
}

// Recorded reports whether a run has results and no weights, as Restore makes it.
func (r *Run) Recorded() bool { return exists(r.path("card.json")) && !exists(r.checkpointPath()) }

// restore writes the files of a run into a directory and checks that they belong together.
func (r *Run) restore(directory string, record map[string][]byte) error {
	path := filepath.Join(directory, "card.json")
	card, err := parseCard(record["card.json"], r.Hash(), path)
	if err != nil {
		return err
	}
	restored := &Run{directory, r.config}
	if err := restored.writeConfig(); err != nil {
		return err
	}
	if _, err := restored.History(); err != nil {
		return err
	}
	_, err = score.OpenStore(directory, r.ownerOn(card))
	return err
}

// restoreEnsemble is Restore for an ensemble.
func restoreEnsemble(directory string, record map[string][]byte) (path string, err error) {
	var content ensembleFile
	if err := files.ParseJSON(record["ensemble.json"], &content); err != nil || len(content.Members) < 2 {
		return "", fmt.Errorf("nbbnn: a record can't be restored: its list of an ensemble's members isn't one: take the files as they were saved")
	}
	path = filepath.Join(directory, content.name())
	if exists(filepath.Join(path, "ensemble.json")) {
		return path, fmt.Errorf("nbbnn: ensemble %s: %w", path, ErrThere)
	}
	return path, place(path, record, func(directory string) error {
		_, err := score.OpenStore(directory, content.digest())
		return err
	})
}

// place writes a record beside its directory, and gives it the directory's name if it passes a
// check. So a killed call leaves a hidden folder, which the next one removes, and never half of a
// run.
func place(directory string, record map[string][]byte, check func(directory string) error) (err error) {
	beside := filepath.Join(filepath.Dir(directory), ".restored-"+filepath.Base(directory))
	if err := os.RemoveAll(beside); err != nil {
		return unwritable(beside, err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(beside)
		}
	}()
	if err := files.MakeFolder(beside); err != nil {
		return unwritable(beside, err)
	}
	for name, content := range record {
		if err := files.WriteBytes(filepath.Join(beside, name), content); err != nil {
			return unwritable(beside, err)
		}
	}
	if err := check(beside); err != nil {
		return err
	}
	if err := makeWay(directory); err != nil {
		return err
	}
	if err := os.Rename(beside, directory); err != nil {
		return unwritable(directory, err)
	}
	return nil
}

// makeWay removes the empty folder that a stopped command may leave at the place of a run. Anything
// else there stays, and is an error.
func makeWay(directory string) error {
	info, err := os.Lstat(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unwritable(directory, err)
	}
	if lock := filepath.Join(directory, "lock"); files.Held(lock) {
		return fmt.Errorf("nbbnn: %s is being trained by %s: wait for its end, or restore into another directory for runs", directory, files.Holder(lock))
	}
	if err = errors.New("it isn't a folder"); info.IsDir() {
		err = os.Remove(directory)
	}
	if err != nil {
		return fmt.Errorf("nbbnn: %s is there and holds no trained run: restore into another directory for runs, or move it away: %w", directory, err)
	}
	return nil
}
