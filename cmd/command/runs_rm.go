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
		Long: `Remove runs or ensembles with all their results, after asking. A run that is being
trained or evaluated stays. The ensemble of a run that is removed keeps its results, which no
comparison shows without the run.`,
		Example: `  nbbnn runs rm 9f3c wide-prior
  nbbnn runs rm runs/ensemble-41ab77d0 9f3c --yes`,
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
			for i, directory := range directories {
				if err := a.remove(directory); err != nil {
					return cmp.Or(a.printPaths("removed", directories[:i]...), err)
				}
			}
			return a.printPaths("removed", directories...)
		},
	}
	command.Flags().BoolVar(&yes, "yes", false, "don't ask")
	return command
}

// toRemove finds the directories that arguments name, and refuses all of them if one can't go.
func toRemove(a *app, arguments []string) (directories []string, err error) {
	for _, argument := range arguments {
		directory, err := findDirectory(a, argument)
		if err == nil {
			err = checkRemovable(directory)
		}
		if err != nil {
			return nil, err
		}
		directory = filepath.Clean(directory) // a link with a slash at its end is no link
		directories = quantity.AddNew(directories, directory)
	}
	return directories, nil
}

// checkRemovable refuses a record, and a directory at which a process works.
func checkRemovable(directory string) error {
	if !isThere(directory) {
		return commandline.Usagef("nbbnn runs rm: %s is a record: remove its file, "+
			"whose name ends with it", directory)
	}
	if files.Held(lockOf(directory)) {
		return inUse(directory)
	}
	return nil
}

func lockOf(directory string) string { return filepath.Join(directory, "lock") }

func inUse(directory string) error {
	return fmt.Errorf("nbbnn runs rm: %s is being trained or evaluated by %s: stop that first",
		directory, files.Holder(lockOf(directory)))
}

// confirm asks whether directories shall be removed. Without a terminal to answer on, it refuses.
func (a *app) confirm(directories []string) error {
	if a.in == nil {
		return commandline.Usagef("nbbnn runs rm: there is no terminal to ask on: pass "+
			"--yes to remove %s", quantity.Count(len(directories), "run"))
	}
	for _, directory := range directories {
		fmt.Fprintln(a.err, strings.TrimSpace("remove   "+directory+"   "+givenName(directory)))
	}
	fmt.Fprintf(a.err, "         all that is in them is lost. Remove? [y/N] ")
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
	a.note("%s was a link: the run stays in %s", directory, target)
	return nil
}

// removeRun removes a directory under its lock. It is renamed first, so that a killed command
// leaves no half of a run.
func removeRun(directory string) error {
	unlock, err := files.Lock(lockOf(directory))
	if errors.Is(err, files.ErrLocked) {
		return inUse(directory)
	}
	if err != nil {
		return fmt.Errorf("nbbnn runs rm: %s: %w", directory, err)
	}
	unlock = sync.OnceFunc(unlock)
	defer unlock()
	gone := filepath.Join(filepath.Dir(directory), ".removed-"+filepath.Base(directory))
	err = os.RemoveAll(gone) // left by a killed command
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
		return fmt.Errorf("nbbnn runs rm: %s can't be removed: %w: make its folder writable",
			directory, err)
	}
	return nil
}
