package command

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// compareSets compares the runs of each data set.
func (o compareOrder) compareSets(a *app, runs []*nbbnn.Run) error {
	names, sets := byDataSet(runs)
	if o.tests != nil && len(names) > 1 {
		return commandline.Usagef("nbbnn compare: --test takes runs of one data set, "+
			"these are of %s: choose some with --where data=%s", strings.Join(names, " and "),
			names[0])
	}
	folderOf := func(name string) string {
		if len(names) > 1 && o.out != "" {
			return filepath.Join(o.out, name)
		}
		return o.out
	}
	for _, name := range names {
		if err := checkReplaced(ours, "compare", folderOf(name), resultFiles...); err != nil {
			return err
		}
	}
	var folders []string // of the sets that were compared
	all, err := gather(a, len(names), func(i int) (string, []comparedMethod, error) {
		name := names[i]
		part := o.of(sets[name], runs)
		if part.out = folderOf(name); len(names) > 1 {
			part.data = name
		}
		methods, err := part.compareSet(a, sets[name])
		if err == nil {
			folders = append(folders, part.out)
		}
		return name, methods, err
	})
	if err != nil {
		return err
	}
	noteUnsound(a, runs...)
	if len(names) > 1 && o.out != "" {
		noteOthers(a, o.out, folders)
	}
	if a.json && o.tests == nil {
		return a.printJSON(all)
	}
	return nil
}

// gather compares parts, for example the data sets. Of several, parts without tests are left out
// with a note each, and parts without the baseline with one.
func gather(a *app, count int, compare func(i int) (name string, methods []comparedMethod,
	err error)) (all []comparedMethod, err error) {
	compared := false
	var lacking []string // the baseline
	for i := range count {
		name, methods, partError := compare(i)
		isLacking := errors.Is(partError, errNoBaseline)
		switch {
		case partError == nil:
			all, compared = append(all, methods...), true
			continue
		case count == 1 || !isLacking && !isUntested(partError):
			return nil, partError
		case isLacking:
			lacking = append(lacking, name)
		default:
			leaveOut(a, name+": "+strings.TrimPrefix(describe(partError), "nbbnn compare: "))
		}
		if isLacking || len(lacking) == 0 {
			err = partError
		}
	}
	if compared {
		err = nil
		if len(lacking) > 0 {
			leaveOut(a, quantity.List(lacking, mostNamed)+": no method there is the baseline")
		}
	}
	return all, err
}

// runs opens the trained runs that arguments name, or all in --runs, that fulfil --where.
func (o compareOrder) runs(a *app, arguments []string) ([]*nbbnn.Run, error) {
	conditions, err := parseConditions("compare", o.where)
	if err == nil && len(arguments) == 0 {
		if arguments, err = records.List(a.runs); err == nil && len(arguments) == 0 {
			err = fmt.Errorf("nbbnn compare: --runs %s: no runs: name runs as in "+
				"`nbbnn compare 9f3c 41ab`, or another folder", a.runs)
		}
	}
	if err != nil {
		return nil, commandline.Usage(err)
	}
	runs, err := trainedRuns(a, "compare", arguments)
	if err != nil || len(conditions) == 0 {
		return runs, err
	}
	list, err := filterRuns(readOpened(a, runs), conditions)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("nbbnn compare: no run fulfils --where %s: `nbbnn runs` shows values",
			strings.Join(o.where, " and "))
	}
	runs = nil
	for _, entry := range list {
		runs = append(runs, entry.run)
	}
	return runs, commandline.Usage(err)
}

// points returns the directories of the points of the manifests, each once. Points that aren't
// begun are left out with a note.
func (o compareOrder) points(a *app) (directories []string, err error) {
	var all []string
	for _, path := range o.manifests {
		manifest, err := sweep.Read(path)
		if err != nil {
			return nil, err
		}
		for i := range manifest.Points {
			if directory := filepath.Join(a.runs, manifest.RunName(i)); !slices.Contains(all,
				directory) {
				all = append(all, directory)
			}
		}
	}
	directories = slices.DeleteFunc(slices.Clone(all), func(directory string) bool {
		return !holdsRun(directory)
	})
	if left := len(all) - len(directories); left > 0 {
		leaveOut(a, fmt.Sprintf("%d of %s, not begun: `nbbnn sweep run --manifest %s --runs %s` "+
			"trains them", left, quantity.Count(len(all), "point"), quote(o.manifests[0]),
			quote(a.runs)))
	}
	if len(directories) == 0 {
		return nil, errNoneLeft("compare")
	}
	return directories, nil
}

// byDataSet groups runs by their data sets, whose names are in the order of the first runs.
func byDataSet(runs []*nbbnn.Run) (names []string, sets map[string][]*nbbnn.Run) {
	sets = map[string][]*nbbnn.Run{}
	for _, run := range runs {
		name := run.Config().Data.Name
		if sets[name] == nil {
			names = append(names, name)
		}
		sets[name] = append(sets[name], run)
	}
	return names, sets
}

// of returns the order for a part of all runs: without the labels, colours and ensembles of the
// others.
func (o compareOrder) of(part, all []*nbbnn.Run) compareOrder {
	has := func(runs []*nbbnn.Run, name string) bool {
		return slices.ContainsFunc(runs, func(run *nbbnn.Run) bool {
			return isCalled(run.Directory(), name)
		})
	}
	isOther := func(name string) bool { return has(all, name) && !has(part, name) }
	ofOther := func(value string) bool {
		run, _, _ := strings.Cut(value, "=")
		return isOther(filepath.Base(run))
	}
	o.labels = slices.DeleteFunc(slices.Clone(o.labels), ofOther)
	o.colours = slices.DeleteFunc(slices.Clone(o.colours), ofOther)
	o.given = slices.DeleteFunc(slices.Clone(o.given), func(g givenEnsemble) bool {
		return slices.ContainsFunc(g.members, isOther)
	})
	return o
}

// compareSet prints a comparison of the runs of one data set in the evaluation that is asked for,
// in the usual one or in each, or returns the methods for JSON.
func (o compareOrder) compareSet(a *app, runs []*nbbnn.Run) (methods []comparedMethod, err error) {
	suite := o.evaluation.Suite
	if o.clean = suite == score.Clean; o.clean {
		o.evaluation.Images = cmp.Or(o.evaluation.Images, usualCleanImages(runs))
		return o.compareRuns(a, runs)
	}
	if o.tests != nil {
		return nil, compareTests(a, o, runs)
	}
	if !o.each && o.evaluation != (nbbnn.Evaluation{Suite: suite}) {
		return o.compareRuns(a, runs)
	}
	evaluations, of, err := evaluationsWithRuns(runs)
	if err != nil {
		return nil, err
	}
	if o.each {
		return o.compareEach(a, runs, evaluations, of)
	}
	usual, err := usualEvaluation(runs, suite)
	if err != nil && suite == "" && slices.ContainsFunc(runs, isTested) {
		o.clean, o.evaluation.Images = true, usualCleanImages(runs)
		if able, _ := testable(runs, nbbnn.Evaluation{}.WithDefaults()); len(able) > 0 {
			a.note("these tests are only on clean images: "+
				"`nbbnn evaluate %s` tests corrupted ones, too", runArguments(able))
		}
		return o.compareRuns(a, runs)
	}
	if err != nil && suite == "" {
		return nil, err
	} else if err == nil {
		o.evaluation = usual
	}
	methods, err = o.compareRuns(a, runs)
	different := map[nbbnn.Evaluation]bool{}
	for _, e := range evaluations {
		e.First = 0 // seeds may have images of their own
		if suite == "" || e.Suite == suite {
			different[e] = true
		}
	}
	if err == nil && len(different) > 1 {
		a.note("the largest evaluation of the most runs is shown, of %d: "+
			"--evaluations shows all, --suite, --samples and --images choose", len(different))
	}
	return methods, err
}

// compareEach compares the runs that have each of several evaluations.
func (o compareOrder) compareEach(
	a *app, runs []*nbbnn.Run, evaluations []nbbnn.Evaluation, of map[nbbnn.Evaluation][]*nbbnn.Run,
) ([]comparedMethod, error) {
	if len(evaluations) == 0 {
		return nil, errNoneLeft("compare")
	}
	return gather(a, len(evaluations), func(i int) (string, []comparedMethod, error) {
		evaluation := evaluations[i]
		part := o.of(of[evaluation], runs)
		part.evaluation = evaluation
		methods, err := part.compareRuns(a, of[evaluation])
		return strings.Join(evaluationFlags(evaluation), " "), methods, err
	})
}
