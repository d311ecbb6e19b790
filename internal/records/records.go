// Package records finds the files of runs and ensembles: in their directories, or in records.
//
// A record is what report.SaveRecords keeps of a run or of an ensemble: its results without
// weights, in one file, for example cards/map-seed1.9f3c2a1b44d0.record. It's read where it lies,
// in place of a directory cards/9f3c2a1b44d0: nbbnn.Open and nbbnn.OpenEnsemble find it if that
// directory doesn't exist.
package records

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
)

// known holds the paths of records by their directories.
var known sync.Map

// Path returns the path, for package files, of a file, for example "cells.csv", of the run or
// ensemble in a directory or, without such a directory, of the record in its place.
func Path(directory, name string) string { return filepath.Join(Place(directory), name) }

// Place returns the place of a run's or an ensemble's files: its directory or the path of its
// record.
func Place(directory string) string {
	directory = filepath.Clean(directory)
	if exists(filepath.Join(directory, "config.json")) ||
		exists(filepath.Join(directory, "ensemble.json")) {
		return directory
	}
	place, found := known.Load(directory)
	if !found || !exists(place.(string)) {
		known.Delete(directory)
		folder := filepath.Dir(directory)
		entries, _ := os.ReadDir(folder) // what can't be read holds no record
		for _, entry := range entries {
			_, _ = Directory(filepath.Join(folder, entry.Name())) // or no record
		}
		place, found = known.Load(directory)
	}
	if found {
		return place.(string)
	}
	return directory
}

// EnsemblePrefix begins the names of ensembles' directories.
const EnsemblePrefix = "ensemble-"

// Directory returns the directory of a record, given the record's path. Every call that takes
// the directory of a run or ensemble accepts it.
func Directory(path string) (string, error) {
	name, isRecord := strings.CutSuffix(filepath.Base(path), files.RecordEnding)
	if !isRecord {
		return "", fmt.Errorf("nbbnn: %s isn't the record of a run or of an ensemble: give a file "+
			"that `nbbnn compare --cards` wrote", path)
	}
	directory := filepath.Join(filepath.Dir(path), name[strings.LastIndexByte(name, '.')+1:])
	known.Store(directory, filepath.Clean(path))
	return directory, nil
}

// Directories returns the directories of records, given their paths. It refuses two of one run.
func Directories(paths []string) (directories []string, err error) {
	for _, path := range paths {
		directory, err := Directory(path)
		if at := slices.Index(directories, directory); at >= 0 && err == nil {
			err = fmt.Errorf("nbbnn: %s and %s are records of one run: leave one of them out",
				paths[at], path)
		}
		if err != nil {
			return nil, err
		}
		directories = append(directories, directory)
	}
	return directories, nil
}

// Resolve returns the directory of a record, given the record's path, and other paths unchanged.
func Resolve(path string) string {
	if directory, err := Directory(path); err == nil {
		return directory
	}
	return path
}

// List lists the directories of the runs and records in a directory of runs. It skips names
// that begin with a dot: a killed `nbbnn runs rm` leaves such folders.
func List(runs string) (directories []string, err error) {
	entries, err := os.ReadDir(runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, files.Unreadable(err)
	}
	for _, entry := range entries {
		directory := filepath.Join(runs, entry.Name())
		if record, err := Directory(directory); strings.HasPrefix(filepath.Base(record),
			EnsemblePrefix) {
			continue
		} else if err == nil {
			directory = record
		} else if strings.HasPrefix(entry.Name(), ".") ||
			!exists(filepath.Join(directory, "config.json")) {
			continue
		}
		directories = quantity.AddNew(directories, directory) // a record may be next to its run
	}
	return directories, nil
}

func exists(path string) bool {
	_, err := files.Stat(path)
	return err == nil
}
