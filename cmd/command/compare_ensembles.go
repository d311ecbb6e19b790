package command

import (
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
				w.leaveOut(a, runs, evaluationFlags(order.evaluation.WithDefaults()))
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
				flags := evaluationFlags(missing[0])
				flags[0] = "--outside " + quote(order.outside) // in place of a suite
				w.leaveOut(a, runs, flags)
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

// wantedEnsemble is an ensemble that is compared if it has the test.
type wantedEnsemble struct {
	method    score.Method // of its members alone
	directory string
}

// wantedEnsembles lists those of the given ensembles whose members are runs of each method. It notes
// which can't be added.
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
	return wanted
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

// leaveOut notes that the ensemble isn't tested, with the command that tests it.
func (w wantedEnsemble) leaveOut(a *app, runs []*nbbnn.Run, flags []string) {
	var words []string
	for _, run := range runsOf(w.method, runs) {
		words = append(words, quote(run.Directory()))
	}
	leaveOut(a, fmt.Sprintf("%s: `nbbnn evaluate --ensemble %s %s --runs %s` tests it",
		w.directory, strings.Join(words, " "), strings.Join(flags, " "), quote(filepath.Dir(w.directory))))
}
