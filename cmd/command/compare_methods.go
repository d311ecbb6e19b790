package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// nameMethods gives methods the name that a person gave their runs, if it distinguishes them, or
// the labels and colours of the order, as in "9f3c=ours". places are the directories of the runs.
func (o compareOrder) nameMethods(compared score.Comparison,
	places map[string]string) (score.Comparison, error) {
	labels, err := assign(compared, places, "label", "TEXT", "ours", o.labels)
	if err != nil {
		return compared, err
	}
	colours, err := assign(compared, places, "colour", "#rrggbb", "#7b3fa0", o.colours)
	if err != nil {
		return compared, err
	}
	given := quantity.Texts(compared.Methods, func(m score.Method) string {
		return methodName(m, places)
	})
	for i, method := range compared.Methods {
		if others := slices.Delete(slices.Clone(given), i, i+1); !slices.Contains(others,
			given[i]) {
			method.Name = cmp.Or(given[i], method.Name)
		}
		if colours[i] != "" {
			if err := check.Colour(colours[i]); err != nil {
				return compared, fmt.Errorf("nbbnn compare: --colour: %w", err)
			}
		}
		compared.Methods[i].Name, compared.Methods[i].Colour = cmp.Or(labels[i], method.Name),
			colours[i]
	}
	return compared, checkNames(compared)
}

// methodName returns the name that a person gave the run of a method or, with the seeds behind it
// as in "noisy-1" and "noisy-2", its runs; "" without one.
func methodName(m score.Method, places map[string]string) (name string) {
	if len(m.Runs) == 1 {
		return givenName(places[m.Runs[0]])
	}
	for i, run := range m.Runs {
		base, found := strings.CutSuffix(givenName(places[run]), fmt.Sprintf("-%d", m.Seeds[i]))
		if !found || i > 0 && base != name {
			return ""
		}
		name = base
	}
	return name
}

// join makes imported files with one label seeds of one method, and noises on them.
func (o compareOrder) join(runs []*nbbnn.Run) {
	for _, value := range o.labels {
		name, text, _ := strings.Cut(value, "=")
		for _, run := range runs {
			if isCalled(run.Directory(), filepath.Base(name)) {
				run.Join(text)
			}
		}
	}
}

// noteFiles notes how imported files become seeds of one method.
func noteFiles(a *app, methods []score.Method, places map[string]string) {
	first := map[nbbnn.Config]score.Method{} // by the settings without the file
	for _, m := range methods {
		settings := m.Settings.(nbbnn.Config)
		if settings.Imported == "" || len(m.Runs) > 1 {
			continue
		}
		settings.Imported = ""
		other, found := first[settings]
		if found && other.Origins[0].Weights != m.Origins[0].Weights {
			a.note("each imported file is a separate method: --label makes seeds of one of "+
				"those that belong together, as in --label %s=A --label %s=A, or --label "+
				"'NAME*=A' by the names of runs, if `nbbnn weights import` had a --seed for each",
				runTitle(places[other.Runs[0]]), runTitle(places[m.Runs[0]]))
			return
		}
		first[settings] = m
	}
}

// noteEngines notes if runs of one seed were trained on different engines. Imported weights were
// trained elsewhere.
func noteEngines(a *app, runs []*nbbnn.Run) {
	seeds := engine.Seeds{}
	for _, run := range runs {
		if run.Config().Imported != "" {
			continue
		}
		card, _ := run.Card() // it has been read
		if pair := seeds.Add(run.Config().Seed, titleOf(run),
			engine.Trained(card.Engine)); pair != "" {
			a.note("differences within seeds pair two engines: %s", pair)
			return
		}
	}
}

// noteImages notes each seed's part of the training images, if they differ.
func noteImages(a *app, runs []*nbbnn.Run) {
	ends := map[int]int{} // of the parts, by their beginnings
	for _, run := range runs {
		data := run.Config().Data
		ends[data.First] = max(ends[data.First], data.First+data.Images().Size().Train)
	}
	if len(ends) < 2 {
		return
	}
	places, overlap := slices.Sorted(maps.Keys(ends)), "none twice"
	for i, place := range places[1:] {
		if ends[places[i]] > place {
			overlap = "some in several parts"
		}
	}
	a.note("the seeds have different training images, from place %s on, %s",
		quantity.List(quantity.Texts(places, strconv.Itoa), 8), overlap)
}

// checkNames refuses a name that two methods or ensembles have.
func checkNames(compared score.Comparison) error {
	if err := compared.Check(); err != nil {
		return commandline.Usagef("nbbnn compare: --label: %s",
			strings.TrimPrefix(err.Error(), "score: "))
	}
	return nil
}

// assign reads the values of a flag, RUN=TEXT as of --label, and returns the texts by the places of
// the methods that RUN names: by name, by a run's name, in which * is any text, or by the beginning
// of a run's directory.
func assign(compared score.Comparison, places map[string]string, flag, kind, example string,
	values []string) (texts map[int]string, err error) {
	texts = map[int]string{}
	for _, value := range values {
		run, text, _ := strings.Cut(value, "=")
		if run == "" || text == "" {
			return nil, fmt.Errorf("nbbnn compare: --%s %q: want RUN=%s, for example --%[1]s "+
				"9f3c=%[4]s", flag, value, kind, example)
		}
		run = filepath.Base(run)
		var found []int
		for i, method := range compared.Methods {
			if slices.ContainsFunc(method.Runs, func(name string) bool {
				return isCalled(places[name], run)
			}) {
				found = append(found, i)
			}
		}
		if called, err := compared.Method(run); err == nil &&
			(len(found) == 0 || called.Name == run) {
			found = []int{slices.Index(compared.Names(), called.Name)}
		}
		switch {
		case len(found) == 0:
			return nil, fmt.Errorf("nbbnn compare: --%s names run %q, which isn't compared: give "+
				"one of the runs, or of records, which have no names, the beginning of its hash",
				flag, run)
		case len(found) > 1 && !strings.ContainsAny(run, "*?["):
			return nil, fmt.Errorf("nbbnn compare: --%s %q is the beginning of runs of %d "+
				"methods: give more of the name", flag, run, len(found))
		}
		for _, at := range found {
			if before := texts[at]; before != "" && before != text {
				return nil, fmt.Errorf("nbbnn compare: --%s %q and %q are both for the method of "+
					"run %s: give one", flag, before, text,
					runTitle(places[compared.Methods[at].Runs[0]]))
			}
			texts[at] = text
		}
	}
	return texts, nil
}

// withEnsembles adds the given ensembles after their members' methods, and their directories to
// places. It notes the ones it can't add.
func (o compareOrder) withEnsembles(
	a *app, compared score.Comparison, runs []*nbbnn.Run, places map[string]string,
) (score.Comparison, error) {
	var notes []string // the last ensemble's first
	defer func() {
		for _, note := range slices.Backward(notes) {
			leaveOut(a, note)
		}
	}()
	for _, given := range slices.Backward(o.given) {
		at := slices.IndexFunc(compared.Methods, func(m score.Method) bool {
			return !slices.ContainsFunc(given.members, func(name string) bool {
				return !slices.Contains(m.Runs, name)
			})
		})
		if at < 0 {
			notes = append(notes, fmt.Sprintf("%s, an ensemble of %s: compare these runs, too, "+
				"if they differ in their seed only; imported files need one `--label`",
				given.directory, strings.Join(given.members, ", ")))
			continue
		}
		part := partWith(compared.Methods[at], given.members)
		members := slices.DeleteFunc(slices.Clone(runs), func(run *nbbnn.Run) bool {
			return !slices.Contains(part.Runs, nameOf(run))
		})
		ensemble, err := nbbnn.OpenEnsemble(filepath.Dir(given.directory), members...)
		if err != nil {
			return compared, err
		}
		method, lacking, err := o.tested(ensemble, part)
		if err != nil {
			return compared, err
		}
		if able, _ := testable(members, o.evaluation.WithDefaults()); lacking != nil &&
			len(able) < len(members) {
			notes = append(notes, given.directory+": it lacks this test, and its members have "+
				"other images, or no weights here")
			continue
		}
		if lacking != nil {
			notes = append(notes, fmt.Sprintf("%s: `nbbnn evaluate --ensemble %s %s --runs %s` "+
				"tests it", given.directory,
				quoteRuns(members), strings.Join(lacking, " "),
				quote(filepath.Dir(given.directory))))
			continue
		}
		places[method.Runs[0]] = ensemble.Directory()
		compared.Methods = slices.Insert(compared.Methods, at+1, method)
	}
	return compared, checkNames(compared)
}

// tested returns the ensemble of the runs of a method with its test, or the flags that make the
// test if it lacks that.
func (o compareOrder) tested(e *nbbnn.Ensemble, of score.Method) (method score.Method,
	lacking []string, err error) {
	cells, err := e.Cells(o.evaluation)
	if _, unevaluated := errors.AsType[*nbbnn.UnevaluatedError](err); unevaluated {
		return method, evaluationFlags(o.evaluation.WithDefaults()), nil
	}
	return of.Ensemble(cells, nameOf(e)), nil, err
}

// givenEnsemble is an ensemble that is compared if its members are.
type givenEnsemble struct {
	directory string
	members   []string // names of the runs
}

// ensemblesIn lists the ensembles in a folder, also as records.
func ensemblesIn(folder string) (directories []string) {
	entries, _ := os.ReadDir(folder) // what can't be read holds none
	for _, entry := range entries {
		directory, err := directoryOf(filepath.Join(folder, entry.Name()))
		if err == nil && isEnsemble(directory) && !strings.HasPrefix(entry.Name(), ".") &&
			!slices.Contains(directories, directory) {
			directories = append(directories, directory)
		}
	}
	return directories
}

// ensemblesAmong takes the directories of ensembles out of arguments, each once. A damaged one
// stays, to be left out with a note.
func ensemblesAmong(a *app, arguments []string) (rest []string, given []givenEnsemble) {
	for _, argument := range arguments {
		directory, err := findDirectory(a, argument)
		var members []string
		if err == nil && isEnsemble(directory) {
			members, err = records.Members(directory)
		}
		if err != nil || len(members) == 0 {
			rest = append(rest, argument)
			continue
		}
		same := func(other givenEnsemble) bool {
			return filepath.Base(other.directory) == filepath.Base(directory)
		}
		if !slices.ContainsFunc(given, same) {
			given = append(given, givenEnsemble{directory, memberNames(members)})
		}
	}
	return rest, given
}

// partWith returns a method with only some of its runs; unless they are all, the name lists their
// seeds.
func partWith(m score.Method, members []string) score.Method {
	if len(members) == len(m.Runs) {
		return m
	}
	places := make([]int, len(members))
	for i, name := range members {
		places[i] = slices.Index(m.Runs, name)
	}
	slices.Sort(places)
	m.Seeds, m.Runs, m.Origins = pick(m.Seeds, places), pick(m.Runs, places),
		pick(m.Origins, places)
	m.Cells, m.Costs = pick(m.Cells, places), pick(m.Costs, places)
	m.Name = fmt.Sprintf("%s of seeds %s", m.Name, quantity.Spaced(m.Seeds))
	return m
}

// pick returns the values at places; nil of none.
func pick[T any](all []T, places []int) (some []T) {
	for _, place := range places {
		if all != nil {
			some = append(some, all[place])
		}
	}
	return some
}
