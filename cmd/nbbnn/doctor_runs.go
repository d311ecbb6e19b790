package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// diagnoseRuns looks for runs that can't be read: edited, renamed, half-written or of another version of the program. Those that
// can be are counted.
func diagnoseRuns(directory string) []finding {
	paths, err := filepath.Glob(filepath.Join(directory, "*", "config.json"))
	if err != nil || len(paths) == 0 {
		return nil // `nbbnn runs` says that there are none
	}
	var broken []finding
	for _, path := range paths {
		if err := readableRun(filepath.Dir(path)); err != nil {
			broken = append(broken, finding{Name: "run", Text: err.Error()})
		}
	}
	readable := finding{"runs", true, fmt.Sprintf("%d in %s", len(paths)-len(broken), directory)}
	return append([]finding{readable}, broken...)
}

// readableRun returns what is wrong with a run, its card included, which a run that is still trained doesn't have.
func readableRun(directory string) error {
	if _, err := readListed(directory); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(directory, "card.json")); err != nil {
		return nil
	}
	run, err := openRun(directory)
	if err == nil {
		_, err = run.Card()
	}
	return err
}
