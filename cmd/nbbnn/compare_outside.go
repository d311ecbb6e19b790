package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// comparedOutside is a method as `nbbnn compare --outside --json` prints it.
type comparedOutside struct {
	Name       string                   `json:"name"`
	Config     any                      `json:"config"` // filled, with seed 0
	Seeds      []uint64                 `json:"seeds"`
	Runs       []string                 `json:"runs"`
	Detections []score.DetectionSummary `json:"detections"`
}

// checkCompareOutside refuses flags that go with the cells of a suite.
func checkCompareOutside(given *pflag.FlagSet) error {
	for _, name := range []string{"suite", "as", "out", "pictures", "metrics", "ensembles", "label", "colour"} {
		if given.Changed(name) {
			return commandline.Usage(fmt.Errorf("nbbnn compare: --outside compares tests of clean images, so it excludes --%s: leave one of the two out", name))
		}
	}
	return nil
}

// compareOutside prints how well the runs of each method detect images of another data set. Of
// several runs, those without such a test are left out.
func compareOutside(a *app, runs []*nbbnn.Run, data string, evaluation nbbnn.Evaluation) error {
	var tested []*nbbnn.Run
	for _, run := range runs {
		if _, err := nbbnn.CompareOutside([]*nbbnn.Run{run}, data, evaluation); err != nil {
			if len(runs) == 1 {
				return err
			}
			leaveOut(a, describe(err))
			continue
		}
		tested = append(tested, run)
	}
	if len(tested) == 0 {
		return errNoneLeft("compare")
	}
	methods, err := nbbnn.CompareOutside(tested, data, evaluation)
	if err != nil {
		return err
	}
	noteUnsealed(a, tested, "card.json", "outside.csv")
	if a.json {
		var all []comparedOutside
		for _, m := range methods {
			all = append(all, comparedOutside{m.Name, m.Settings, m.Seeds, m.Runs, m.Detections})
		}
		return a.printJSON(all)
	}
	return printComparedOutside(a, methods, data)
}

func printComparedOutside(a *app, methods []score.OutsideMethod, data string) error {
	table := viz.Table{Header: []string{"", "uncertainty", "AUROC", "FPR95 %"}, Labels: 2}
	for _, m := range methods {
		for _, d := range m.Detections {
			table.Rows = append(table.Rows, []string{
				m.Name, d.Uncertainty,
				viz.MeanStd(d.AUROC.Mean, d.AUROC.Std, d.AUROC.N, 3), viz.MeanStd(100*d.FPR95.Mean, 100*d.FPR95.Std, d.FPR95.N, 1),
			})
		}
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s\ntested   clean test images against those of %s\n", text, data)
	for _, m := range methods {
		printComparedRuns(a, m.Name, m.Runs, m.Seeds)
	}
	return nil
}
