package command

import (
	"fmt"
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

// withEnsembles adds the ensembles that are wanted after their methods, and their directories to
// places. It notes which of them aren't evaluated.
func withEnsembles(
	a *app, compared score.Comparison, runs []*nbbnn.Run, order compareOrder, places comparedPlaces,
) (score.Comparison, error) {
	all, wanted := compared, order.wantedEnsembles(a, compared, runs)
	all.Methods = nil
	for i, method := range compared.Methods {
		all.Methods = append(all.Methods, method)
		for _, w := range wanted[i] {
			one := score.Comparison{Suite: compared.Suite, Methods: []score.Method{w.method}}
			with, _, err := nbbnn.WithEnsembles(filepath.Dir(w.directory), one, runs, order.evaluation)
			if err != nil {
				return all, err
			}
			if len(with.Methods) == 1 {
				w.leaveOut(a, order, runs, evaluationFlags(order.evaluation.WithDefaults()))
				continue
			}
			places[filepath.Base(w.directory)] = w.directory
			all.Methods = append(all.Methods, with.Methods[1])
		}
	}
	return all, checkNames(all)
}

// withOutsideEnsembles is withEnsembles for tests of images from outside.
func withOutsideEnsembles(a *app, methods score.OutsideMethods, runs []*nbbnn.Run, order compareOrder) (all score.OutsideMethods, err error) {
	wanted := order.wantedEnsembles(a, methods.Comparison(), runs)
	for i, method := range methods {
		all = append(all, method)
		for _, w := range wanted[i] {
			one := score.OutsideMethods{{Method: w.method, Detections: method.Detections}}
			with, missing, err := nbbnn.WithOutsideEnsembles(filepath.Dir(w.directory), one, runs, order.outside, order.evaluation)
			if err != nil {
				return all, err
			}
			if len(with) == 1 {
				flags := evaluationFlags(missing[0].Evaluation)
				flags[0] = "--outside " + quote(order.outside) // in place of a suite
				w.leaveOut(a, order, runs, flags)
				continue
			}
			all = append(all, with[1])
		}
	}
	return all, checkNames(all.Comparison())
}

func runsOf(method score.Method, runs []*nbbnn.Run) (own []*nbbnn.Run) {
	for _, run := range runs {
		if slices.Contains(method.Runs, filepath.Base(run.Directory())) {
			own = append(own, run)
		}
	}
	return own
}

// givenEnsemble is an ensemble whose directory a command line names.
type givenEnsemble struct {
	directory string
	members   []string // names of the runs
}

// withoutEnsembles takes the directories of ensembles out of the arguments of a comparison, each
// once, unless nothing else is given. A damaged one stays, to be left out with a note.
func withoutEnsembles(arguments []string) (rest []string, given []givenEnsemble) {
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
	if len(rest) == 0 {
		return arguments, nil
	}
	return rest, given
}

// wantedEnsemble is an ensemble that is compared if it has the test.
type wantedEnsemble struct {
	method    score.Method // of its members alone
	directory string
}

// wantedEnsembles lists the ensembles for each method: those whose directories are given and, with
// --ensembles, that of all runs in --runs or next to the runs. It notes which of those given can't be
// added.
func (o compareOrder) wantedEnsembles(a *app, compared score.Comparison, runs []*nbbnn.Run) [][]wantedEnsemble {
	wanted := make([][]wantedEnsemble, len(compared.Methods))
	for _, given := range o.given {
		at := slices.IndexFunc(compared.Methods, func(m score.Method) bool {
			return !slices.ContainsFunc(given.members, func(name string) bool { return !slices.Contains(m.Runs, name) })
		})
		if at < 0 {
			leaveOut(a, fmt.Sprintf("%s, an ensemble of %s: compare these runs, too, if they differ in their seed only", given.directory, strings.Join(given.members, ", ")))
			continue
		}
		wanted[at] = append(wanted[at], wantedEnsemble{partWith(compared.Methods[at], given.members), given.directory})
	}
	for i, method := range compared.Methods {
		has := slices.ContainsFunc(wanted[i], func(w wantedEnsemble) bool { return len(w.method.Runs) == len(method.Runs) })
		if o.ensembles && len(method.Runs) > 1 && !has {
			if directory := ensembleOf(a, runsOf(method, runs)); directory != "" {
				wanted[i] = append(wanted[i], wantedEnsemble{method, directory})
			}
		}
	}
	return wanted
}

// ensembleOf returns the directory of the ensemble of runs: next to them if it's there, else in
// --runs. It's "" for runs that make none.
func ensembleOf(a *app, runs []*nbbnn.Run) (directory string) {
	for _, folder := range []string{a.runs, filepath.Dir(runs[0].Directory())} {
		ensemble, err := nbbnn.OpenEnsemble(folder, runs...)
		if err != nil {
			return ""
		}
		if directory == "" || isEnsemble(ensemble.Directory()) {
			directory = ensemble.Directory()
		}
	}
	return directory
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

// leaveOut notes that the ensemble isn't tested, with the command that tests it, or that makes a
// member's weights if they aren't there. Of all runs of a folder nobody has asked for ensembles.
func (w wantedEnsemble) leaveOut(a *app, order compareOrder, runs []*nbbnn.Run, flags []string) {
	if order.all {
		return
	}
	folder := filepath.Dir(w.directory)
	var words []string
	for _, run := range runsOf(w.method, runs) {
		if directory := run.Directory(); run.Recorded() {
			leaveOut(a, fmt.Sprintf("the ensemble of %s: its record isn't in %s, and %s has no weights to test it with", w.method.Name, folder, directory))
			return
		}
		words = append(words, quote(run.Directory()))
	}
	leaveOut(a, fmt.Sprintf("the ensemble of %s: `nbbnn evaluate --ensemble %s %s --runs %s` tests it",
		w.method.Name, strings.Join(words, " "), strings.Join(flags, " "), quote(folder)))
}
