package command

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn"
)

// findRuns opens the runs that arguments name.
func findRuns(a *app, arguments []string) ([]*nbbnn.Run, error) {
	runs := make([]*nbbnn.Run, len(arguments))
	for i, argument := range arguments {
		var err error
		if runs[i], err = findRun(a, argument); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// findRun opens the run that an argument names.
func findRun(a *app, argument string) (*nbbnn.Run, error) {
	directory, err := findDirectory(a, argument)
	if err != nil {
		return nil, err
	}
	if !holdsRun(directory) {
		return nil, commandline.Usagef("nbbnn: %s", ensembleText(directory))
	}
	return nbbnn.OpenDirectory(directory)
}

// findDirectory returns the directory of the run, or of the ensemble, that an argument names: the
// directory itself, its record, its label, the beginning of its directory's name in the directory
// of runs, or the directory of a record elsewhere.
func findDirectory(a *app, argument string) (string, error) {
	if argument == "" {
		return "", commandline.Usagef("nbbnn: no name of a run given: `nbbnn runs` "+
			"lists what is in %s", a.runs)
	}
	if directory, err := directoryOf(argument); err != nil {
		return "", commandline.Usage(err)
	} else if directory != argument { // a damaged one says so when it's read
		return directory, nil
	}
	isPlace := holdsRun(argument) || isEnsemble(argument)
	if isPlace && (isThere(argument) || filepath.Base(argument) != argument) {
		return argument, nil
	}
	found, err := meant(a.runs, argument)
	if err != nil {
		return "", err
	}
	if isPlace && len(found) == 0 {
		return argument, nil
	}
	if slices.ContainsFunc(found, holdsRun) {
		found = slices.DeleteFunc(found, func(directory string) bool {
			return !holdsRun(directory)
		})
	}
	switch len(found) {
	case 0:
		if info, err := os.Stat(argument); err == nil && !info.IsDir() {
			return "", commandline.Usagef("nbbnn: %s is a file, and no record of a run: name the "+
				"folder of a run", argument)
		} else if err == nil {
			return "", commandline.Usagef("nbbnn: %s holds no run: it has no config.json; name "+
				"what is in it, %s", argument, filepath.Join(argument, "*"))
		}
		all, _ := records.List(a.runs) // for a hint
		err = fmt.Errorf("nbbnn: no run %q in %s%s: `nbbnn runs` lists the existing ones, "+
			"`nbbnn train --preset allcnnc-shapes10` makes one, --runs says where to look",
			argument, a.runs, nearest.Hint(argument, quantity.Texts(all, runTitle)))
		for _, directory := range all {
			if _, damaged := readLabel(directory); damaged != nil { // it may be this one's
				err = fmt.Errorf("%w; %s", err, reason(damaged))
			}
		}
	case 1:
		return found[0], nil
	default:
		err = fmt.Errorf("nbbnn: %q is the beginning of %d runs: give more of the name (%s)",
			argument, len(found), quantity.List(quantity.Texts(found, runTitle), mostNamed))
	}
	return "", commandline.Usage(err)
}

// meant lists the directories that a name may mean in the directory of runs: of the run that a
// person has called so; otherwise of runs and ensembles whose directories' names begin so;
// otherwise of runs that --seeds has numbered after it.
func meant(runs, name string) ([]string, error) {
	if directories := named(runs, name); len(directories) == 1 {
		return directories, nil
	}
	all, err := records.List(runs)
	all = append(all, ensemblesIn(runs)...)
	found := slices.DeleteFunc(slices.Clone(all), func(directory string) bool {
		return !strings.HasPrefix(filepath.Base(directory), name)
	})
	if len(found) > 0 {
		return found, err
	}
	return slices.DeleteFunc(all, func(directory string) bool {
		return !isNumbered(directory, name)
	}), err
}

// isNumbered reports whether the run in a directory has a name with its seed behind it, as --seeds
// gives it.
func isNumbered(directory, name string) bool {
	given := givenName(directory)
	if !strings.HasPrefix(given, name+"-") {
		return false
	}
	run, err := nbbnn.OpenDirectory(directory)
	if err != nil { // damaged, which reading it tells
		return strings.Trim(given[len(name)+1:], "0123456789") == ""
	}
	return given == seedName(name, run.Config().Seed)
}

// seedName names the run of one of several seeds, "noisy-1".
func seedName(name string, seed uint64) string { return fmt.Sprintf("%s-%d", name, seed) }

// withSeeds lets a name that --seeds has numbered mean all its runs, and a pattern its paths, for
// shells that don't.
func withSeeds(a *app, arguments []string) (all []string) {
	for _, argument := range arguments {
		matches, _ := filepath.Glob(argument) // none of a bad pattern
		if isThere(argument) || len(matches) == 0 {
			matches = []string{argument}
		}
		for _, match := range matches {
			all = append(all, seedsOf(a, match)...)
		}
	}
	return all
}

// seedsOf returns the directories of the runs that a name means for its seeds, and others
// unchanged.
func seedsOf(a *app, argument string) []string {
	info, err := os.Stat(argument)
	if err == nil && (!info.IsDir() || holdsRun(argument)) {
		return []string{argument}
	}
	found, _ := meant(a.runs, argument) // an error is findRun's
	if len(found) < 2 || !isNumbered(found[0], argument) {
		return []string{argument}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(len(givenName(a))-len(givenName(b)), strings.Compare(givenName(a),
			givenName(b)))
	})
	return found
}

// directoryOf returns the directory of a run or an ensemble for the path of its record, and other
// arguments unchanged.
func directoryOf(argument string) (string, error) {
	if info, err := os.Stat(argument); err == nil && info.Mode().IsRegular() &&
		slices.Contains([]string{files.RecordEnding, ".json"}, filepath.Ext(argument)) {
		return records.Directory(argument)
	}
	return argument, nil
}

// holdsRun reports whether a directory has a run, or is that of a run's record. A report's folder
// has a card, too, but as a file and alone.
func holdsRun(directory string) bool {
	return hasFile(directory, "config.json") || hasFile(directory, "card.json") &&
		!isThere(filepath.Join(directory, "card.json"))
}

// isEnsemble reports whether a directory holds the cells of an ensemble.
func isEnsemble(directory string) bool { return hasFile(directory, "ensemble.json") }

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func hasFile(directory, name string) bool {
	_, err := files.Stat(records.Path(directory, name))
	return err == nil
}

// ensembleText describes an ensemble's directory and how to see its results.
func ensembleText(directory string) string {
	members, err := records.Members(directory)
	if err != nil {
		return strings.TrimPrefix(err.Error(), "nbbnn: ")
	}
	names, paths := memberNames(members), make([]string, len(members))
	for i, name := range names {
		paths[i] = filepath.Join(filepath.Dir(directory), name)
	}
	last := len(names) - 1
	return fmt.Sprintf("%s is an ensemble of the runs %s and %s, no run: what it scored is shown "+
		"by `nbbnn evaluate --ensemble %s --runs %s` with the flags that it was tested with",
		directory, strings.Join(names[:last], ", "), names[last], quoteAll(paths),
		quote(filepath.Dir(directory)))
}

// memberNames returns the names of the runs with the given hashes of configurations.
func memberNames(hashes []string) []string {
	length := len(nbbnn.Config{}.RunName()) // of every run's name
	return quantity.Texts(hashes, func(hash string) string { return hash[:min(len(hash), length)] })
}
