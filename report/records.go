package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// RecordEndings are the endings of the files that CopyRecords writes.
var RecordEndings = []string{".json", ".train.jsonl", ".cells.csv"}

// CopyRecords copies what a run records of itself: its card to base.json, its epochs to
// base.train.jsonl and its cells, if it was tested in cells, to base.cells.csv. Of an ensemble it
// copies the list of members and the cells. It returns the paths that it wrote.
func CopyRecords(directory, base string) (paths []string, err error) {
	names := []string{"card.json", "train.jsonl", "cells.csv"}
	if _, err := os.Stat(filepath.Join(directory, "ensemble.json")); err == nil {
		names = []string{"ensemble.json", "", "cells.csv"}
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(directory, name))
		if os.IsNotExist(err) && name == "cells.csv" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("report: %s of %s can't be read: %w: evaluate the run again", name, filepath.Base(directory), err)
		}
		if err := files.WriteBytes(base+RecordEndings[i], data); err != nil {
			return nil, unwritten(filepath.Dir(base), err)
		}
		paths = append(paths, base+RecordEndings[i])
	}
	return paths, nil
}

// SaveRecords copies the records of compared runs into a folder, named after their methods and
// seeds. find returns the directory of a run, whose name the comparison gives.
func SaveRecords(c score.Comparison, find func(run string) string, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return unwritten(folder, err)
	}
	for _, method := range c.Methods {
		for i, run := range method.Runs {
			name := method.Name
			if !strings.HasPrefix(run, "ensemble-") {
				name = fmt.Sprintf("%s seed %d", method.Name, method.Seeds[i])
			}
			if _, err := CopyRecords(find(run), filepath.Join(folder, FileName(name))); err != nil {
				return err
			}
		}
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
