package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/nearest"
)

// flagError turns an error of the flag parser into one that names the nearest flag or shows where help is.
func flagError(c *cobra.Command, err error) error {
	const unknown = "unknown flag: --"
	name, isUnknown := strings.CutPrefix(err.Error(), unknown)
	if !isUnknown {
		err = plainError(err)
		return asUsage(fmt.Errorf("%s: %w: `%s --help` shows an example", c.CommandPath(), err, c.CommandPath()))
	}
	var names []string
	c.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	hint := ""
	if near, ok := nearest.Name(name, names); ok {
		hint = fmt.Sprintf(" (did you mean --%s?)", near)
	}
	return asUsage(fmt.Errorf("%s: unknown flag --%s%s: `%s --help` lists all", c.CommandPath(), name, hint, c.CommandPath()))
}

// plainError says of a value that isn't the number which a flag wants what it isn't, without naming functions of Go.
func plainError(err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	flag := invalid.GetFlag()
	wanted := map[string]string{"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number", "bool": "true or false"}[flag.Value.Type()]
	if wanted == "" {
		wanted = "a " + flag.Value.Type()
	}
	if errors.Is(number, strconv.ErrRange) {
		wanted += " in the range of 64 bits"
	}
	return fmt.Errorf("--%s %q is not %s", flag.Name, invalid.GetValue(), wanted)
}
