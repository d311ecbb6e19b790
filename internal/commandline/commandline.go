// Package commandline holds the common parts of the project's command lines: errors of usage with
// their exit status, checks of arguments and names, and the version of the program.
package commandline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// Usagef is Usage of fmt.Errorf.
func Usagef(format string, values ...any) error {
	return usageError{fmt.Errorf(format, values...)}
}

// IsUsage reports whether err was marked by Usage.
func IsUsage(err error) bool {
	var usage usageError
	return errors.As(err, &usage)
}

// Prepare makes a command and its subcommands refuse arguments that their usage lines lack, name
// the nearest flag after a wrong one, and show their help if they only hold others. Cobra's own
// commands, help and completion, do so too.
func Prepare(root *cobra.Command, stdout, stderr io.Writer) {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = topic
		case "completion":
			c.Args = arguments
		}
	}
	prepare(root)
}

// topic accepts the words of a command.
func topic(c *cobra.Command, args []string) error {
	found, rest, err := c.Root().Find(args)
	if err != nil || !isGroup(found) {
		return err
	}
	return subcommand(found, rest)
}

func prepare(c *cobra.Command) {
	if c.Args == nil {
		c.Args = arguments
	}
	if c.Run == nil && c.RunE == nil {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	for _, below := range c.Commands() {
		prepare(below)
	}
}

// arguments accepts the arguments of the usage line: one NAME, one NAME... or more, and perhaps
// [NAME]. A command with others below it refuses a word that names none, and offers the nearest.
func arguments(c *cobra.Command, args []string) error {
	if isGroup(c) {
		return subcommand(c, args)
	}
	if place := slices.Index(args, ""); place >= 0 {
		return Usage(fmt.Errorf("%s: argument %d is empty: give %s%s", c.CommandPath(), place+1,
			strings.Join(strings.Fields(c.Use)[1:], " "), example(c)))
	}
	if err := c.ValidateRequiredFlags(); err != nil {
		missing := strings.NewReplacer(`required flag(s) "`, "--", `", "`, ", --", `" not set`,
			" is missing").Replace(err.Error())
		return Usage(fmt.Errorf("%s: %s%s", c.CommandPath(), missing, example(c)))
	}
	names := strings.Fields(c.Use)[1:]
	optional := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "[")
	})
	least, most := len(names), len(names)
	if optional >= 0 {
		least = optional
	}
	if strings.Contains(c.Use, "...") {
		most = max(most, len(args))
	}
	if least <= len(args) && len(args) <= most {
		return nil
	}
	return Usage(fmt.Errorf("%s: %.80s given, it takes %s%s", c.CommandPath(),
		cmp.Or(strings.Join(args, " "), "nothing"),
		cmp.Or(strings.Join(names, " "), "no argument"), example(c)))
}

// example returns the first example of a command, or where to find one.
func example(c *cobra.Command) string {
	first, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	if first == "" {
		return fmt.Sprintf(": `%s --help` shows an example", c.CommandPath())
	}
	return fmt.Sprintf(", as in `%s`", first)
}

// isGroup reports whether a command has subcommands and takes no arguments itself.
func isGroup(c *cobra.Command) bool { return c.HasSubCommands() && !strings.Contains(c.Use, " ") }

func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	hint := "" // a command of this name within another
	for _, command := range c.Commands() {
		if command.IsAvailableCommand() {
			names = append(names, command.Name())
			if found, _, err := command.Find(args[:1]); err == nil && found != command {
				hint = fmt.Sprintf(" (did you mean %q?)", command.Name()+" "+args[0])
			}
		}
	}
	if c.Flags().Lookup(args[0]) != nil {
		hint = fmt.Sprintf(" (did you mean --%s?)", args[0])
	}
	return Usage(fmt.Errorf("%s: unknown command %q%s: the commands are %s",
		c.CommandPath(), args[0], cmp.Or(hint, nearest.Hint(args[0], names)),
		strings.Join(names, ", ")))
}

// flagError rewrites an error of the flag parser: it names the nearest flag or the help.
func flagError(c *cobra.Command, err error) error {
	if isGroup(c) {
		if unknown := subcommand(c, c.Flags().Args()); unknown != nil {
			return unknown // whose flags these would be
		}
	}
	dashes := "--"
	name, isUnknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if _, word, isShort := strings.Cut(err.Error(), "' in -"); isShort { // -epochs=3
		dashes = "-"
		name, _, _ = strings.Cut(word, "=")
		isUnknown = true
		if name == "elp" { // -h was read before
			name = "help"
		}
	}
	if !isUnknown {
		return Usage(fmt.Errorf("%s: %s", c.CommandPath(), plainError(err, c.CommandPath())))
	}
	var names []string
	c.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	hint := ""
	if slices.Contains([]string{"gpu", "device", "cuda"}, name) {
		hint = " (no flag chooses: `nbbnn doctor` says what computes)"
	} else if near, ok := nearest.Name(name, names); ok {
		hint = fmt.Sprintf(" (did you mean --%s?)", near)
	}
	return Usage(fmt.Errorf("%s: unknown flag %s%s%s: `%s --help` lists all", c.CommandPath(),
		dashes, name, hint, c.CommandPath()))
}

// plainError describes the kind of value a flag takes, with an example, without naming Go
// functions.
func plainError(err error, command string) string {
	elsewhere := fmt.Sprintf("%v: `%s --help` shows an example", err, command)
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return elsewhere
	}
	flag, value := invalid.GetFlag(), invalid.GetValue()
	kind := flag.Value.Type()
	wanted := map[string]string{
		"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number",
		"bool": "true or false", "intSlice": "a list of whole numbers",
	}[kind]
	if wanted == "" {
		return fmt.Sprintf("--%s: %v", flag.Name, errors.Unwrap(invalid))
	}
	_, whole := strconv.ParseInt(value, 0, 64)
	_, real := strconv.ParseFloat(value, 64)
	if errors.Is(errors.Join(whole, real), strconv.ErrRange) {
		wanted += " in the range of 64 bits"
	}
	example := map[string]string{"float64": "0.5", "bool": "false", "intSlice": "0,3"}[kind]
	return fmt.Sprintf("--%s %q is not %s: give one, as in --%[1]s=%[4]s", flag.Name, value, wanted,
		cmp.Or(example, "3"))
}

// Exit statuses.
const (
	Done    = 0
	Failed  = 1
	Misused = 2
	Stopped = 75 // EX_TEMPFAIL: run the command again
)

// Run executes a tool's command line until it ends or is interrupted, and returns the exit status.
// An error is one line on stderr.
func Run(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, StopSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	Prepare(root, stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "error    "+quantity.PrintableLines(err.Error()))
	}
	switch {
	case err == nil:
		return Done
	case IsUsage(err):
		return Misused
	case errors.Is(err, context.Canceled):
		return Stopped
	default:
		return Failed
	}
}

// StopSignals returns the signals after which a command saves its work and ends: control-C, the
// request to terminate, and a closed terminal, unless nohup had that ignored.
func StopSignals() []os.Signal {
	all := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
