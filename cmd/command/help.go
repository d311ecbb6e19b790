package command

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
)

// groupAnnotation is the annotation of a flag that names its group in help texts. A flag without it
// is always shown.
const groupAnnotation = "group"

type flagGroup struct{ title, sections string }

// flagGroups are the groups of a configuration's flags by the sections of config.json, in the order
// of help texts. The options of methods follow.
var flagGroups = []flagGroup{
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
	local := command.LocalFlags()
	local.SortFlags = !hasGroups(command)
	shown, more := command.Flags().Changed("help-all"), false
	sets := map[string]*pflag.FlagSet{} // by title, "" for flags of no group
	local.VisitAll(func(f *pflag.Flag) {
		title := strings.Join(f.Annotations[groupAnnotation], "")
		if title != "" && !shown && !slices.Contains(usualFlags, f.Name) {
			more = true
			return
		}
		if sets[title] == nil {
			sets[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
		}
		sets[title].AddFlag(f)
	})
	var text strings.Builder
	for _, title := range slices.SortedFunc(maps.Keys(sets), compareTitles) {
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

// compareTitles orders the titles of groups: no title first, those of flagGroups, then others.
func compareTitles(a, b string) int {
	place := func(title string) int {
		at := slices.IndexFunc(flagGroups, func(g flagGroup) bool { return g.title == title })
		if at < 0 && title != "" {
			return len(flagGroups)
		}
		return at
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}
