package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Names of the files of an exported result, besides those of Result.Save.
const (
	verdictsFile = "verdicts.json"
	remarksFile  = "remarks.md"  // written by hand
	findingFile  = "finding.png" // the effects that the title follows from
	cardsFolder  = "cards"
)

// exported is the content of verdicts.json: what the gallery says about a figure, and the runs that
// it follows from.
type exported struct {
	Figure   int           `json:"figure"`
	Scale    Scale         `json:"scale"`
	Finding  string        `json:"finding"`
	Claim    string        `json:"headline_claim,omitempty"` // the one that the finding answers
	Effects  string        `json:"effects,omitempty"`        // picture of the effects that the finding follows from
	Subject  string        `json:"subject"`
	Test     string        `json:"test"`
	Seeds    []uint64      `json:"seeds"`
	LeftOut  []string      `json:"left_out,omitempty"`
	Table    [][]string    `json:"table"`           // ours and the paper's numbers, the header first
	Costs    [][]string    `json:"costs,omitempty"` // of a benchmark's methods, the header first
	Verdicts Verdicts      `json:"verdicts"`
	Checks   []CheckResult `json:"checks,omitempty"`
	Runs     []exportedRun `json:"runs"`
}

// exportedRun is one run of an exported result.
type exportedRun struct {
	Method  string `json:"method"`
	Row     string `json:"row,omitempty"` // of panels
	Seed    uint64 `json:"seed"`
	Card    string `json:"card"` // its file in cards/, without .json
	Weights string `json:"weights_sha256"`
}

// Export writes the measured figure as Save does, and what a committed result has besides: the card,
// the epochs and the cells of each run in cards/, and verdicts.json, of which Gallery makes a page.
// It refuses the directory of another figure or scale, and removes what an earlier export of this
// figure left there and this one doesn't have.
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
	finding, err := findingFigure(r)
	if err != nil {
		return nil, err
	}
	if finding != nil {
		result.Effects = findingFile
		path := filepath.Join(directory, findingFile)
		if err := finding.Save(path); err != nil {
			return nil, unwritten(directory, err)
		}
		paths = append(paths, path)
	}
	if err := os.MkdirAll(filepath.Join(directory, cardsFolder), 0o755); err != nil {
		return nil, unwritten(directory, err)
	}
	if err := result.removeStale(directory); err != nil {
		return nil, unwritten(directory, err)
	}
	for i, run := range r.Runs {
		written, err := exportRun(run, filepath.Join(directory, cardsFolder, result.Runs[i].Card))
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

// checkExport returns an error if Export of the figure at a scale would refuse a directory: one that
// holds the result of another figure or scale.
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

// exportedOf returns the content of verdicts.json.
func exportedOf(r *Result) (exported, error) {
	table, err := comparedTable(r)
	if err != nil {
		return exported{}, err
	}
	result := exported{
		Figure: r.Figure.Number, Scale: r.Scale, Finding: r.Finding(), Claim: r.Figure.Headline.Claim, Subject: r.Subject(), Test: r.Test(),
		Seeds: r.Setup.Seeds, LeftOut: r.LeftOut, Table: table, Verdicts: r.Verdicts(), Checks: r.Checks(),
	}
	costs, err := CostTable(r)
	if err != nil {
		return exported{}, err
	}
	if len(costs.Rows) > 0 {
		result.Costs = slices.Concat([][]string{costs.Header}, costs.Rows)
	}
	for _, run := range r.Runs {
		card, err := run.Card()
		if err != nil {
			return exported{}, err
		}
		result.Runs = append(result.Runs, exportedRun{run.Method, run.Row, run.Seed, fileName(run.Name()), card.WeightsSHA256})
	}
	return result, nil
}

// comparedTable is the figure's table, the header first. That of a figure of levels has the paper's
// means below ours.
func comparedTable(r *Result) ([][]string, error) {
	if _, ofLevels := r.Figure.Collect.(levelMeasurement); ofLevels {
		return levelTable(r)
	}
	table, err := r.Summary()
	if err != nil {
		return nil, err
	}
	return slices.Concat([][]string{table.Header}, table.Rows), nil
}

// levelTable has a row for each metric and method, except those of calibration, and for each of the
// paper's curves.
func levelTable(r *Result) ([][]string, error) {
	rows := [][]string{levelHeader()}
	for _, name := range r.measured(reported...) {
		if strings.Contains(name, ECE) {
			continue
		}
		metric, err := score.MetricByName(name)
		if err != nil {
			return nil, err
		}
		for _, method := range r.methodNames() {
			summaries, err := r.LevelSummary(method, name)
			if err != nil {
				return nil, err
			}
			mean, _ := meansAndStds(summaries)
			rows = append(rows, levelRow(metric, method, mean))
			if paper, found := r.published(method, name); found {
				rows = append(rows, levelRow(metric, method+", paper", paper.Mean[:]))
			}
		}
	}
	return rows, nil
}

// levelRow is a row of levelTable.
func levelRow(metric score.Metric, name string, values []float64) []string {
	row := []string{metric.Heading(), name}
	for _, value := range values {
		row = append(row, fmt.Sprintf("%.*f", metric.Decimals(), metric.Shown(value)))
	}
	return row
}

// exportedFiles are the files of a run's directory that are exported, with the endings of their new
// names.
var exportedFiles = []struct{ from, to string }{{"card.json", ".json"}, {"train.jsonl", ".train.jsonl"}, {"cells.csv", ".cells.csv"}}

// removeStale removes the files of an earlier export that the result doesn't name.
func (e exported) removeStale(directory string) error {
	if e.Effects == "" {
		if err := os.Remove(filepath.Join(directory, findingFile)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	named := map[string]bool{}
	for _, run := range e.Runs {
		for _, file := range exportedFiles {
			named[run.Card+file.to] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(directory, cardsFolder))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		ours := slices.ContainsFunc(exportedFiles, func(file struct{ from, to string }) bool { return strings.HasSuffix(entry.Name(), file.to) })
		if ours && !named[entry.Name()] {
			if err := os.Remove(filepath.Join(directory, cardsFolder, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// exportRun copies what a run records of itself to base.json, base.train.jsonl and, if it was tested
// in cells, base.cells.csv.
func exportRun(run RunResult, base string) (paths []string, err error) {
	for _, file := range exportedFiles {
		data, err := os.ReadFile(filepath.Join(run.Directory(), file.from))
		if os.IsNotExist(err) && file.from == "cells.csv" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("paper: %s of %s can't be read: %w: evaluate the run again", file.from, run.Name(), err)
		}
		if err := files.WriteBytes(base+file.to, data); err != nil {
			return nil, unwritten(filepath.Dir(base), err)
		}
		paths = append(paths, base+file.to)
	}
	return paths, nil
}

// fileName turns the name of a run into one for files, such as m32-fixed-sigma-seed2.
func fileName(name string) string {
	spelt := strings.NewReplacer("σ", "sigma", "γ", "gamma", "λ", "lambda", " seed ", " seed").Replace(strings.ToLower(name))
	words := strings.FieldsFunc(spelt, func(letter rune) bool {
		return letter > unicode.MaxASCII || !unicode.IsLetter(letter) && !unicode.IsDigit(letter)
	})
	return strings.Join(words, "-")
}
