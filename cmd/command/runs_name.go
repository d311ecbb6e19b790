package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
)

// runLabel holds a person's name for a run: label.json in its directory. It isn't part of the
// configuration, so naming a run keeps its hash.
type runLabel struct {
	Name string   `json:"name,omitempty"`
	Tags []string `json:"tags,omitempty"` // that earlier versions wrote
}

const labelFile = "label.json"

// namePattern matches valid names: words that neither a shell nor a path changes.
var namePattern = regexp.MustCompile(`^[\pL\pN_][\pL\pN_.+-]{0,63}$`)

// hashPattern matches what could be the beginning of a run's directory.
var hashPattern = regexp.MustCompile(`^[0-9a-f]{1,12}$`)

// labelOwner returns the owner of a label: its file in the directory of its run.
func labelOwner(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return filepath.Join(filepath.Base(filepath.Dir(path)), labelFile)
}

// readLabel reads the label of a run's directory; one without the file has none.
func readLabel(directory string) (label runLabel, err error) {
	path := filepath.Join(directory, labelFile)
	err = files.ReadSealed(path, labelOwner(path), &label)
	if errors.Is(err, fs.ErrNotExist) {
		return runLabel{}, nil
	}
	if err != nil {
		return label, fmt.Errorf("nbbnn: %s can't be read: %w: remove it, and name the run again",
			path, err)
	}
	return label, nil
}

// named returns the directories of runs that are called name.
func named(runs, name string) []string {
	all, _ := records.List(runs) // what can't be read has no names
	return slices.DeleteFunc(all, func(directory string) bool {
		return givenName(directory) != name
	})
}

// label names a run that has no other name.
func (a *app) label(directory, name string) error {
	if given := givenName(directory); name != "" && given != "" && given != name {
		return commandline.Usagef("nbbnn: run %s is here, and called %s: `nbbnn runs name %[2]s "+
			"%s` renames it", directory, given, name)
	}
	return a.relabel(directory, name)
}

// relabel gives the run of a directory, which it makes if needed, a name unless that is "". It
// writes without the lock, so that a run can be named while it's trained.
func (a *app) relabel(directory, name string) error {
	if name == "" {
		return nil
	}
	label, err := readLabel(directory)
	if err = cmp.Or(a.checkName(directory, name), err); err != nil {
		return err
	}
	before, path := label.Name, filepath.Join(directory, labelFile)
	label.Name = name
	if err = os.MkdirAll(directory, 0o755); err == nil {
		err = files.WriteSealed(path, labelOwner(path), label)
	}
	if err != nil {
		return fmt.Errorf("nbbnn: %s can't be named: %w: make the directory writable", directory,
			err)
	}
	if before != "" && before != name {
		a.note("the run was called %s, and is called %s now", before, name)
	}
	return nil
}

// checkName refuses a name that a run's directory can't have, unless it is "": also one that
// another run has, or that could be the beginning of a run's directory.
func (a *app) checkName(directory, name string) error {
	switch {
	case name == "":
		return nil
	case !namePattern.MatchString(name):
		return commandline.Usagef("nbbnn: %q can't be a name: give up to 64 letters, digits and "+
			"_ . + -, beginning with a letter or digit", name)
	case hashPattern.MatchString(name):
		return commandline.Usagef("nbbnn: the name %q could be the beginning of a "+
			"run's directory: give one with another letter than a to f", name)
	}
	return a.checkUnique(directory, name)
}

// checkUnique refuses a name that another run has, and one that would mean a run and, without or
// with a number behind it, the seeds of a method.
func (a *app) checkUnique(directory, name string) error {
	base, number := name, "none"
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		base, number = name[:at], strings.Trim(name[at+1:], "0123456789")
	}
	all, _ := records.List(a.runs) // what can't be read has no names
	for _, other := range all {
		switch given := givenName(other); {
		case filepath.Base(other) == filepath.Base(directory):
		case given == name:
			return commandline.Usagef("nbbnn: run %s is called %q already: choose "+
				"another name, or rename that run with `nbbnn runs name %[1]s NEW`", other, name)
		case number == "" && given == base:
			return commandline.Usagef("nbbnn: a run is called %q, so %q would be a seed of it: "+
				"choose another name, or rename that run with `nbbnn runs name %[1]s NEW`", base,
				name)
		case isNumbered(other, name):
			return commandline.Usagef("nbbnn: %q means %s and other seeds: choose another name",
				name, given)
		}
	}
	return nil
}

func runsNameCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "name RUN NAME",
		Short: "Give a run a name, by which every command finds it",
		Long: "Give a run a name, by which every command finds it. It's kept next to the " +
			"configuration and is no part of its hash.",
		Example: "  nbbnn runs name 9f3c wide-prior",
		RunE: func(_ *cobra.Command, args []string) error {
			return nameRun(a, args[0], args[1])
		},
	}
}

// nameRun names the run that an argument means.
func nameRun(a *app, argument, name string) error {
	run, err := findRun(a, argument)
	if err != nil {
		return err
	}
	if !isThere(run.Directory()) {
		return commandline.Usagef("nbbnn runs name: %s is a record, which has no name "+
			"of its own: rename its file before the last dot but one, or name a run", argument)
	}
	if err := a.relabel(run.Directory(), name); err != nil {
		return err
	}
	return a.print(map[string]string{"run": nameOf(run), "name": name}, "run      %s   %s\n",
		nameOf(run), name)
}
