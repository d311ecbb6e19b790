package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// comparedPlaces are the directories of what is compared, by the names of the runs and ensembles.
type comparedPlaces map[string]string

func placesOf(runs []*nbbnn.Run) comparedPlaces {
	places := comparedPlaces{}
	for _, run := range runs {
		places[filepath.Base(run.Directory())] = run.Directory()
	}
	return places
}

// withEnsembles adds the ensembles that are given after their methods, and their directories to
// places.
func (o compareOrder) withEnsembles(
	a *app, compared score.Comparison, runs []*nbbnn.Run, places comparedPlaces,
) (score.Comparison, error) {
	tested := func(e *nbbnn.Ensemble, part score.Method) (method score.Method, lacking []string, err error) {
		cells, err := e.Cells(o.evaluation)
		if _, unevaluated := errors.AsType[*nbbnn.UnevaluatedError](err); unevaluated {
			return method, evaluationFlags(o.evaluation.WithDefaults()), nil
		}
		places[filepath.Base(e.Directory())] = e.Directory()
		return part.Ensemble(cells, filepath.Base(e.Directory())), nil, err
	}
	further, err := ensemblesOf(a, o, compared.Methods, runs, tested)
	if err != nil {
		return compared, err
	}
	all := compared
	all.Methods = nil
	for i, method := range compared.Methods {
		all.Methods = append(append(all.Methods, method), further[i]...)
	}
	return all, checkNames(all)
}

// withOutsideEnsembles is withEnsembles for tests of images from outside.
func (o compareOrder) withOutsideEnsembles(
	a *app, methods score.OutsideMethods, runs []*nbbnn.Run,
) (all score.OutsideMethods, err error) {
	tested := func(e *nbbnn.Ensemble, part score.Method) (method score.OutsideMethod, lacking []string, err error) {
		test, evaluation, err := e.OutsideOfMembers(o.outside, o.evaluation)
		if test.Detections == nil {
			lacking = evaluationFlags(evaluation)
			lacking[0] = "--outside " + quote(o.outside) // in place of a suite
			return method, lacking, err
		}
		return score.OutsideMethod{Method: part}.Ensemble(test, filepath.Base(e.Directory())), nil, err
	}
	further, err := ensemblesOf(a, o, methods.Comparison().Methods, runs, tested)
	if err != nil {
		return nil, err
	}
	for i, method := range methods {
		all = append(append(all, method), further[i]...)
	}
	return all, checkNames(all.Comparison())
}

// ensemblesOf returns what a function makes of each given ensemble and of the runs of a method that
// are its members, by the place of the method. A function that lacks a test returns the flags that
// make it. What can't be added is noted.
func ensemblesOf[T any](
	a *app, order compareOrder, methods []score.Method, runs []*nbbnn.Run,
	tested func(*nbbnn.Ensemble, score.Method) (T, []string, error),
) ([][]T, error) {
	all := make([][]T, len(methods))
	for _, given := range order.given {
		at := slices.IndexFunc(methods, func(m score.Method) bool {
			return !slices.ContainsFunc(given.members, func(name string) bool { return !slices.Contains(m.Runs, name) })
		})
		if at < 0 {
			leaveOut(a, fmt.Sprintf("%s, an ensemble of %s: compare these runs, too, if they differ in their seed only", given.directory, strings.Join(given.members, ", ")))
			continue
		}
		part := partWith(methods[at], given.members)
		members := runsOf(part, runs)
		ensemble, err := nbbnn.OpenEnsemble(filepath.Dir(given.directory), members...)
		if err != nil {
			return nil, err
		}
		method, lacking, err := tested(ensemble, part)
		if err != nil {
			return nil, err
		}
		if lacking != nil {
			leaveOut(a, fmt.Sprintf("%s: `nbbnn evaluate --ensemble %s %s --runs %s` tests it", given.directory,
				quoteAll(directoriesOf(members)), strings.Join(lacking, " "), quote(filepath.Dir(given.directory))))
			continue
		}
		all[at] = append(all[at], method)
	}
	return all, nil
}

func runsOf(method score.Method, runs []*nbbnn.Run) (own []*nbbnn.Run) {
	for _, run := range runs {
		if slices.Contains(method.Runs, filepath.Base(run.Directory())) {
			own = append(own, run)
		}
	}
	return own
}

// givenEnsemble is an ensemble that is compared if its members are.
type givenEnsemble struct {
	directory string
	members   []string // names of the runs
}

// ensemblesIn lists the ensembles in a folder, and those that the records in it stand for.
func ensemblesIn(folder string) (directories []string) {
	entries, _ := os.ReadDir(folder) // what can't be read holds none
	for _, entry := range entries {
		directory, err := directoryOf(filepath.Join(folder, entry.Name()))
		if err == nil && isEnsemble(directory) && !strings.HasPrefix(entry.Name(), ".") && !slices.Contains(directories, directory) {
			directories = append(directories, directory)
		}
	}
	return directories
}

// ensemblesAmong takes the directories of ensembles out of arguments, each once. A damaged one stays,
// to be left out with a note.
func ensemblesAmong(arguments []string) (rest []string, given []givenEnsemble) {
	for _, argument := range arguments {
		directory, err := directoryOf(argument)
		var members []string
		if err == nil && isEnsemble(directory) {
			members, err = nbbnn.EnsembleMembers(directory)
		}
		if err != nil || len(members) == 0 {
			rest = append(rest, argument)
			continue
		}
		same := func(other givenEnsemble) bool { return filepath.Base(other.directory) == filepath.Base(directory) }
		if !slices.ContainsFunc(given, same) {
			given = append(given, givenEnsemble{directory, memberNames(members)})
		}
	}
	return rest, given
}

// partWith returns a method with some of its runs alone, under a name that says which if they
// aren't all.
func partWith(m score.Method, members []string) score.Method {
	if len(members) == len(m.Runs) {
		return m
	}
	part := score.Method{Title: m.Title, Colour: m.Colour, Settings: m.Settings}
	for i, name := range m.Runs {
		if !slices.Contains(members, name) {
			continue
		}
		part.Seeds, part.Runs = append(part.Seeds, m.Seeds[i]), append(part.Runs, name)
		if m.Cells != nil {
			part.Cells = append(part.Cells, m.Cells[i])
		}
		if m.Costs != nil {
			part.Costs = append(part.Costs, m.Costs[i])
		}
	}
	part.Name = fmt.Sprintf("%s of seeds %s", m.Name, strings.Trim(fmt.Sprint(part.Seeds), "[]"))
	return part
}
