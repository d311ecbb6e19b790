package command

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// errNoneLeft says that of several runs none is left for a command; a note says of each why.
func errNoneLeft(command string) error {
	return fmt.Errorf("nbbnn %s: no run is left: the notes above say what each lacks", command)
}

// errNotEvaluated is errNoneLeft for a command with an evaluation.
func errNotEvaluated(command string) error {
	return fmt.Errorf("%w; --suite, --samples and --images choose another evaluation", errNoneLeft(command))
}

// trainedRuns opens the runs that arguments such as runs/* mean. Of several, it leaves out the
// folders that hold no run, damaged runs and those that aren't trained to the end, with a note.
func trainedRuns(a *app, command string, arguments []string) ([]*nbbnn.Run, error) {
	if len(arguments) == 1 {
		return findRuns(a, arguments)
	}
	var runs []*nbbnn.Run
	for _, argument := range arguments {
		if reason := noRun(argument); reason != "" {
			leaveOut(a, reason)
			continue
		}
		run, err := findRun(a, argument)
		if err != nil && holdsRun(argument) {
			leaveOut(a, describe(err))
			continue
		}
		if err != nil {
			return nil, err
		}
		if _, err := run.Card(); err != nil {
			leaveOut(a, describe(err))
			continue
		}
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, errNoneLeft(command)
	}
	return runs, nil
}

// evaluatedRuns leaves out, of several runs, those that haven't all cells of the evaluation, with a
// note that says how to make them.
func evaluatedRuns(a *app, runs []*nbbnn.Run, evaluation nbbnn.Evaluation) ([]*nbbnn.Run, error) {
	if len(runs) == 1 {
		return runs, nil
	}
	var evaluated []*nbbnn.Run
	for _, run := range runs {
		if _, err := run.Cells(evaluation); err != nil {
			leaveOut(a, describe(err))
			continue
		}
		evaluated = append(evaluated, run)
	}
	if len(evaluated) == 0 {
		return nil, errNotEvaluated("compare")
	}
	return evaluated, nil
}

// noteOneMethod says that runs of a single method are left of several methods on the same data set
// that arguments name.
func noteOneMethod(a *app, arguments []string, left []*nbbnn.Run) {
	if len(arguments) == len(left) || countMethods(left) > 1 {
		return
	}
	var named []*nbbnn.Run
	for _, argument := range arguments {
		if run, err := findRun(a, argument); err == nil && run.Config().Data.Name == left[0].Config().Data.Name {
			named = append(named, run)
		}
	}
	if count := countMethods(named); count > 1 {
		fmt.Fprintf(a.err, "note     one method is left of %d, so it's compared with no other: the notes above say what the rest lacks\n", count)
	}
}

// countMethods counts the methods of runs.
func countMethods(runs []*nbbnn.Run) int {
	keys := map[string]bool{}
	for _, run := range runs {
		keys[run.MethodKey()] = true
	}
	return len(keys)
}

// leaveOut notes why a run isn't compared.
func leaveOut(a *app, reason string) {
	fmt.Fprintln(a.err, "note     left out: "+quantity.Printable(strings.TrimPrefix(reason, "nbbnn: ")))
}

// noRun says what a file or folder is that exists and holds no run; "" for everything else.
func noRun(path string) string {
	if _, err := os.Stat(path); err != nil || holdsRun(path) {
		return ""
	}
	return cmp.Or(ensembleText(path), path+" holds no run: it has no config.json")
}
