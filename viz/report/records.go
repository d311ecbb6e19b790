package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// recordFiles are the files of a run or an ensemble that a record keeps, as far as they are there.
// The first or the second is.
var recordFiles = []string{"card.json", "ensemble.json", "train.jsonl", "cells.csv", "bins.csv",
	"metrics.csv", "outside.csv"}

// SaveRecord writes the record of a run or an ensemble into a folder: all its results, without
// weights. It returns the name of the file: the title, as FileName spells it, and the directory's.
func SaveRecord(directory, folder, title string) (name string, err error) {
	name = FileName(title) + "." + filepath.Base(directory) + files.RecordEnding
	var parts []files.Part
	for _, file := range recordFiles {
		data, err := files.ReadFile(nbbnn.FilePath(directory, file))
		switch {
		case err == nil:
			parts = append(parts, files.Part{Name: file, Text: data})
		case !os.IsNotExist(err):
			return "", fmt.Errorf("report: a record can't be kept: %w", files.Unreadable(err))
		case file == recordFiles[1] && parts == nil:
			return "", fmt.Errorf("report: %s has no %s, so there's nothing to keep: train the run "+
				"to its end", directory, recordFiles[0])
		}
	}
	if err := files.WriteRecord(filepath.Join(folder, name), parts); err != nil {
		return "", unwritten(folder, err)
	}
	return name, nil
}

func isEnsemble(directory string) bool {
	_, err := files.Stat(nbbnn.FilePath(directory, "ensemble.json"))
	return err == nil
}

// RemoveRecords removes the records in a folder whose names aren't among those kept: what an
// earlier export left there. Other files stay.
func RemoveRecords(folder string, keep []string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, files.RecordEnding) && !slices.Contains(keep, name) {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// SaveRecords writes the records of compared runs into a folder, named after their methods and
// seeds, in place of what an earlier comparison left there. find returns the directory of a run,
// whose name the comparison gives.
func SaveRecords(c score.Comparison, find func(run string) string, folder string) error {
	titles, directories, err := recordTitles(c, find)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return unwritten(folder, err)
	}
	names := make([]string, len(titles))
	for i, title := range titles {
		if names[i], err = SaveRecord(directories[i], folder, title); err != nil {
			return err
		}
	}
	if err := RemoveRecords(folder, names); err != nil {
		return unwritten(folder, err)
	}
	return nil
}

// recordTitles returns the titles of the records of compared runs, and the directories of the runs.
func recordTitles(c score.Comparison, find func(run string) string) (titles, directories []string,
	err error) {
	for _, method := range c.Methods {
		if FileName(method.Name) == "" {
			return nil, nil, fmt.Errorf("report: the method %q has no letter or digit for the "+
				"name of a file: give it another label", method.Name)
		}
		for i, run := range method.Runs {
			directory, title := find(run), method.Name
			if !isEnsemble(directory) {
				title = fmt.Sprintf("%s seed %d", method.Name, method.Seeds[i])
			}
			titles, directories = append(titles, title), append(directories, directory)
		}
	}
	return titles, directories, nil
}

// FileName turns the name of a run into one for files, for example m32-fixed-sigma-seed2.
func FileName(name string) string {
	spelt := strings.NewReplacer("σ", "sigma", "γ", "gamma", "λ", "lambda", " seed ",
		" seed").Replace(strings.ToLower(name))
	words := strings.FieldsFunc(spelt, func(letter rune) bool {
		return letter > unicode.MaxASCII || !unicode.IsLetter(letter) && !unicode.IsDigit(letter)
	})
	return strings.Join(words, "-")
}
