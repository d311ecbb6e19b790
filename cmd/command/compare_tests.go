package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// compareTests compares what runs of one data set score on its test images and on those of others.
func compareTests(a *app, o compareOrder, runs []*nbbnn.Run) error {
	if own := runs[0].Config().Data.Name; slices.Contains(o.tests, own) {
		return commandline.Usagef("nbbnn compare: --test %s is the runs' own data set, which is "+
			"compared in any case: name another", own)
	}
	o.evaluation = evaluationOfTests(o, runs)
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
	for i := range compared {
		markGuesses(compared[i], runs)
	}
	data := append([]string{runs[0].Config().Data.Name}, o.tests...)
	results, err := report.SetResults(data, compared, o.metrics...)
	if err != nil {
		return err
	}
	return printTests(a, o, compared, results)
}

// evaluationOfTests returns the evaluation that the most runs have on all sets, of several the
// largest: the usual one or a test of another set, with what is asked for. If no run has any, it
// returns the usual one.
func evaluationOfTests(o compareOrder, runs []*nbbnn.Run) (chosen nbbnn.Evaluation) {
	usual, _ := usualEvaluation(runs, o.evaluation.Suite) // they may have clean tests alone
	has := map[nbbnn.Evaluation]int{}                     // numbers of runs
	for _, e := range append([]nbbnn.Evaluation{usual}, testsOfSets(runs, o.tests)...) {
		e.Suite = cmp.Or(o.evaluation.Suite, e.Suite)
		e.Samples = cmp.Or(o.evaluation.Samples, e.Samples)
		e.Images = cmp.Or(o.evaluation.Images, e.Images)
		e.Seed = cmp.Or(o.evaluation.Seed, e.Seed)
		if _, isKnown := has[e]; isKnown {
			continue
		}
		has[e] = 0
		for _, run := range runs {
			if _, err := nbbnn.CompareTests([]*nbbnn.Run{run}, e, setsOf(o)...); err == nil {
				has[e]++
			}
		}
		if len(has) == 1 || has[e] > 0 && cmp.Or(has[e]-has[chosen], compareSize(e, chosen)) > 0 {
			chosen = e
		}
	}
	return chosen
}

// testsOfSets lists the tests of other data sets that runs have, each once. A test on clean images
// alone has no suite.
func testsOfSets(runs []*nbbnn.Run, sets []string) (all []nbbnn.Evaluation) {
	for _, run := range runs {
		card, _ := run.Card()
		// CompareTests tells damage
		_ = run.EachValue(card, func(of []string, _, _, _ string) error {
			if !slices.ContainsFunc(sets, func(set string) bool {
				return strings.HasPrefix(of[1], "test@"+set)
			}) {
				return nil
			}
			e := nbbnn.Evaluation{Suite: strings.TrimPrefix(of[0], score.Clean)}
			_, err := fmt.Sscan(strings.Join(of[3:6], " "), &e.Samples, &e.Images, &e.Seed)
			all = quantity.AddNew(all, e)
			return err
		})
	}
	return all
}

// setsOf returns the runs' own test images and those of the other data sets.
func setsOf(o compareOrder) []string { return append([]string{""}, o.tests...) }

// nameTests orders and names the methods of each data set alike, and finds the baseline.
func nameTests(o compareOrder, compared []score.Comparison, runs []*nbbnn.Run) (err error) {
	places := placesOf(runs)
	for i, c := range compared {
		if c, err = o.nameMethods(report.Ordered(c), places); err != nil {
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
	printFiles(a, paths)
	return nil
}
