package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
)

// findRuns opens the runs that arguments mean.
func (a *app) findRuns(arguments []string) ([]*nbbnn.Run, error) {
	runs := make([]*nbbnn.Run, len(arguments))
	for i, argument := range arguments {
		var err error
		if runs[i], err = a.findRun(argument); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// findRun opens the run that an argument means: a run's directory, or the beginning of its name in the directory of runs.
func (a *app) findRun(argument string) (*nbbnn.Run, error) {
	if argument == "" {
		return nil, asUsage(fmt.Errorf("nbbnn: no name of a run given: `nbbnn runs` lists what is in %s", a.runs))
	}
	if holdsRun(argument) {
		return openRun(argument)
	}
	directories, err := filepath.Glob(filepath.Join(a.runs, argument+"*"))
	if err != nil {
		return nil, asUsage(fmt.Errorf("nbbnn: %q is no name of a run: %w", argument, err))
	}
	var found []string
	for _, directory := range directories {
		if holdsRun(directory) {
			found = append(found, directory)
		}
	}
	switch len(found) {
	case 0:
		return nil, asUsage(fmt.Errorf("nbbnn: no run %q in %s: `nbbnn train` makes one, --runs says where to look", argument, a.runs))
	case 1:
		return openRun(found[0])
	default:
		return nil, asUsage(fmt.Errorf("nbbnn: %q is the beginning of %d runs: give more of the name (%s)", argument, len(found), strings.Join(found, ", ")))
	}
}

func holdsRun(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, "config.json"))
	return err == nil
}

// openRun opens a run's directory, which must have the name that its configuration gives it.
func openRun(directory string) (*nbbnn.Run, error) {
	config, err := nbbnn.ReadConfig(filepath.Join(directory, "config.json"))
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return nil, fmt.Errorf("nbbnn: %w", err)
	}
	if name := config.RunName(); filepath.Base(absolute) != name {
		return nil, fmt.Errorf("nbbnn: %s holds a run that is called %s: if the directory was renamed, give it that name again; if %s was edited, undo that, or train the new configuration as a run of its own (`nbbnn train --config FILE`)", directory, name, filepath.Join(directory, "config.json"))
	}
	return nbbnn.Open(filepath.Join(directory, ".."), config)
}
