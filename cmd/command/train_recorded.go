package command

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// replaceFlag is the flag that lets a training replace the results of a run without weights.
const (
	replaceFlag = "replace-recorded"
	replaceHelp = "train runs that have results and no weights, too, as \"nbbnn runs restore\" makes them; their results are removed"
)

// checkRecorded refuses to train runs that have results and no weights, before anything is begun. If
// the flag allows it, it says what is replaced.
func (o trainOrder) checkRecorded(a *app, configs ...nbbnn.Config) error {
	var recorded []string
	for _, config := range configs {
		run, err := nbbnn.Open(a.runs, config)
		if err != nil {
			return err
		}
		if run.Recorded() && !run.Held() {
			recorded = append(recorded, run.Directory())
		}
	}
	return checkReplacing(a, "train", recorded, o.options.ReplaceRecorded)
}

// checkReplaced is checkRecorded for the runs of a figure that would be trained: those whose
// directories begin with a name, "" for all.
func checkReplaced(a *app, plan paper.Plan, name string, replace bool) error {
	var recorded []string
	for _, run := range plan.Runs {
		if run.Recorded && !run.Measured && strings.HasPrefix(run.Directory, name) {
			recorded = append(recorded, run.Name)
		}
	}
	return checkReplacing(a, "figure", recorded, replace)
}

// checkReplacing refuses to replace the results of runs, or says that they are replaced.
func checkReplacing(a *app, command string, runs []string, replace bool) error {
	if len(runs) == 0 {
		return nil
	}
	what := fmt.Sprintf("card, epochs and cells of %s without weights (%s)", quantity.Count(len(runs), "run"), strings.Join(runs, ", "))
	if !replace {
		return commandline.Usage(fmt.Errorf("nbbnn %s: a training replaces the recorded %s: --%s does so, --runs trains elsewhere, `nbbnn figure --no-train` and `nbbnn compare` show what is there",
			command, what, replaceFlag))
	}
	fmt.Fprintf(a.err, "replaces %s; the records that they were restored from stay\n", what)
	return nil
}
