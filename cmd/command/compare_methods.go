package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// nameMethods gives methods of one run the name that a person gave the run, and renames those that
// the order labels, as in "9f3c=ours".
func nameMethods(compared score.Comparison, places comparedPlaces, order compareOrder) error {
	labels, err := assign(compared, places, "label", "TEXT", "ours", order.labels)
	if err != nil {
		return err
	}
	for i, method := range compared.Methods {
		if len(method.Runs) == 1 {
			compared.Methods[i].Name = cmp.Or(givenName(places[method.Runs[0]]), method.Name)
		}
		compared.Methods[i].Name = cmp.Or(labels[i], compared.Methods[i].Name)
	}
	return checkNames(compared)
}

// checkNames refuses a name that two methods or ensembles have.
func checkNames(compared score.Comparison) error {
	if err := compared.CheckNames(); err != nil {
		return commandline.Usage(fmt.Errorf("nbbnn compare: --label: %s", strings.TrimPrefix(err.Error(), "score: ")))
	}
	return nil
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

// colourMethods gives the methods of runs a colour, as in "9f3c=#7b3fa0".
func colourMethods(compared score.Comparison, places comparedPlaces, colours []string) error {
	chosen, err := assign(compared, places, "colour", "#rrggbb", "#7b3fa0", colours)
	if err != nil {
		return err
	}
	for at, colour := range chosen {
		if err := viz.CheckColour(colour); err != nil {
			return fmt.Errorf("nbbnn compare: --colour: %s", strings.TrimPrefix(err.Error(), "viz: "))
		}
		compared.Methods[at].Colour = colour
	}
	return nil
}

// assign reads the values of a flag such as --label, which are RUN=TEXT, and returns the texts by
// the places of the methods that have the runs.
func assign(compared score.Comparison, places comparedPlaces, flag, kind, example string, values []string) (texts map[int]string, err error) {
	texts = map[int]string{}
	for _, value := range values {
		run, text, found := strings.Cut(value, "=")
		if !found || run == "" || text == "" {
			return nil, fmt.Errorf("nbbnn compare: --%s %q isn't RUN=%s: give such as --%[1]s 9f3c=%[4]s", flag, value, kind, example)
		}
		method, err := methodOf(compared, places, flag, filepath.Base(run))
		if err != nil {
			return nil, err
		}
		if before, double := texts[method]; double && before != text {
			return nil, fmt.Errorf("nbbnn compare: --%s %q and %q are of the same method, whose runs differ in their seed only: give one", flag, before, text)
		}
		texts[method] = text
	}
	return texts, nil
}

// methodOf finds the method of a run, for a flag, by its own name, that of the run or the beginning of
// that of the run's directory.
func methodOf(compared score.Comparison, places comparedPlaces, flag, run string) (int, error) {
	if at := slices.Index(compared.Names(), run); at >= 0 {
		return at, nil
	}
	var found []int
	for i, method := range compared.Methods {
		if slices.ContainsFunc(method.Runs, func(name string) bool { return isCalled(places[name], run) }) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("nbbnn compare: --%s names run %q, which isn't compared: give one of the runs", flag, run)
	case 1:
		return found[0], nil
	}
	return 0, fmt.Errorf("nbbnn compare: --%s %q is the beginning of runs of %d methods: give more of the name", flag, run, len(found))
}

// errNoneLeft says that of several runs none is left for a command; a note says of each why.
func errNoneLeft(command string) error {
	return fmt.Errorf("nbbnn %s: no run is left: the notes above say what each lacks", command)
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

// runs opens the runs that arguments name, or all, that are trained and fulfil --where.
func (o compareOrder) runs(a *app, arguments []string) (runs []*nbbnn.Run, err error) {
	if len(arguments) > 0 && len(o.where) == 0 {
		return trainedRuns(a, "compare", arguments)
	}
	list, err := listedRuns(a, arguments, o.where)
	for _, entry := range list {
		if entry.isTrained() {
			runs = append(runs, entry.run)
		}
	}
	if left := len(list) - len(runs); left > 0 {
		leaveOut(a, fmt.Sprintf("%d of %s, not trained to the end", left, quantity.Count(len(list), "run")))
	}
	if err == nil && len(runs) == 0 {
		err = errNoneLeft("compare")
	}
	return runs, err
}

// listedRuns lists the runs that arguments name, or all, that fulfil conditions.
func listedRuns(a *app, arguments, where []string) ([]listed, error) {
	conditions, err := parseConditions("compare", where)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	directories, err := nbbnn.Directories(a.runs)
	if len(arguments) > 0 {
		var runs []*nbbnn.Run
		if runs, err = trainedRuns(a, "compare", arguments); err != nil {
			return nil, err
		}
		directories = directoriesOf(runs)
	} else if err == nil && len(directories) == 0 {
		err = errors.New("no runs are there: name runs as in `nbbnn compare 9f3c 41ab`, or another folder")
	}
	if err != nil {
		return nil, commandline.Usage(fmt.Errorf("nbbnn compare: --runs %s: %w", a.runs, err))
	}
	list := readList(a, directories)
	if len(list) == 0 {
		return nil, errNoneLeft("compare")
	}
	if list, err = filterRuns(list, conditions); err != nil {
		return nil, commandline.Usage(err)
	}
	if len(list) == 0 {
		return nil, commandline.Usage(fmt.Errorf("nbbnn compare: no run fulfils --where %s: `nbbnn runs` shows their values", strings.Join(where, " and ")))
	}
	return list, nil
}

func directoriesOf(runs []*nbbnn.Run) (directories []string) {
	for _, run := range runs {
		directories = append(directories, run.Directory())
	}
	return directories
}

// trainedRuns opens the runs that arguments such as runs/* mean. Of several, it leaves out the
// folders that hold no run, damaged runs, those that aren't trained to the end, and runs that are
// given again, such as by their record, with a note.
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
		if err != nil && (holdsRun(argument) || strings.HasSuffix(argument, ".json")) {
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
		if slices.ContainsFunc(runs, func(other *nbbnn.Run) bool { return other.Hash() == run.Hash() }) {
			leaveOut(a, fmt.Sprintf("%s is run %s again", argument, run.Config().RunName()))
			continue
		}
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, errNoneLeft(command)
	}
	return runs, nil
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

// evaluatedRuns leaves out, of several runs, those that haven't all cells of the evaluation, with a
// note that says how to make them: one for all runs that have none of them.
func evaluatedRuns(a *app, runs []*nbbnn.Run, evaluation nbbnn.Evaluation) (sound []*nbbnn.Run, err error) {
	if suite := evaluation.WithDefaults().Suite; !isSuite(suite) {
		return nil, fmt.Errorf("nbbnn compare: this program doesn't register all corruptions of %s, "+
			"on which the runs were tested: compare them with the program that does",
			suite)
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
			return nil, errors.New(describe(err) + evaluationsText(runs))
		case isUnevaluated && unevaluated.Missing == unevaluated.Total:
			untested = append(untested, run)
		case isUntrained && untrained.Recorded:
			records = append(records, run)
		default:
			leaveOutRun(a, run, err)
		}
	}
	flags := strings.Join(evaluationFlags(evaluation.WithDefaults()), " ")
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

func isSuite(name string) bool {
	_, err := corrupt.SuiteByName(name)
	return err == nil
}

// leaveOutRun notes why a run isn't used, under the name that a person gave it.
func leaveOutRun(a *app, run *nbbnn.Run, err error) {
	reason := strings.TrimPrefix(describe(err), "nbbnn: ")
	if name := givenName(run.Directory()); name != "" {
		reason = name + ": " + reason
	}
	leaveOut(a, reason)
}

// leaveOut notes why a run isn't compared.
func leaveOut(a *app, reason string) {
	fmt.Fprintln(a.err, "note     left out: "+quantity.Printable(strings.TrimPrefix(reason, "nbbnn: ")))
}

// noRun says what a file or folder is that exists and holds no run; "" for everything else.
func noRun(path string) string {
	if info, err := os.Stat(path); err != nil || holdsRun(path) || !info.IsDir() && strings.HasSuffix(path, ".json") {
		return ""
	}
	return cmp.Or(ensembleText(path), path+" holds no run: it has no config.json")
}
