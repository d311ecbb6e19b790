package command

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// evaluated is the JSON output of `nbbnn evaluate`: the hashes of one run, or the members of an
// ensemble with theirs.
type evaluated struct {
	member
	Members    []member         `json:"members,omitempty"`
	Evaluation nbbnn.Evaluation `json:"evaluation"` // its samples are those of each member
	Levels     score.Levels     `json:"levels"`
	Cells      score.Cells      `json:"cells"` // their samples are those of all members together
}

// member is one of the runs whose predictions are averaged.
type member struct {
	Run        string `json:"run"` // the name of its directory
	ConfigHash string `json:"config_hash,omitempty"`
	Weights    string `json:"weights_sha256,omitempty"` // after the epoch that was tested
}

// identity names a run with the weights that it had after an epoch, or an ensemble and its members.
func (s subject) identity(epoch int) (own member, members []member, err error) {
	for _, run := range s.runs {
		weights, err := run.WeightsSHA256(epoch)
		if err != nil {
			return own, nil, err
		}
		members = append(members, member{filepath.Base(run.Directory()), run.Hash(), weights})
	}
	if len(members) == 1 {
		return members[0], nil, nil
	}
	return member{Run: filepath.Base(s.Directory())}, members, nil
}

// printEvaluated prints the tables of a run or an ensemble.
func printEvaluated(a *app, subject subject, order evaluateOrder, cells score.Cells) error {
	var err error
	if order.evaluation.Part != nbbnn.TestPart {
		err = printPart(a, order.evaluation.Part, cells[0])
	} else {
		err = printLevels(a, subject, order, cells)
	}
	if err != nil || a.json {
		return err
	}
	save, kept := order.options.Save, nbbnn.FilePath(subject.Directory(), "cells.csv")
	if save != "" && !subject.Evaluated(order.evaluation) { // its folder can't be written
		kept = filepath.Join(save, "cells.csv")
	}
	fmt.Fprintf(a.out, "wrote    %s\n", kept)
	if save != "" {
		fmt.Fprintf(a.out, "wrote    %s   %s\n", filepath.Join(save, "*.npz"), quantity.Count(len(cells), "file"))
	}
	return nil
}

// printEach prints the NLL and the error of each of several runs: at every level, or on the images
// of a part.
func printEach(a *app, done []evaluatedSubject, order evaluateOrder) error {
	isTest := order.evaluation.Part == nbbnn.TestPart
	header := []string{"run", "images", "NLL", "error %", "ECE"}
	table := viz.Table{Header: header, Labels: 1}
	if isTest {
		table = viz.Table{Header: []string{"run", "level", "0", "1", "2", "3", "4", "5"}, Labels: 2}
	}
	results := []evaluated{}
	for _, run := range done {
		name, clean := runTitle(run.Directory()), run.cells[0]
		result := evaluated{Evaluation: order.evaluation, Cells: run.cells}
		if isTest {
			levels, err := run.cells.Levels()
			if err != nil {
				return err
			}
			result.Levels = levels
			table.Rows = append(table.Rows, levelRow(name, "NLL", levels.NLL[:]), levelRow(name, "Error", levels.Error[:]))
		} else {
			table.Rows = append(table.Rows, []string{name, fmt.Sprint(clean.Images),
				fmt.Sprintf("%.3f", clean.NLL), fmt.Sprintf("%.1f", 100*clean.Error), fmt.Sprintf("%.3f", clean.ECE)})
		}
		var err error
		if result.member, _, err = run.identity(order.evaluation.Epoch); err != nil {
			return err
		}
		results = append(results, result)
	}
	if a.json {
		return a.printJSON(results)
	}
	fmt.Fprintln(a.out)
	if err := a.printTable(table); err != nil {
		return err
	}
	if isTest && !slices.ContainsFunc(done, func(run evaluatedSubject) bool { return run.cells.Scaled() }) {
		fmt.Fprintln(a.out, temperatureLine(done[0].cells))
	}
	fmt.Fprintln(a.out, "next     `nbbnn compare` takes the seeds of each method together")
	return nil
}

// printPart prints what a run or an ensemble scored on other images than the test set.
func printPart(a *app, part nbbnn.Part, cell score.Cell) error {
	if a.json {
		return a.printJSON(cell)
	}
	fmt.Fprintf(a.out, "\n%s   %d %s   NLL %.3f   error %.1f%%   ECE %.3f\n", part, cell.Images, quantity.Noun(cell.Images, "image"), cell.NLL, 100*cell.Error, cell.ECE)
	if cell.IsScaled() {
		fmt.Fprintf(a.out, "scaled   NLL %.3f at the temperature %.3f\n", cell.ScaledNLL, cell.Temperature)
	}
	return nil
}

// printLevels prints what a run or an ensemble scored on the test images at every level.
func printLevels(a *app, subject subject, order evaluateOrder, cells score.Cells) error {
	levels, err := cells.Levels()
	if err != nil {
		return err
	}
	if !a.json {
		return printEvaluation(a, order.suite, cells, levels)
	}
	evaluation := order.evaluation
	own, members, err := subject.identity(evaluation.Epoch)
	if err != nil {
		return err
	}
	return a.printJSON(evaluated{own, members, evaluation, levels, cells})
}

// calibrationRow is the row of the ECE, or of its mean over the corruptions for cells without bins.
func calibrationRow(levels score.Levels) []string {
	if levels.ECE == nil {
		return levelRow("all", "MeanECE", levels.MeanECE[:])
	}
	return levelRow("all", "ECE", levels.ECE[:])
}

// printEvaluation prints the levels, and the negative log-likelihood of each corruption.
func printEvaluation(a *app, suite corrupt.Suite, cells score.Cells, levels score.Levels) error {
	table := viz.Table{Header: []string{"", "level", "0", "1", "2", "3", "4", "5"}, Labels: 2}
	table.Rows = append(table.Rows, levelRow("all", "NLL", levels.NLL[:]))
	if levels.ScaledNLL != nil {
		table.Rows = append(table.Rows, levelRow("all", "ScaledNLL", levels.ScaledNLL[:]))
	}
	table.Rows = append(table.Rows,
		levelRow("all", "Error", levels.Error[:]),
		calibrationRow(levels),
	)
	for _, corruption := range suite.Corruptions {
		table.Rows = append(table.Rows, levelRow(corruption, "NLL", likelihoods(cells, corruption)))
	}
	fmt.Fprintln(a.out)
	if err := a.printTable(table); err != nil {
		return err
	}
	fmt.Fprintln(a.out, temperatureLine(cells))
	return nil
}

// temperatureLine says which temperature ScaledNLL has, or why there is none.
func temperatureLine(cells score.Cells) string {
	if !cells.Scaled() {
		return "scaled   not measured: all test images are tested and none was held out for a temperature; lower --images, or train with --validation"
	}
	return fmt.Sprintf("scaled   temperature %.3f, fitted to held-out clean images", cells[0].Temperature)
}

// levelRow is a row of the table: the values of a metric.
func levelRow(label, name string, values []float64) []string {
	metric, _ := score.MetricByName(name) // one of package score
	row := []string{label, metric.Heading()}
	for _, value := range values {
		row = append(row, fmt.Sprintf("%.*f", metric.Decimals(), metric.Shown(value)))
	}
	return row
}

// likelihoods returns the negative log-likelihood of the clean images and of one corruption's
// severities.
func likelihoods(cells score.Cells, corruption string) []float64 {
	values := make([]float64, score.LevelCount)
	for _, cell := range cells {
		if cell.Corruption == corruption || cell.Corruption == score.Clean {
			values[cell.Severity] = cell.NLL
		}
	}
	return values
}
