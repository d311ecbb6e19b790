package command

import (
	"cmp"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz/report"
)

// comparedOutside is a method as `nbbnn compare --outside --json` prints it.
type comparedOutside struct {
	comparedRuns
	Detections []score.DetectionSummary `json:"detections"`
}

// compareOutside prints how well the runs of each method detect images of another data set, and
// writes tables if there is a directory for them; or it returns the methods for JSON. Of several
// runs, those without such a test are left out.
func compareOutside(a *app, runs []*nbbnn.Run, order compareOrder) (all []any, err error) {
	tested, err := runsWithOutside(a, runs, order)
	if err != nil {
		return nil, err
	}
	methods, err := nbbnn.CompareOutside(tested, order.outside, order.evaluation)
	if err != nil {
		return nil, err
	}
	if !order.keepOrder {
		methods = methods.Ordered()
	}
	named := methods.Comparison()
	if err := nameMethods(named, placesOf(tested), order); err != nil {
		return nil, commandline.Usage(err)
	}
	for i := range methods {
		methods[i].Name = named.Methods[i].Name
	}
	if len(order.given) > 0 {
		if methods, err = order.withOutsideEnsembles(a, methods, tested); err != nil {
			return nil, err
		}
	}
	var files []string
	if order.out != "" {
		if files, err = report.SaveOutside(methods, order.outside, order.out); err != nil {
			return nil, err
		}
	}
	if !a.json {
		return nil, printComparedOutside(a, methods, order.outside, files)
	}
	for _, m := range methods {
		all = append(all, comparedOutside{comparedRunsOf(m.Method), m.Detections})
	}
	return all, nil
}

func runsWithOutside(a *app, runs []*nbbnn.Run, order compareOrder) ([]*nbbnn.Run, error) {
	unknown := checkOutsideName(order.outside)
	return usable(a, runs, cmp.Or(unknown, errNoneLeft("compare")), func(run *nbbnn.Run) error {
		_, err := nbbnn.CompareOutside([]*nbbnn.Run{run}, order.outside, order.evaluation)
		if err != nil && len(runs) == 1 {
			return cmp.Or(unknown, err)
		}
		return err
	})
}

// checkOutsideName returns an error if there is no data set of a name, so that no run can be
// tested. Restored runs may have a test against a data set that isn't here.
func checkOutsideName(name string) error {
	return commandline.Usage(dataset.Config{Name: name}.CheckName())
}

// printComparedOutside prints the table of methods and the files that were written.
func printComparedOutside(a *app, methods score.OutsideMethods, data string, files []string) error {
	table, err := report.OutsideTable(methods, data)
	if err != nil {
		return err
	}
	table.Caption = "" // the last line says it
	if err := a.printTable(table); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "tested   clean test images against those of %s\n", data)
	printComparedRuns(a, files, methods.Comparison().Methods...)
	return nil
}
