package main

import (
	"fmt"
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
