package nbbnn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// A record is what report.SaveRecords keeps of a run or of an ensemble: its results without
// weights, in files next to each other with one beginning, for example cards/map-seed1.json, the
// card or the list of members, and cards/map-seed1.cells.csv. It's read where it lies, in place of
// a directory cards/9f3c2a1b44d0: Open and OpenEnsemble find it if that directory doesn't exist.

// FilePath returns the path of a file, for example "cells.csv", of the run or ensemble in a
// directory or, without such a directory, of the record in its place.
func FilePath(directory, name string) string {
	card := "card.json"
	if strings.HasPrefix(filepath.Base(directory), ensemblePrefix) {
		card = "ensemble.json"
	}
	return fileOf(placeOf(directory), card, name)
}

// fileOf returns the path of a file at the place of a run or an ensemble. The card of a record, or
// its list of members, has the beginning for a name.
func fileOf(place, card, name string) string {
	if isRecord(place) && name == card {
		name = "json"
	}
	return files.At(place, name)
}

func isRecord(place string) bool { return strings.HasSuffix(place, ".") }

// placeOf returns where the files of a run or an ensemble lie, for files.At: its directory or, of a
// record, the beginning of their paths, "cards/map-seed1.".
func placeOf(directory string) string {
	folder, name := filepath.Split(filepath.Clean(directory))
	if !exists(filepath.Join(directory, "config.json")) &&
		!exists(filepath.Join(directory, "ensemble.json")) {
		entries, _ := os.ReadDir(filepath.Join(folder, ".")) // what can't be read holds no record
		for _, entry := range entries {
			path, isJSON := strings.CutSuffix(filepath.Join(folder, entry.Name()), "json")
			if !isJSON || !isRecord(path) {
				continue
			}
			if data, err := files.ReadFile(path + "json"); err == nil && recordName(data) == name {
				return path
			}
		}
	}
	return filepath.Join(folder, name)
}

const ensemblePrefix = "ensemble-" // of the names of their directories

// cardPattern matches the beginning of a card, up to the name of its run. What commands print with
// --json may begin so, too; outputPattern matches a key of that.
var (
	cardPattern   = regexp.MustCompile(`^\{\s*"run": "[^"]*",\s*"config_hash": "([0-9a-f]{12})`)
	outputPattern = regexp.MustCompile(`\n  "(clean_test|cells|outside)": `)
)

// recordName returns the name of the directory that a record stands for, given its .json file: the
// card of a run, which may be damaged, so that reading it tells, or the members of an ensemble; ""
// for others.
func recordName(data []byte) string {
	if card := cardPattern.FindSubmatch(data); card != nil && !outputPattern.Match(data) {
		return string(card[1])
	}
	var content ensembleFile
	if files.ParseJSON(data, &content) != nil || len(content.Members) < 2 {
		return ""
	}
	return content.name()
}

// RecordDirectory returns the directory that a record stands for, given the path of its .json file.
// Every call that takes the directory of a run or of an ensemble takes it.
func RecordDirectory(path string) (string, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return "", unreadable(err)
	}
	name := recordName(data)
	if name == "" {
		return "", fmt.Errorf("nbbnn: %s isn't the card of a run, nor the members of an "+
			"ensemble: give a .json file that `nbbnn compare --cards` wrote", path)
	}
	return filepath.Join(filepath.Dir(path), name), nil
}

// Directories lists the directories of the runs in a directory of runs, and those that the records
// in it stand for. A folder whose name begins with a dot is none: a `nbbnn runs rm` that is killed
// leaves such.
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
		if strings.HasSuffix(directory, ".json") {
			if directory, err = RecordDirectory(directory); err != nil ||
				strings.HasPrefix(filepath.Base(directory), ensemblePrefix) {
				continue // some other file
			}
		} else if strings.HasPrefix(entry.Name(), ".") ||
			!exists(filepath.Join(directory, "config.json")) {
			continue
		}
		if !slices.Contains(directories, directory) { // a record may lie beside its run
			directories = append(directories, directory)
		}
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
	if !isRecord(place) {
		return ReadConfig(files.At(place, "config.json"))
	}
	path := files.At(place, "json")
	data, err := files.ReadFile(path)
	if err != nil {
		return Config{}, unreadable(err)
	}
	card, err := parseCard(data, "", path)
	return card.Config, err
}
