package command

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// compareTests compares what runs of one data set score on its test images and on those of others.
func compareTests(a *app, o compareOrder, runs []*nbbnn.Run) error {
	if o.evaluation == (nbbnn.Evaluation{Suite: o.evaluation.Suite}) {
		o.evaluation = evaluationOfTests(o, runs)
	}
	runs, err := usable(a, runs, errNoneLeft("compare"), func(run *nbbnn.Run) error {
		_, err := nbbnn.CompareTests([]*nbbnn.Run{run}, o.evaluation, setsOf(o)...)
		return err
	})
	if err != nil {
		return err
	}
	compared, err := nbbnn.CompareTests(runs, o.evaluation, setsOf(o)...)
	if err != nil {
		return err
	}
	for _, g := range o.given {
		a.note("left out: %s, an ensemble: --test compares runs", g.directory)
	}
	if err := nameTests(o, compared, runs); err != nil {
		return err
	}
	data := append([]string{runs[0].Config().Data.Name}, o.tests...)
	results, err := report.SetResults(data, compared, o.metrics...)
	if err != nil {
		return err
	}
	return printTests(a, o, compared, results)
}

// evaluationOfTests returns the usual evaluation. If no run has it on the other data sets, it
// returns one that a run has on all sets, possibly of all clean images.
func evaluationOfTests(o compareOrder, runs []*nbbnn.Run) nbbnn.Evaluation {
	suite, candidates := o.evaluation.Suite, []nbbnn.Evaluation(nil)
	if usual, err := usualEvaluation(runs, suite); err == nil {
		candidates = append(candidates, usual)
	}
	all, _, _ := evaluationsWithRuns(runs) // CompareTests reports damaged cards
	for _, evaluation := range all {
		if evaluation.Test != "" && (suite == "" || suite == evaluation.Suite) {
			candidates = append(candidates, evaluation)
		}
	}
	candidates = append(candidates, o.evaluation) // all clean images, perhaps
	for _, evaluation := range candidates {
		if slices.ContainsFunc(runs, func(run *nbbnn.Run) bool {
			_, err := nbbnn.CompareTests([]*nbbnn.Run{run}, evaluation, setsOf(o)...)
			return err == nil
		}) {
			return evaluation
		}
	}
	return candidates[0]
}

// setsOf returns the runs' own test images and those of the other data sets.
func setsOf(o compareOrder) []string { return append([]string{""}, o.tests...) }

// nameTests orders and names the methods of each data set alike, and finds the baseline.
func nameTests(o compareOrder, compared []score.Comparison, runs []*nbbnn.Run) (err error) {
	places := placesOf(runs)
	for i, c := range compared {
		if !o.keepOrder {
			c = report.Ordered(c)
		}
		if c, err = o.nameMethods(c, places); err != nil {
			return commandline.Usage(err)
		}
		if compared[i], err = o.withBaseline(c); err != nil {
			return err
		}
	}
	return nil
}

// printTests prints tables or JSON, and writes them if there is a directory for them.
func printTests(a *app, o compareOrder, compared []score.Comparison,
	results []report.SetResult) error {
	tables, err := report.SetTables(results, compared[0].Baseline)
	if err != nil {
		return err
	}
	var paths []string
	if o.out != "" {
		if paths, err = report.SaveSets(results, tables, o.out); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(results)
	}
	if o.baseline != "" {
		noteUnpaired(a, compared[0])
	}
	if err := a.printTable(tables...); err != nil {
		return err
	}
	for i, set := range append([]string{"the runs' own data set"}, o.tests...) {
		cell := compared[i].Methods[0].Cells[0][0]
		fmt.Fprintf(a.out, "tested   %s of %s, %s\n", quantity.Count(cell.Images, "image"), set,
			report.Samples(compared[i]))
	}
	for _, line := range groupFiles(paths) {
		fmt.Fprintf(a.out, "wrote    %s\n", line)
	}
	return nil
}
