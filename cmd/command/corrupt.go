package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/commandline"
)

// suiteHelp describes the flag --suite of the commands that corrupt images.
const suiteHelp = `suite of corruptions, see "nbbnn corrupt suites", or a list such as fog,snow`

// addSuiteFlags makes --suite and --corruptions, which sets the same text.
func addSuiteFlags(f *pflag.FlagSet, suite *string, usual, help string) {
	f.StringVar(suite, "suite", usual, help)
	f.Var(&corruptionList{suite: suite}, "corruptions", "corruptions in place of a suite, separated by commas, such as fog,snow")
}

// corruptionList is the value of --corruptions: the names that were given so far.
type corruptionList struct {
	suite *string
	names []string
}

func (l *corruptionList) String() string { return strings.Join(l.names, ",") }

// Type makes the shell complete a list.
func (l *corruptionList) Type() string { return "stringSlice" }

func (l *corruptionList) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		l.names = append(l.names, strings.TrimSpace(name))
	}
	*l.suite = l.String()
	return nil
}

func corruptCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:     "corrupt",
		Short:   "List the corruptions and their suites, make corrupted sets, draw one image under each",
		Example: "  nbbnn corrupt list\n  nbbnn corrupt show holiday.jpg\n  nbbnn corrupt make --data cifar10 --out cifar10-c",
		Args:    commandline.Subcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the corruptions by their names in files and flags", Example: "  nbbnn corrupt list --json",
			Args: commandline.Arguments(), RunE: func(*cobra.Command, []string) error { return corruptList(a) },
		},
		&cobra.Command{
			Use: "suites", Short: "List the suites and the corruptions in each", Example: "  nbbnn corrupt suites",
			Args: commandline.Arguments(), RunE: func(*cobra.Command, []string) error { return corruptSuites(a) },
		},
		corruptMakeCommand(a), corruptShowCommand(a),
	)
	return command
}

func corruptList(a *app) error {
	names := slices.Concat(corrupt.Names(), corrupt.Registered())
	if a.json {
		return a.printJSON(names)
	}
	for _, name := range names {
		fmt.Fprintln(a.out, name)
	}
	return nil
}

func corruptSuites(a *app) error {
	suites := map[string][]string{}
	for _, name := range corrupt.SuiteNames() {
		suite, err := corrupt.SuiteByName(name)
		if err != nil {
			return err
		}
		suites[name] = suite.Corruptions
		if !a.json {
			fmt.Fprintf(a.out, "%-8s %s\n", name, strings.Join(suite.Corruptions, " "))
		}
	}
	if a.json {
		return a.printJSON(suites)
	}
	return nil
}
