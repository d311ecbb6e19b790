package paper

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/viz/report"
)

// Names of the files of an exported result, besides those of Result.Save.
const (
	remarksFile = "remarks.md" // written by hand
	cardsFolder = "cards"
)

// Export writes the measured figure as Save does, and what a committed result has besides: the card,
// the epochs and the cells of each run in cards/. Gallery makes a page of it. It refuses the
// directory of another figure or scale, and removes what an earlier export of this figure left there
// and this one doesn't have.
func Export(r *Result, directory string) ([]string, error) {
	if err := checkExport(r.Figure, r.Scale, directory); err != nil {
		return nil, err
	}
	paths, err := r.Save(directory)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(directory, cardsFolder), 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	var names []string
	for _, run := range r.Runs {
		names = append(names, recordName(run.Run))
	}
	if err := report.RemoveRecords(filepath.Join(directory, cardsFolder), names); err != nil {
		return nil, unwritten(directory, err)
	}
	for i, run := range r.Runs {
		if _, err := report.CopyRecords(run.Directory(), filepath.Join(directory, cardsFolder, names[i])); err != nil {
			return nil, err
		}
	}
	return append(paths, filepath.Join(directory, cardsFolder)), nil
}

// checkExport returns an error if Export of the figure at a scale would refuse a directory: one
// that holds the result of another figure or scale.
func checkExport(f Figure, scale Scale, directory string) error {
	if _, err := os.Stat(filepath.Join(directory, cardsFolder)); err != nil {
		return nil // Save has written there, if anybody
	}
	for _, path := range reportFiles(directory) {
		var before Report
		if readJSON(path, &before) != nil {
			continue // a damaged file is replaced
		}
		if before.Figure != f.Number || before.Scale != scale {
			there := Figure{Number: before.Figure}
			return fmt.Errorf("paper: %s holds the result of figure %s at the scale %s: choose another directory for figure %s at the scale %s",
				directory, there.Command(), before.Scale, f.Command(), scale)
		}
	}
	return nil
}

// reportFiles are the files of reports in a folder of results, at most one in a folder of Export.
func reportFiles(directory string) []string {
	figures, _ := filepath.Glob(filepath.Join(directory, "figure-*.json"))
	demo, _ := filepath.Glob(filepath.Join(directory, Demo.Name()+".json"))
	return append(figures, demo...)
}
