package command

import (
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// evaluated is the JSON output of `nbbnn evaluate`: the hashes of one run, or the members of an
// ensemble with theirs, and its cells or its test of images from outside.
type evaluated struct {
	member
	Members    []member         `json:"members,omitempty"`
	Evaluation nbbnn.Evaluation `json:"evaluation,omitzero"` // of the cells; its samples are those of each member
	Levels     *score.Levels    `json:"levels,omitempty"`    // of the test images
	Cells      score.Cells      `json:"cells,omitempty"`     // their samples are those of all members together
	*score.Outside
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

// result returns what is printed of the subject as JSON.
func (s evaluatedSubject) result(order evaluateOrder) (result evaluated, err error) {
	if result.member, result.Members, err = s.identity(order.evaluation.Epoch); err != nil {
		return result, err
	}
	if order.outside != "" {
		result.Outside = &s.outside
		return result, nil
	}
	result.Evaluation, result.Cells = order.evaluation, s.cells
	if order.evaluation.Part == nbbnn.TestPart {
		levels, err := s.cells.Levels()
		result.Levels = &levels
		return result, err
	}
	return result, nil
}

// printResults prints JSON: an object for one run or ensemble, and a list if several runs were asked for.
func printResults(a *app, done []evaluatedSubject, order evaluateOrder) error {
	results := []evaluated{}
	for _, subject := range done {
		result, err := subject.result(order)
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	if order.several {
		return a.printJSON(results)
	}
	return a.printJSON(results[0])
}

// printEvaluated prints the tables of a run or an ensemble.
func printEvaluated(a *app, subject subject, order evaluateOrder, cells score.Cells) error {
	if order.evaluation.Part != nbbnn.TestPart {
		printPart(a, subject, order.evaluation, cells[0])
	} else if err := printLevels(a, subject, order, cells); err != nil {
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
	for _, run := range done {
		name, clean := runTitle(run.Directory()), run.cells[0]
		if isTest {
			levels, err := run.cells.Levels()
			if err != nil {
				return err
			}
			table.Rows = append(table.Rows, levelRow(name, "NLL", levels.NLL[:]))
			if levels.ScaledNLL != nil {
				table.Rows = append(table.Rows, levelRow(name, "ScaledNLL", levels.ScaledNLL[:]))
			}
			table.Rows = append(table.Rows, levelRow(name, "Error", levels.Error[:]))
		} else {
			table.Rows = append(table.Rows, []string{name, fmt.Sprint(clean.Images),
				fmt.Sprintf("%.3f", clean.NLL), fmt.Sprintf("%.1f", 100*clean.Error), fmt.Sprintf("%.3f", clean.ECE)})
		}
	}
	fmt.Fprintln(a.out)
	if err := a.printTable(table); err != nil {
		return err
	}
	for _, run := range done {
		fmt.Fprintln(a.out, temperatureLine(run.subject, order.evaluation, run.cells)+"   "+runTitle(run.Directory()))
	}
	fmt.Fprintln(a.out, "next     `nbbnn compare` takes the seeds of each method together")
	return nil
}

// printPart prints what a run or an ensemble scored on other images than the test set.
func printPart(a *app, subject subject, evaluation nbbnn.Evaluation, cell score.Cell) {
	fmt.Fprintf(a.out, "\n%s   %d %s   NLL %.3f   error %.1f%%   ECE %.3f\n", evaluation.Part, cell.Images, quantity.Noun(cell.Images, "image"), cell.NLL, 100*cell.Error, cell.ECE)
	if cell.IsScaled() {
		fmt.Fprintf(a.out, "scaled   NLL %.3f at the %s\n", cell.ScaledNLL, temperatureText(subject, evaluation, cell))
	}
}

// calibrationRow is the row of the ECE, or of its mean over the corruptions for cells without bins.
func calibrationRow(levels score.Levels) []string {
	if levels.ECE == nil {
		return levelRow("all", "MeanECE", levels.MeanECE[:])
	}
	return levelRow("all", "ECE", levels.ECE[:])
}

// printLevels prints what a run or an ensemble scored on the test images at every level, and the negative
// log-likelihood of each corruption.
func printLevels(a *app, subject subject, order evaluateOrder, cells score.Cells) error {
	levels, err := cells.Levels()
	if err != nil {
		return err
	}
	table := viz.Table{Header: []string{"", "level", "0", "1", "2", "3", "4", "5"}, Labels: 2}
	table.Rows = append(table.Rows, levelRow("all", "NLL", levels.NLL[:]))
	if levels.ScaledNLL != nil {
		table.Rows = append(table.Rows, levelRow("all", "ScaledNLL", levels.ScaledNLL[:]))
	}
	table.Rows = append(table.Rows,
		levelRow("all", "Error", levels.Error[:]),
		calibrationRow(levels),
	)
	for _, corruption := range order.suite.Corruptions {
		table.Rows = append(table.Rows, levelRow(corruption, "NLL", likelihoods(cells, corruption)))
	}
	fmt.Fprintln(a.out)
	if err := a.printTable(table); err != nil {
		return err
	}
	fmt.Fprintln(a.out, temperatureLine(subject, order.evaluation, cells))
	return nil
}

// temperatureLine says which temperature ScaledNLL has and how many images it was fitted to, or why there
// is none.
func temperatureLine(subject subject, evaluation nbbnn.Evaluation, cells score.Cells) string {
	if !cells.Scaled() {
		if cells[0].Images < nbbnn.CrossFitImages {
			return fmt.Sprintf("scaled   not measured: fewer than %d images are tested, and fewer than these are held out for a temperature: test more, or train with --validation", nbbnn.CrossFitImages)
		}
		return "scaled   not measured by an earlier version: --evaluation-seed 1 tests again"
	}
	return "scaled   " + temperatureText(subject, evaluation, cells[0])
}

// fewImages is a number of images that no temperature is fitted well to.
const fewImages = 100

// fitted says how many images of which part a cell's temperature was fitted to: half of those tested, if
// it's cross-fitted.
func fitted(by tested, evaluation nbbnn.Evaluation, cell score.Cell) (part nbbnn.Part, images int, err error) {
	part, images, err = by.HeldOut(evaluation, cell.Images)
	if cell.OddTemperature > 0 {
		images = cell.Images / 2
	}
	return part, images, err
}

// temperatureText tells the temperature of a cell that has one.
func temperatureText(subject subject, evaluation nbbnn.Evaluation, cell score.Cell) string {
	part, images, err := fitted(subject, evaluation, cell)
	text := fmt.Sprintf("temperature %.3f, fitted to %s", cell.Temperature, quantity.Count(images, string(part)+" image"))
	switch {
	case err != nil: // without its card
		return fmt.Sprintf("temperature %.3f", cell.Temperature)
	case cell.OddTemperature > 0:
		text = fmt.Sprintf("temperatures %.3f and %.3f, each fitted to half of the %d clean images for the other half", cell.Temperature, cell.OddTemperature, cell.Images)
	case part == nbbnn.TestPart:
		text = fmt.Sprintf("temperature %.3f, fitted to the %s that follow", cell.Temperature, quantity.Count(images, "clean test image"))
	}
	switch most := max(cell.Temperature, cell.OddTemperature); {
	case images < fewImages:
		return text + ": so few that it may raise the NLL"
	case most >= score.MaxTemperature:
		return text + fmt.Sprintf("; %d is the largest that is tried: the network knows little more than guessing", score.MaxTemperature)
	}
	return text
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
