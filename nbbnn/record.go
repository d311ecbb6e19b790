package nbbnn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
)

// A record is what report.SaveRecords keeps of a run or of an ensemble: its results without
// weights, in one file, for example cards/map-seed1.9f3c2a1b44d0.record. It's read where it lies,
// in place of a directory cards/9f3c2a1b44d0: Open and OpenEnsemble find it if that directory
// doesn't exist.

// records holds the paths of records by their directories.
var records sync.Map

// FilePath returns the path, for package files, of a file, for example "cells.csv", of the run or
// ensemble in a directory or, without such a directory, of the record in its place.
func FilePath(directory, name string) string { return filepath.Join(placeOf(directory), name) }

// placeOf returns the place of a run's or an ensemble's files: its directory or the path of its
// record.
func placeOf(directory string) string {
	directory = filepath.Clean(directory)
	if exists(filepath.Join(directory, "config.json")) ||
		exists(filepath.Join(directory, "ensemble.json")) {
		return directory
	}
	place, found := records.Load(directory)
	if !found || !exists(place.(string)) {
		records.Delete(directory)
		folder := filepath.Dir(directory)
		entries, _ := os.ReadDir(folder) // what can't be read holds no record
		for _, entry := range entries {
			_, _ = RecordDirectory(filepath.Join(folder, entry.Name())) // or no record
		}
		place, found = records.Load(directory)
	}
	if found {
		return place.(string)
	}
	return directory
}

const ensemblePrefix = "ensemble-" // of the names of their directories

// RecordDirectory returns the directory of a record, given the record's path. Every call that takes
// the directory of a run or ensemble accepts it.
func RecordDirectory(path string) (string, error) {
	name, isRecord := strings.CutSuffix(filepath.Base(path), files.RecordEnding)
	if !isRecord {
		return "", fmt.Errorf("nbbnn: %s isn't the record of a run or of an ensemble: give a file "+
			"that `nbbnn compare --cards` wrote", path)
	}
	directory := filepath.Join(filepath.Dir(path), name[strings.LastIndexByte(name, '.')+1:])
	records.Store(directory, filepath.Clean(path))
	return directory, nil
}

// Directories lists the directories of the runs and records in a directory of runs. It skips names
// that begin with a dot: a killed `nbbnn runs rm` leaves such folders.
func Directories(runs string) (directories []string, err error) {
	entries, err := os.ReadDir(runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	for _, entry := range entries {
		directory := filepath.Join(runs, entry.Name())
		if record, err := RecordDirectory(directory); strings.HasPrefix(filepath.Base(record),
			ensemblePrefix) {
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

// OpenDirectory opens the run in a directory named by its configuration, or a record.
func OpenDirectory(directory string) (*Run, error) {
	config, err := configIn(directory)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return nil, unreadable(err)
	}
	if name := config.RunName(); filepath.Base(absolute) != name {
		if place := placeOf(directory); strings.HasSuffix(place, files.RecordEnding) {
			return nil, fmt.Errorf("nbbnn: %s is the record of run %s: let its name end with "+
				".%[2]s%s", place, name, files.RecordEnding)
		}
		return nil, fmt.Errorf("nbbnn: %s holds a run that is called %s: if the directory was "+
			"renamed, give it that name again; if %s was edited, undo that, or train the new "+
			"configuration as a run of its own (`nbbnn train --config FILE`)",
			directory, name, FilePath(directory, "config.json"))
	}
	return Open(filepath.Join(directory, ".."), config)
}

// configIn reads the configuration of the run in a directory, or that on the card of a record.
func configIn(directory string) (Config, error) {
	place := placeOf(directory)
	if place == filepath.Clean(directory) {
		return ReadConfig(filepath.Join(place, "config.json"))
	}
	path := filepath.Join(place, "card.json")
	data, err := files.ReadFile(path)
	if err != nil {
		return Config{}, unreadable(err)
	}
	card, err := parseCard(data, "", path)
	return card.Config, err
}
