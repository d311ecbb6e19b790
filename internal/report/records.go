package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// recordFiles are the files of a run or an ensemble that a record keeps, if present. One of the
// first two is.
var recordFiles = strings.Fields("card.json ensemble.json train.jsonl cells.csv bins.csv " +
	"metrics.csv")

// saveRecord writes the record of a run or an ensemble: all its results, without weights.
func saveRecord(directory, path string) error {
	var parts []files.Part
	for _, file := range recordFiles {
		data, err := files.ReadFile(records.Path(directory, file))
		switch {
		case err == nil:
			parts = append(parts, files.Part{Name: file, Text: data})
		case !os.IsNotExist(err):
			return fmt.Errorf("report: a record can't be kept: %w", files.Unreadable(err))
		case file == recordFiles[1] && parts == nil:
			return fmt.Errorf("report: %s has no %s: train the run to its end", directory,
				recordFiles[0])
		}
	}
	if err := files.WriteRecord(path, parts); err != nil {
		return unwritten(filepath.Dir(path), err)
	}
	return nil
}

func isEnsemble(directory string) bool {
	_, err := files.Stat(records.Path(directory, "ensemble.json"))
	return err == nil
}

// WriteRecords writes records of runs and ensembles into a folder, and refuses one with others. A
// file is named by the title, as FileName spells it, and the directory's name.
func WriteRecords(folder string, titles, directories []string) error {
	var names []string
	for i, directory := range directories {
		names = append(names, FileName(titles[i])+"."+filepath.Base(directory)+files.RecordEnding)
	}
	entries, _ := os.ReadDir(folder) // none of a new one
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, files.RecordEnding) && !slices.Contains(names, name) {
			return fmt.Errorf("report: %s isn't of these runs: remove it, or choose another folder",
				filepath.Join(folder, name))
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return unwritten(folder, err)
	}
	for i, name := range names {
		if err := saveRecord(directories[i], filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// SaveRecords writes the records of compared runs into a folder, named after their methods and
// seeds. find returns the directory of a run of the given name.
func SaveRecords(c score.Comparison, find func(run string) string, folder string) error {
	var titles, directories []string
	for _, method := range c.Methods {
		if FileName(method.Name) == "" {
			return fmt.Errorf("report: the method %q has no letter or digit for the name of a "+
				"file: give it another label", method.Name)
		}
		for i, run := range method.Runs {
			directory, title := find(run), method.Name
			if !isEnsemble(directory) {
				title = fmt.Sprintf("%s seed %d", method.Name, method.Seeds[i])
			}
			titles, directories = append(titles, title), append(directories, directory)
		}
	}
	return WriteRecords(folder, titles, directories)
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
