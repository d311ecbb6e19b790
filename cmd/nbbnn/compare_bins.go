package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// noteWithoutBins says which runs are why a comparison has MeanECE in place of ECE.
func noteWithoutBins(a *app, compared score.Comparison) {
	var runs []string
	for _, method := range compared.Methods {
		for i, cells := range method.Cells {
			if !cells.Binned() {
				runs = append(runs, method.Runs[i])
			}
		}
	}
	if len(runs) == 0 {
		return
	}
	slices.Sort(runs)
	fmt.Fprintf(a.err, "note     MeanECE, the mean of the corruptions' ECEs, stands in for ECE, which counts the predictions of all corruptions together: "+
		"there are no bins of %s (restored from records without them)\n", strings.Join(runs, ", "))
}
