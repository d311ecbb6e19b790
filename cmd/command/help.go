package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/fields"
)

// groupAnnotation is the annotation of a flag that names its group in help texts. A flag without it
// is always shown.
const groupAnnotation = "group"

// flagGroups maps sections of config.json to the titles of their groups of flags.
var flagGroups = map[string]string{
	"network": "Network", "data": "Data", "pixels": "Data", "posterior": "Posterior",
	"objective": "Posterior",
	"training":  "Training", "method": "Training", "seed": "Training",
}

// usualFlags are the flags of groups that --help shows; --help-all shows all.
var usualFlags = strings.Fields("preset config data network width method components init-std " +
	"gamma epochs batch learning-rate seed seeds name plan")

// groupOf names the group of a field's flag.
func groupOf(f fields.Field) string {
	if f.Keys[0] == "method" && len(f.Of) > 0 {
		return "Options of " + strings.Join(f.Of, " and ")
	}
	if title, known := flagGroups[f.Keys[0]]; known {
		return title
	}
	panic("cmd: no group of flags for " + f.Path())
}

func setGroup(f *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		f.Lookup(name).Annotations = map[string][]string{groupAnnotation: {title}}
	}
}

// showGroups makes the help of a command and its subcommands show the usual flags of groups, and
// adds --help-all if there are more.
func showGroups(root *cobra.Command) {
	cobra.AddTemplateFunc("groupedFlags", groupedFlags)
	const plain = ".LocalFlags.FlagUsages"
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), plain, "groupedFlags ."))
	for _, command := range allCommands(root) {
		if hasGroups(command) {
			command.Flags().BoolFunc("help-all", "help with all flags", func(string) error {
				return command.Flags().Set("help", "true")
			})
		}
	}
}

// allCommands lists a command and all below it.
func allCommands(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, sub := range root.Commands() {
		all = append(all, allCommands(sub)...)
	}
	return all
}

func hasGroups(command *cobra.Command) (has bool) {
	command.LocalFlags().VisitAll(func(f *pflag.Flag) {
		has = has || f.Annotations[groupAnnotation] != nil
	})
	return has
}

// groupedFlags describes the flags of a command: the ungrouped ones, then groups under their
// titles.
func groupedFlags(command *cobra.Command) string {
	local := command.LocalFlags()
	local.SortFlags = !hasGroups(command)
	all, more := command.Flags().Changed("help-all"), false
	titles, sets := []string{""}, map[string]*pflag.FlagSet{
		"": pflag.NewFlagSet("", pflag.ContinueOnError)}
	local.VisitAll(func(f *pflag.Flag) {
		title := strings.Join(f.Annotations[groupAnnotation], "")
		if title != "" && !all && !slices.Contains(usualFlags, f.Name) {
			more = true
			return
		}
		if sets[title] == nil {
			titles, sets[title] = append(titles, title),
				pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
		}
		sets[title].AddFlag(f)
	})
	var text strings.Builder
	for _, title := range titles {
		if title != "" {
			fmt.Fprintf(&text, "\n%s:\n", title)
		}
		text.WriteString(sets[title].FlagUsages())
	}
	if more {
		fmt.Fprintf(&text, "\n`%s --help-all` shows all flags.\n", command.CommandPath())
	}
	return text.String()
}
