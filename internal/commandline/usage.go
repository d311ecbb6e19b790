// Package commandline holds what the project's command lines have in common: errors of usage with
// their exit status, checks of arguments and names, and the version of the program.
package commandline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
)

// usageError marks an error of a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks err as an error of the command line; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// IsUsage reports whether err was marked by Usage.
func IsUsage(err error) bool {
	var usage usageError
	return errors.As(err, &usage)
}

// Subcommand refuses an unknown subcommand and offers the nearest known one.
func Subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, command := range c.Commands() {
		if command.IsAvailableCommand() {
			names = append(names, command.Name())
		}
	}
	return Usage(fmt.Errorf("%s: unknown command %q%s: the commands are %s",
		c.CommandPath(), args[0], nearest.Hint(args[0], names), strings.Join(names, ", ")))
}

// Arguments accepts exactly the named arguments, as in "figure NUMBER".
func Arguments(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		want := "no argument"
		if len(names) > 0 {
			want = strings.Join(names, " ")
		}
		return Usage(fmt.Errorf("%s: %s given, it takes %s: `%s --help` shows an example",
			c.CommandPath(), quantity.Count(len(args), "argument"), want, c.CommandPath()))
	}
}
