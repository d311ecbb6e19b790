package commandline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/nearest"
)

// FlagError rewrites an error of the flag parser: it names the nearest flag or says where help is.
func FlagError(c *cobra.Command, err error) error {
	if c.HasSubCommands() {
		if unknown := Subcommand(c, c.Flags().Args()); unknown != nil {
			return unknown // whose flags these would be
		}
	}
	const unknown = "unknown flag: --"
	name, isUnknown := strings.CutPrefix(err.Error(), unknown)
	if !isUnknown {
		err = plainError(err)
		return Usage(fmt.Errorf("%s: %w: `%s --help` shows an example", c.CommandPath(), err, c.CommandPath()))
	}
	var names []string
	c.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	hint := ""
	if near, ok := nearest.Name(name, names); ok {
		hint = fmt.Sprintf(" (did you mean --%s?)", near)
	}
	return Usage(fmt.Errorf("%s: unknown flag --%s%s: `%s --help` lists all", c.CommandPath(), name, hint, c.CommandPath()))
}

// plainError says which kind of value a flag takes, without naming functions of Go.
func plainError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag, value := invalid.GetFlag(), invalid.GetValue()
	wanted := map[string]string{
		"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number", "bool": "true or false",
	}[flag.Value.Type()]
	if wanted == "" {
		return err
	}
	_, whole := strconv.ParseInt(value, 0, 64)
	_, real := strconv.ParseFloat(value, 64)
	if errors.Is(errors.Join(whole, real), strconv.ErrRange) {
		wanted += " in the range of 64 bits"
	}
	return fmt.Errorf("--%s %q is not %s", flag.Name, value, wanted)
}
