package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/viz/report"
)

// Names of the files of an exported result, besides those of Result.Save.
const (
	verdictsFile = "verdicts.json"
	remarksFile  = "remarks.md" // written by hand
	cardsFolder  = "cards"
)

// Export writes the measured figure as Save does, and what a committed result has besides: the
// card, the epochs and the cells of each run in cards/, and verdicts.json, of which Gallery makes a
// page. It refuses the directory of another figure or scale, and removes what an earlier export of
// this figure left there and this one doesn't have.
func Export(r *Result, directory string) ([]string, error) {
	if err := checkExport(r.Figure, r.Scale, directory); err != nil {
		return nil, err
	}
	result, err := exportedOf(r)
	if err != nil {
		return nil, err
	}
	paths, err := r.Save(directory)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(directory, cardsFolder), 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	if err := result.removeStale(directory); err != nil {
		return nil, unwritten(directory, err)
	}
	for i, run := range r.Runs {
		written, err := report.CopyRecords(run.Directory(), filepath.Join(directory, cardsFolder, result.Runs[i].Card))
		if err != nil {
			return nil, err
		}
		paths = append(paths, written...)
	}
	path := filepath.Join(directory, verdictsFile)
	if err := files.Write(path, func(w io.Writer) error { return files.WriteJSON(w, result) }); err != nil {
		return nil, unwritten(directory, err)
	}
	return append(paths, path), nil
}

// checkExport returns an error if Export of the figure at a scale would refuse a directory: one
// that holds the result of another figure or scale.
func checkExport(f Figure, scale Scale, directory string) error {
	data, err := os.ReadFile(filepath.Join(directory, verdictsFile))
	if err != nil {
		return nil
	}
	var before exported
	if err := json.Unmarshal(data, &before); err != nil {
		return nil // a damaged file is replaced
	}
	if before.Figure != f.Number || before.Scale != scale {
		return fmt.Errorf("paper: %s holds the result of figure %d at the scale %s: choose another directory for figure %d at the scale %s",
			directory, before.Figure, before.Scale, f.Number, scale)
	}
	return nil
}

// removeStale removes the files of an earlier export that the result doesn't name.
func (e exported) removeStale(directory string) error {
	var named []string
	for _, run := range e.Runs {
		named = append(named, run.Card)
	}
	return report.RemoveRecords(filepath.Join(directory, cardsFolder), named)
}
