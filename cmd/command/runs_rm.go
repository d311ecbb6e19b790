package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
)

func runsRemoveCommand(a *app) *cobra.Command {
	var yes bool
	command := &cobra.Command{
		Use:   "rm RUN...",
		Short: "Remove runs or ensembles with all their results, after asking",
		Long: "Remove runs or ensembles with all their results, after asking. A run that is being trained or evaluated stays. The ensemble\n" +
			"of a run that is removed keeps its results, which no comparison shows without the run.",
		Example: "  nbbnn runs rm 9f3c wide-prior\n  nbbnn runs rm runs/ensemble-41ab77d0 9f3c --yes",
		RunE: func(_ *cobra.Command, args []string) error {
			directories, err := toRemove(a, args)
			if err != nil {
				return err
			}
			if !yes {
				if err := a.confirm(directories); err != nil {
					return err
				}
			}
			removed := 0
			for removed < len(directories) && err == nil {
				if err = a.remove(directories[removed]); err == nil {
					removed++
				}
			}
			return cmp.Or(a.printPaths("removed", directories[:removed]...), err)
		},
	}
	command.Flags().BoolVar(&yes, "yes", false, "don't ask")
	return command
}

// toRemove finds the directories that arguments name, and refuses all of them if one can't go.
func toRemove(a *app, arguments []string) (directories []string, err error) {
	for _, argument := range arguments {
		directory := argument
		if below := filepath.Join(a.runs, argument); !isEnsemble(directory) && isEnsemble(below) {
			directory = below
		}
		if !isEnsemble(directory) {
			run, err := findRun(a, argument)
			if err != nil {
				return nil, err
			}
			directory = run.Directory()
			if _, err := os.Stat(directory); err != nil {
				return nil, commandline.Usage(fmt.Errorf("nbbnn runs rm: %s is a record: remove its files, which begin like its card", argument))
			}
		}
		if !slices.Contains(directories, directory) {
			directories = append(directories, directory)
		}
	}
	for _, directory := range directories {
		if path := filepath.Join(directory, "lock"); files.Held(path) {
			return nil, inUse(directory, files.Holder(path))
		}
	}
	return directories, nil
}

// isEnsemble reports whether a directory holds the cells of an ensemble.
func isEnsemble(directory string) bool { return hasFile(directory, "ensemble.json") }

func inUse(directory, holder string) error {
	return fmt.Errorf("nbbnn runs rm: %s is being trained or evaluated by %s: stop that first; nothing is removed", directory, holder)
}

// confirm asks whether directories shall be removed. Without a terminal to answer on, it refuses.
func (a *app) confirm(directories []string) error {
	if a.in == nil {
		return commandline.Usage(fmt.Errorf("nbbnn runs rm: there is no terminal to ask on: pass --yes to remove %s", quantity.Count(len(directories), "run")))
	}
	for _, directory := range directories {
		label, err := readLabel(directory)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.err, strings.TrimSpace("remove   "+directory+"   "+label.Name))
	}
	fmt.Fprintf(a.err, "         all weights and results in them are lost. Remove? [y/N] ")
	answer, _ := bufio.NewReader(a.in).ReadString('\n')
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return errors.New("nbbnn runs rm: nothing is removed")
	}
	return nil
}

// remove removes a run, or a link to one, which stays.
func (a *app) remove(directory string) error {
	target, err := os.Readlink(directory)
	if err != nil {
		return removeRun(directory)
	}
	if err := os.Remove(directory); err != nil {
		return fmt.Errorf("nbbnn runs rm: %w: make its folder writable", err)
	}
	fmt.Fprintf(a.err, "note     %s was a link: the run stays in %s\n", directory, target)
	return nil
}

// removeRun removes a directory under its lock. It is renamed first, so that a killed command
// leaves no half of a run.
func removeRun(directory string) error {
	path := filepath.Join(directory, "lock")
	unlock, err := files.Lock(path)
	if errors.Is(err, files.ErrLocked) {
		return inUse(directory, files.Holder(path))
	}
	if err != nil {
		return fmt.Errorf("nbbnn runs rm: %s: %w", directory, err)
	}
	unlock = sync.OnceFunc(unlock)
	defer unlock()
	gone := filepath.Join(filepath.Dir(directory), ".removed-"+filepath.Base(directory))
	err = os.RemoveAll(gone) // what a killed command left
	if runtime.GOOS == "windows" {
		unlock() // a folder with an open file can't be renamed
	}
	if err == nil {
		err = os.Rename(directory, gone)
	}
	if err == nil {
		err = os.RemoveAll(gone)
	}
	if err != nil {
		return fmt.Errorf("nbbnn runs rm: %s can't be removed: %w: make its folder writable", directory, err)
	}
	return nil
}
