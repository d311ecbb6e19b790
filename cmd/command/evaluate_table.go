package command

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// evaluated is the JSON output of `nbbnn evaluate`: the hashes of one run, or the members of an
// ensemble with theirs, and its cells or its test of images from outside.
type evaluated struct {
	member
	Members []member `json:"members,omitempty"`
	// of the cells; samples counts each member's
	Evaluation nbbnn.Evaluation `json:"evaluation,omitzero"`
	Levels     *score.Levels    `json:"levels,omitempty"` // of the test images
	// their samples count all members together
	Cells score.Cells `json:"cells,omitempty"`
	*nbbnn.Outside
}

// member is one of the runs whose predictions are averaged.
type member struct {
	Run        string `json:"run"` // the name of its directory
	ConfigHash string `json:"config_hash,omitempty"`
	Weights    string `json:"weights_sha256,omitempty"` // after the epoch that was tested
}

// result returns the JSON output of the subject.
func (s subject) result(order evaluateOrder) (result evaluated, err error) {
	for _, run := range s.runs {
		weights, err := run.WeightsSHA256(order.evaluation.Epoch)
		if err != nil {
			return result, err
		}
		result.Members = append(result.Members, member{nameOf(run), run.Config().Hash(),
			weights})
	}
	if result.member.Run = nameOf(s); len(s.runs) == 1 {
		result.member, result.Members = result.Members[0], nil
	}
	result.Evaluation, result.Cells = order.evaluation, s.cells
	if order.outside != "" {
		result.Outside = &s.outside
		return result, nil
	}
	if order.evaluation.Part == nbbnn.TestPart {
		levels, err := s.cells.Levels()
		result.Levels = &levels
		return result, err
	}
	return result, nil
}

// printResults prints JSON: an object for one run or ensemble, and a list if several runs were
// asked for.
func printResults(a *app, done subjects, order evaluateOrder) error {
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

// printEvaluated prints the tables of subjects with the temperatures of their scaled NLL, and where
// the cells of one are.
func printEvaluated(a *app, done subjects, order evaluateOrder) error {
	tables, err := evaluationTables(done, order)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	if err := a.printTable(tables...); err != nil {
		return err
	}
	texts, of := temperatureTexts(done, order.evaluation)
	for _, text := range texts[:min(mostNamed, len(texts))] {
		fmt.Fprintf(a.out, "scaled   %s   %s\n", text, quantity.List(of[text], 3))
	}
	if more := len(texts) - mostNamed; more > 0 {
		fmt.Fprintf(a.out, "scaled   and %d more: --json has them\n", more)
	}
	if len(done) > 1 {
		if order.options.Save != "" {
			fmt.Fprintf(a.out, "wrote    %s\n", filepath.Join(order.options.Save, "*", "*.npz"))
		}
		fmt.Fprintln(a.out, "next     `nbbnn compare` compares methods over their seeds")
		return nil
	}
	save, kept := order.saveOf(done[0]), records.Path(done[0].Directory(), "cells.csv")
	if save != "" && !done[0].Evaluated(order.evaluation) { // its folder can't be written
		kept = filepath.Join(save, "cells.csv")
	}
	fmt.Fprintf(a.out, "%-8s %s\n", done[0].label(), kept)
	if save != "" {
		fmt.Fprintf(a.out, "wrote    %s   %s\n", filepath.Join(save, "*.npz"),
			quantity.Count(len(done[0].cells), "file"))
	}
	return nil
}

// evaluationTables returns the metrics of subjects at every level, and for a single subject the
// negative log-likelihood of each corruption; or the metrics on the images of another part.
func evaluationTables(done subjects, order evaluateOrder) ([]viz.Table, error) {
	if order.evaluation.Part != nbbnn.TestPart {
		return []viz.Table{partTable(done, order)}, nil
	}
	compared := score.Comparison{Suite: order.suite.Name}
	for _, subject := range done {
		name := titleOf(subject)
		if slices.Contains(compared.Names(), name) { // of another folder
			name = subject.Directory()
		}
		compared.Methods = append(compared.Methods, score.Method{Name: name, Runs: []string{name},
			Cells: []score.Cells{subject.cells}})
	}
	levels, err := levelTable(compared)
	if err != nil || len(done) > 1 {
		return []viz.Table{levels}, err
	}
	cells, err := report.CellTable(compared, "NLL")
	return []viz.Table{levels, cells}, err
}

// partTable returns a row for each subject with its scores on images other than the test set.
func partTable(done subjects, order evaluateOrder) viz.Table {
	table := viz.Table{Header: []string{"run", "images"}, Labels: 1}
	for _, subject := range done {
		cell := subject.cells[0]
		row := []string{titleOf(subject), fmt.Sprint(cell.Images)}
		for _, name := range []string{"NLL", "ScaledNLL", "Error", "ECE"} {
			metric, _ := score.MetricByName(name) // of package score
			value, text := metric.Value(cell), "-"
			if !math.IsNaN(value) {
				text = fmt.Sprintf("%.*f", metric.Decimals(), metric.Shown(value))
			}
			if row = append(row, text); len(table.Rows) == 0 {
				table.Header = append(table.Header, metric.Heading())
			}
		}
		table.Rows = append(table.Rows, row)
		table.Caption = order.text(subject.runs)
	}
	return table
}

// fewImages is a number of images that no temperature is fitted well to.
const fewImages = 100

// fitted describes the images that a cell's temperature was fitted to: half of the tested ones if
// cross-fitted.
func fitted(by tested, evaluation nbbnn.Evaluation, cell score.Cell) (part nbbnn.Part, images int,
	err error) {
	part, images, err = by.HeldOut(evaluation, cell.Images)
	if cell.OddTemperature > 0 {
		images = cell.Images / 2
	}
	return part, images, err
}

// temperatureTexts returns each temperatureText of subjects once, and their names.
func temperatureTexts(done subjects, evaluation nbbnn.Evaluation) (texts []string,
	of map[string][]string) {
	of = map[string][]string{}
	for _, subject := range done {
		text := temperatureText(subject, evaluation, subject.cells)
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], titleOf(subject))
	}
	return texts, of
}

// temperatureText describes ScaledNLL's temperature and the images it was fitted to, or why there
// is none.
func temperatureText(by tested, evaluation nbbnn.Evaluation, cells score.Cells) string {
	cell := cells[0]
	if !cells.Scaled() && cell.Images < nbbnn.CrossFitImages {
		return fmt.Sprintf("not measured: fewer than %d images are tested, and fewer than these "+
			"are held out for a temperature: test more, or train with --validation",
			nbbnn.CrossFitImages)
	} else if !cells.Scaled() {
		return "not measured by an earlier version: --evaluation-seed 1 tests again"
	}
	part, images, err := fitted(by, evaluation, cell)
	text := fmt.Sprintf("temperature %.3f", cell.Temperature)
	switch {
	case err != nil || images == 0: // without its card, or of an earlier version
		return text
	case cell.OddTemperature > 0:
		text = fmt.Sprintf("temperatures %.3f and %.3f, each fitted to half of the %d clean "+
			"images for the other half", cell.Temperature, cell.OddTemperature, cell.Images)
	case part == nbbnn.TestPart && evaluation.Test != "":
		text += fmt.Sprintf(", fitted to %s of the run's own data set",
			quantity.Count(images, "clean test image"))
	case part == nbbnn.TestPart:
		text += fmt.Sprintf(", fitted to the %s that follow",
			quantity.Count(images, "clean test image"))
	default:
		text += ", fitted to " + quantity.Count(images, string(part)+" image")
	}
	switch most := max(cell.Temperature, cell.OddTemperature); {
	case cell.Temperature == 1 || cell.OddTemperature == 1:
		return text + "; 1 where none is best: all of these images are right"
	case images < fewImages:
		return text + ": so few that it may raise the NLL"
	case most >= score.MaxTemperature:
		return text + fmt.Sprintf("; %d is the largest that is tried: the network knows little "+
			"more than guessing", score.MaxTemperature)
	}
	return text
}
