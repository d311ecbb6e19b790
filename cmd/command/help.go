package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
)

// groupAnnotation is the annotation of a flag that names its group in help texts. A flag without it
// is always shown.
const groupAnnotation = "group"

// flagGroups are the groups of a configuration's flags by the sections of config.json, in the order
// of help texts. The options of methods follow.
var flagGroups = []struct{ title, sections string }{
	{"Starting point", ""}, {"Data", "data pixels"}, {"Network", "network"}, {"Posterior", "posterior objective"},
	{"Training", "training method seed"}, {"Run", ""},
}

// usualFlags are the flags of groups that --help shows; --help-all shows all.
var usualFlags = strings.Fields("preset config data network width method components init-std gamma epochs batch learning-rate seed seeds name plan")

// groupOf names the group of a field's flag.
func groupOf(f nbbnn.Field) string {
	if f.Keys[0] == "method" && len(f.Of) > 0 {
		owners := make([]string, len(f.Of))
		for i, name := range f.Of {
			owners[i] = string(name)
		}
		return "Options of " + strings.Join(owners, " and ")
	}
	for _, group := range flagGroups {
		if slices.Contains(strings.Fields(group.sections), f.Keys[0]) {
			return group.title
		}
	}
	panic("cmd: no group of flags for " + f.Path())
}

func setGroup(f *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		f.Lookup(name).Annotations = map[string][]string{groupAnnotation: {title}}
	}
}

// helpAll is the value of --help-all, which asks for help with all flags.
type helpAll struct{ command *cobra.Command }

func (helpAll) String() string          { return "false" }
func (helpAll) Type() string            { return "bool" }
func (helpAll) IsBoolFlag() bool        { return true }
func (h helpAll) Set(text string) error { return h.command.Flags().Set("help", text) }

// showGroups makes the help of a command and its subcommands show the usual flags of groups, and
// adds --help-all where there are more.
func showGroups(root *cobra.Command) {
	cobra.AddTemplateFunc("groupedFlags", groupedFlags)
	const plain = ".LocalFlags.FlagUsages"
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), plain, "groupedFlags ."))
	for _, command := range allCommands(root) {
		if hasGroups(command) {
			flag := command.Flags().VarPF(helpAll{command}, "help-all", "", "help with all flags")
			flag.NoOptDefVal = "true"
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
	command.LocalFlags().VisitAll(func(f *pflag.Flag) { has = has || f.Annotations[groupAnnotation] != nil })
	return has
}

// groupedFlags describes the flags of a command, those of groups under their titles.
func groupedFlags(command *cobra.Command) string {
	const alone = ""
	titles, sets := []string{alone}, map[string]*pflag.FlagSet{}
	for _, group := range flagGroups {
		titles = append(titles, group.title)
	}
	shown := command.Flags().Changed("help-all")
	more := false
	add := func(f *pflag.Flag) {
		title := alone
		if group := f.Annotations[groupAnnotation]; group != nil {
			title = group[0]
			if !shown && !slices.Contains(usualFlags, f.Name) {
				more = true
				return
			}
		}
		if sets[title] == nil {
			sets[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
		}
		if !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
		sets[title].AddFlag(f)
	}
	local := command.LocalFlags()
	local.SortFlags = !hasGroups(command)
	local.VisitAll(add)
	var text strings.Builder
	for _, title := range titles {
		if sets[title] == nil {
			continue
		}
		if title != alone {
			fmt.Fprintf(&text, "\n%s:\n", title)
		}
		text.WriteString(sets[title].FlagUsages())
	}
	if more {
		fmt.Fprintf(&text, "\n`%s --help-all` shows all flags.\n", command.CommandPath())
	}
	return text.String()
}
