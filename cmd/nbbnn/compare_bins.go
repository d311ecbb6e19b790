package main

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// noteWithoutBins says which runs are why a comparison has MeanECE in place of ECE.
func noteWithoutBins(a *app, compared score.Comparison) {
	runs := compared.Unbinned()
	if len(runs) == 0 {
		return
	}
	fmt.Fprintf(a.err, "note     MeanECE, the mean of the corruptions' ECEs, stands in for ECE, which counts the predictions of all corruptions together: "+
		"there are no bins of %s (restored from records without them)\n", strings.Join(runs, ", "))
}
