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

// recordFile is a file in the directory of a run, with the ending of the file that keeps it.
type recordFile struct{ name, ending string }

// recordFiles are those that CopyRecords keeps: of an ensemble, ensemble.json in place of
// card.json. furtherFiles are those that SaveRecords adds.
var (
	recordFiles = []recordFile{{"card.json", cardEnding}, {"train.jsonl", ".train.jsonl"},
		{"cells.csv", ".cells.csv"}}
	furtherFiles = []recordFile{{"bins.csv", ".bins.csv"}, {"metrics.csv", ".metrics.csv"},
		{"outside.csv", ".outside.csv"}}
)

const cardEnding = ".json"

// CopyRecords copies what a run records of itself: its card to base.json, its epochs, unless it was
// imported, to base.train.jsonl, and its cells, if it was tested in cells, to base.cells.csv. Of an
// ensemble it copies the list of members and the cells. It returns the paths that it wrote.
func CopyRecords(directory, base string) (paths []string, err error) {
	return copyRecords(directory, base, recordFiles)
}

// copyRecords copies the files that a directory has, the card among them, and removes what an
// earlier copy left of the others.
func copyRecords(directory, base string, all []recordFile) (paths []string, err error) {
	for _, file := range all {
		isCard := file.ending == cardEnding
		if isCard && isEnsemble(directory) {
			file.name = "ensemble.json"
		}
		isThere, err := file.copy(directory, base)
		if err != nil {
			return nil, err
		}
		if isThere {
			paths = append(paths, base+file.ending)
		} else if isCard {
			return nil, fmt.Errorf("report: %s has no %s, so there's nothing to keep: train the "+
				"run to its end", directory, file.name)
		}
	}
	return paths, nil
}

// copy copies the file of a directory if it's there, and otherwise removes an earlier copy.
func (f recordFile) copy(directory, base string) (isThere bool, err error) {
	path := base + f.ending
	data, err := files.ReadFile(nbbnn.FilePath(directory, f.name))
	switch {
	case err == nil:
		isThere, err = true, files.WriteBytes(path, data)
	case os.IsNotExist(err):
		if err = os.Remove(path); os.IsNotExist(err) {
			err = nil
		}
	default:
		return false, fmt.Errorf("report: a record can't be kept: %w: make the file readable", err)
	}
	if err != nil {
		return false, unwritten(filepath.Dir(base), err)
	}
	return isThere, nil
}

func isEnsemble(directory string) bool {
	_, err := os.Stat(nbbnn.FilePath(directory, "ensemble.json"))
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
		for _, file := range slices.Concat(recordFiles, furtherFiles) {
			base, isRecord := strings.CutSuffix(entry.Name(), file.ending)
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

// SaveRecords copies the records of compared runs into a folder, named after their methods and
// seeds, in place of what an earlier comparison left there. Besides what CopyRecords keeps, it
// keeps the bins of their cells, with which the calibration errors of levels can be computed again,
// the values of registered metrics and the tests on images from outside. find returns the directory
// of a run, whose name the comparison gives.
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
		if _, err := copyRecords(directories[i], filepath.Join(folder, base),
			slices.Concat(recordFiles, furtherFiles)); err != nil {
			return err
		}
	}
	return nil
}

// recordNames returns the base names of the records of compared runs, which must differ, and the
// directories of the runs.
func recordNames(c score.Comparison, find func(run string) string) (bases, directories []string,
	err error) {
	for _, method := range c.Methods {
		if FileName(method.Name) == "" {
			return nil, nil, fmt.Errorf("report: the method %q has no letter or digit for the "+
				"name of a file: give it another label", method.Name)
		}
		for i, run := range method.Runs {
			directory, name := find(run), method.Name
			if !isEnsemble(directory) {
				name = fmt.Sprintf("%s seed %d", method.Name, method.Seeds[i])
			}
			base := FileName(name)
			if slices.Contains(bases, base) {
				return nil, nil, fmt.Errorf("report: the records of two runs would both be "+
					"called %s: give the method %q another label", base, method.Name)
			}
			bases, directories = append(bases, base), append(directories, directory)
		}
	}
	return bases, directories, nil
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
