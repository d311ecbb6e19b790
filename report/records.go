package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// recordEndings are the endings of the files that CopyRecords writes, binsEnding that of the bins,
// which SaveRecords adds.
var recordEndings = []string{cardEnding, ".train.jsonl", ".cells.csv"}

const (
	cardEnding = ".json"
	binsEnding = ".bins.csv"
)

// CopyRecords copies what a run records of itself: its card to base.json, its epochs, unless it was
// imported, to base.train.jsonl, and its cells, if it was tested in cells, to base.cells.csv. Of an
// ensemble it copies the list of members and the cells. It returns the paths that it wrote.
func CopyRecords(directory, base string) (paths []string, err error) {
	card := "card.json"
	if isEnsemble(directory) {
		card = "ensemble.json"
	}
	for i, name := range []string{card, "train.jsonl", "cells.csv"} {
		data, err := os.ReadFile(filepath.Join(directory, name))
		if os.IsNotExist(err) && name != card {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("report: %s of %s can't be read: %w: evaluate the run again", name, filepath.Base(directory), err)
		}
		if err := files.WriteBytes(base+recordEndings[i], data); err != nil {
			return nil, unwritten(filepath.Dir(base), err)
		}
		paths = append(paths, base+recordEndings[i])
	}
	return paths, nil
}

func isEnsemble(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, "ensemble.json"))
	return err == nil
}

// RemoveRecords removes the records in a folder whose base names aren't among those kept: what an
// earlier export left there. Other files stay.
func RemoveRecords(folder string, keep []string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		for _, ending := range append(slices.Clone(recordEndings), binsEnding) {
			base, isRecord := strings.CutSuffix(entry.Name(), ending)
			if !isRecord || slices.Contains(keep, base) {
				continue
			}
			if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// SaveRecords copies the records of compared runs and the bins of their cells into a folder, named
// after their methods and seeds, in place of what an earlier comparison left there. With the bins,
// the calibration errors of levels can be computed again. find returns the directory of a run, whose
// name the comparison gives.
func SaveRecords(c score.Comparison, find func(run string) string, folder string) error {
	bases, directories, err := recordNames(c, find)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return unwritten(folder, err)
	}
	if err := RemoveRecords(folder, bases); err != nil {
		return unwritten(folder, err)
	}
	for i, base := range bases {
		if _, err := CopyRecords(directories[i], filepath.Join(folder, base)); err != nil {
			return err
		}
		if err := copyBins(directories[i], filepath.Join(folder, base+binsEnding)); err != nil {
			return err
		}
	}
	return nil
}

// copyBins copies the bins of a run's cells. If it has none, those of an earlier one go.
func copyBins(directory, path string) error {
	data, err := os.ReadFile(filepath.Join(directory, "bins.csv"))
	if os.IsNotExist(err) {
		return removeIfThere(path)
	}
	if err != nil {
		return fmt.Errorf("report: bins.csv of %s can't be read: %w: evaluate the run again", filepath.Base(directory), err)
	}
	if err := files.WriteBytes(path, data); err != nil {
		return unwritten(filepath.Dir(path), err)
	}
	return nil
}

// recordNames returns the base names of the records of compared runs, which must differ, and the
// directories of the runs.
func recordNames(c score.Comparison, find func(run string) string) (bases, directories []string, err error) {
	for _, method := range c.Methods {
		if FileName(method.Name) == "" {
			return nil, nil, fmt.Errorf("report: the method %q has no letter or digit for the name of a file: give it another label", method.Name)
		}
		for i, run := range method.Runs {
			directory, name := find(run), method.Name
			if !isEnsemble(directory) {
				name = fmt.Sprintf("%s seed %d", method.Name, method.Seeds[i])
			}
			base := FileName(name)
			if slices.Contains(bases, base) {
				return nil, nil, fmt.Errorf("report: the records of two runs would both be called %s: give the method %q another label", base, method.Name)
			}
			bases, directories = append(bases, base), append(directories, directory)
		}
	}
	return bases, directories, nil
}

// removeIfThere removes what an earlier comparison left at a path.
func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return unwritten(filepath.Dir(path), err)
	}
	return nil
}

// FileName turns the name of a run into one for files, such as m32-fixed-sigma-seed2.
func FileName(name string) string {
	spelt := strings.NewReplacer("σ", "sigma", "γ", "gamma", "λ", "lambda", " seed ", " seed").Replace(strings.ToLower(name))
	words := strings.FieldsFunc(spelt, func(letter rune) bool {
		return letter > unicode.MaxASCII || !unicode.IsLetter(letter) && !unicode.IsDigit(letter)
	})
	return strings.Join(words, "-")
}
