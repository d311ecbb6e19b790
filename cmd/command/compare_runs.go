package command

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// runs opens the trained runs that arguments name, or those of --runs, that fulfil --where.
func (o compareOrder) runs(a *app, arguments []string) ([]*nbbnn.Run, error) {
	conditions, err := parseConditions("compare", o.where)
	if err == nil && len(arguments) == 0 {
		if arguments, err = nbbnn.Directories(a.runs); err == nil && len(arguments) == 0 {
			err = fmt.Errorf("nbbnn compare: --runs %s: no runs are there: name runs as in `nbbnn compare 9f3c 41ab`, or another folder", a.runs)
		}
	}
	if err != nil {
		return nil, commandline.Usage(err)
	}
	runs, err := trainedRuns(a, "compare", arguments)
	if err != nil || len(conditions) == 0 {
		return runs, err
	}
	list, err := filterRuns(readList(a, directoriesOf(runs)), conditions)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("nbbnn compare: no run fulfils --where %s: `nbbnn runs` shows their values", strings.Join(o.where, " and "))
	}
	runs = nil
	for _, entry := range list {
		runs = append(runs, entry.run)
	}
	return runs, commandline.Usage(err)
}

func directoriesOf(runs []*nbbnn.Run) (directories []string) {
	for _, run := range runs {
		directories = append(directories, run.Directory())
	}
	return directories
}

// trainedRuns opens the runs that arguments such as runs/* mean. Of several, it leaves out the files and
// folders that hold no trained run, and runs that are given again, such as by their record, with a note.
func trainedRuns(a *app, command string, arguments []string) (runs []*nbbnn.Run, err error) {
	if len(arguments) == 1 {
		return findRuns(a, arguments)
	}
	var untrained []*nbbnn.UntrainedError
	seen := map[string]bool{} // hashes
	err = parallel.InOrder(len(arguments), func(i int) trained {
		return openTrained(a, arguments[i])
	}, func(i int, t trained) error {
		lacking, isUntrained := errors.AsType[*nbbnn.UntrainedError](t.err)
		switch {
		case isUntrained:
			untrained = append(untrained, lacking)
		case t.err != nil && !isThere(arguments[i]) && t.run == nil:
			return t.err
		case t.err != nil:
			leaveOut(a, describe(t.err))
		case seen[t.hash]:
			leaveOut(a, fmt.Sprintf("%s is run %s again", arguments[i], t.run.Config().RunName()))
		default:
			seen[t.hash] = true
			runs = append(runs, t.run)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	noteUntrained(a, untrained)
	if len(runs) == 0 {
		return nil, errNoneLeft(command)
	}
	return runs, nil
}

// trained is a run that an argument names, with its hash, or why it can't be used.
type trained struct {
	run  *nbbnn.Run
	hash string
	err  error
}

// openTrained opens the run that an argument names, if it is trained to the end.
func openTrained(a *app, argument string) (t trained) {
	if t.run, t.err = findRun(a, argument); t.err == nil {
		_, t.err = t.run.Card()
		t.hash = t.run.Hash()
	}
	return t
}

// noteUntrained names the runs that are left out because they aren't trained to the end, and says how
// far the first of them is.
func noteUntrained(a *app, untrained []*nbbnn.UntrainedError) {
	var names []string
	for _, err := range untrained {
		names = append(names, runTitle(err.Run))
	}
	switch len(untrained) {
	case 0:
	case 1:
		leaveOut(a, describe(untrained[0]))
	default:
		leaveOut(a, fmt.Sprintf("%d runs that aren't trained to the end (%s), the first of them: %s", len(names),
			strings.Join(names, ", "), reason(untrained[0])))
	}
}

// errNone says that no run is left that a command can take.
var errNone = errors.New("no run is left")

// errNoneLeft is errNone where a note says of each run why.
func errNoneLeft(command string) error {
	return fmt.Errorf("nbbnn %s: %w: the notes above say what each lacks", command, errNone)
}

// onlyRunLacks returns errNone with the reason why the only run can't be compared.
func onlyRunLacks(err error) error {
	if errors.Is(err, errNone) {
		return err
	}
	return fmt.Errorf("nbbnn compare: %w: %s", errNone, reason(err))
}

// isUntested reports whether an error says that runs have no test to compare.
func isUntested(err error) bool {
	_, isUnevaluated := errors.AsType[*nbbnn.UnevaluatedError](err)
	return isUnevaluated || errors.Is(err, errNone)
}

// usable returns the runs in which check finds no fault. Of several, those with one are left out with
// a note; if none is left, the error is none.
func usable(a *app, runs []*nbbnn.Run, none error, check func(*nbbnn.Run) error) (sound []*nbbnn.Run, err error) {
	for _, run := range runs {
		err := check(run)
		switch {
		case err == nil:
			sound = append(sound, run)
		case len(runs) == 1:
			return nil, err
		default:
			leaveOutRun(a, run, err)
		}
	}
	if len(sound) == 0 {
		return nil, none
	}
	return sound, nil
}

// testedRuns leaves out, of several runs, those without the test that is compared, with a note.
func (o compareOrder) testedRuns(a *app, runs []*nbbnn.Run) ([]*nbbnn.Run, error) {
	if o.outside == "" {
		return evaluatedRuns(a, runs, o.evaluation)
	}
	tested, err := usable(a, runs, errNoneLeft("compare"), func(run *nbbnn.Run) error {
		_, err := nbbnn.CompareOutside([]*nbbnn.Run{run}, o.outside, o.evaluation)
		return err
	})
	if err != nil { // a record may have a test on a data set that isn't known here
		err = cmp.Or(commandline.Usage(dataset.Config{Name: o.outside}.CheckName()), onlyRunLacks(err))
	}
	return tested, err
}

// evaluatedRuns leaves out, of several runs, those that haven't all cells of the evaluation, with a
// note that says how to make them: one for all runs that have none of them.
func evaluatedRuns(a *app, runs []*nbbnn.Run, evaluation nbbnn.Evaluation) (sound []*nbbnn.Run, err error) {
	filled := evaluation.WithDefaults()
	if _, err := corrupt.SuiteByName(filled.Suite); err != nil {
		return nil, fmt.Errorf("nbbnn compare: this program doesn't register all corruptions of %s, "+
			"on which the runs were tested: compare them with the program that does", filled.Suite)
	}
	var untested, records []*nbbnn.Run
	for _, run := range runs {
		_, err := nbbnn.Compare([]*nbbnn.Run{run}, evaluation, "")
		unevaluated, isUnevaluated := errors.AsType[*nbbnn.UnevaluatedError](err)
		untrained, isUntrained := errors.AsType[*nbbnn.UntrainedError](err)
		switch {
		case err == nil:
			sound = append(sound, run)
		case len(runs) == 1:
			return nil, fmt.Errorf("%w%s", onlyRunLacks(err), evaluationsText(runs))
		case isUnevaluated && unevaluated.Missing == unevaluated.Total:
			untested = append(untested, run)
		case isUntrained && untrained.Recorded:
			records = append(records, run)
		default:
			leaveOutRun(a, run, err)
		}
	}
	flags := strings.Join(evaluationFlags(filled), " ")
	if len(untested) > 0 {
		leaveOut(a, fmt.Sprintf("%s without %s: `nbbnn evaluate %s %[2]s` tests them so%[4]s",
			quantity.Count(len(untested), "run"), flags, quoteAll(directoriesOf(untested)), evaluationsText(untested)))
	}
	if len(records) > 0 {
		leaveOut(a, fmt.Sprintf("%s without %s: records have no weights to test (%s)%s",
			quantity.Count(len(records), "run"), flags, quoteAll(directoriesOf(records)), evaluationsText(records)))
	}
	if len(sound) == 0 {
		return nil, errNoneLeft("compare")
	}
	return sound, nil
}

// evaluationsText names the flags of the evaluations that runs have; "" if there is none.
func evaluationsText(runs []*nbbnn.Run) string {
	evaluations, _, err := nbbnn.EvaluationsOf(runs)
	if err != nil || len(evaluations) == 0 {
		return ""
	}
	var texts []string
	for _, evaluation := range evaluations {
		texts = append(texts, strings.Join(evaluationFlags(evaluation), " "))
	}
	return "; the evaluations that are there: " + strings.Join(quantity.First(texts, 3), ", or ")
}

// leaveOutRun notes why a run isn't used, under the name that a person gave it.
func leaveOutRun(a *app, run *nbbnn.Run, err error) {
	leaveOut(a, runTitle(run.Directory())+": "+reason(err))
}

// leaveOut notes why a run isn't compared.
func leaveOut(a *app, reason string) {
	fmt.Fprintln(a.err, "note     left out: "+quantity.Printable(strings.TrimPrefix(reason, "nbbnn: ")))
}

// givenName returns the name that a person gave the run in a directory; "" without one.
func givenName(directory string) string {
	label, _ := readLabel(directory) // of a damaged one, listing the runs tells
	return label.Name
}

// runTitle returns the name that a person gave the run in a directory, or else that of the directory.
func runTitle(directory string) string { return cmp.Or(givenName(directory), filepath.Base(directory)) }

// isCalled reports whether the run in a directory has a name, or one that begins so.
func isCalled(directory, name string) bool {
	return strings.HasPrefix(filepath.Base(directory), name) || givenName(directory) == name
}
