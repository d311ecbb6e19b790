package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/nbbnn/sweep"
	"github.com/nbbnn/workbench/paper"
)

// flagValues lists the values of each flag that takes a name and sets no field of a configuration,
// which knows its own. All commands share them.
var flagValues = map[string]func() []string{
	"preset":      presetNames,
	"data":        dataSetNames,
	"suite":       corrupt.SuiteNames,
	"corruptions": func() []string { return slices.Concat(corrupt.Names(), corrupt.Registered()) },
	"as":          corrupt.SuiteNames,
	"sort":        runOrderNames,
	"metrics":     metricNames,
	"engine":      sweep.Engines,
	"scale":       names(paper.Scales()...),
	"corrupted":   dataset.SourceNames,
	"part":        names(nbbnn.CleanPart, nbbnn.ValidationPart, nbbnn.CleanLabels, nbbnn.NoisyLabels),
	"latents":     names(nbbnn.OneLatents, nbbnn.MeanLatents),
	"layout":      names(network.WorkbenchLayout, network.ReferenceLayout),
	"table":       func() []string { return []string{"cifar", "tiny", "imagenet"} },
	"format":      func() []string { return []string{"png", "pdf", "svg"} },
	"textures":    func() []string { return []string{"frost"} },
}

// valuesOf returns the values of a flag; known is false if it takes any.
func valuesOf(flag string) (values func() []string, known bool) {
	if values, known = flagValues[flag]; known {
		return values, true
	}
	for _, field := range nbbnn.Fields() {
		if words := field.Words(); field.Flag == flag && len(words) > 0 {
			return field.Words, true
		}
	}
	return nil, false
}

func names[Name ~string](all ...Name) func() []string {
	return func() []string {
		texts := make([]string, len(all))
		for i, name := range all {
			texts[i] = string(name)
		}
		return texts
	}
}

// completeCommands lets the shell complete the arguments and flags of a command and its
// subcommands: runs, data sets and the names that flags take.
func completeCommands(a *app, command *cobra.Command) error {
	switch _, argument, _ := strings.Cut(command.Use, " "); {
	case strings.HasPrefix(strings.TrimPrefix(argument, "["), "RUN"):
		command.ValidArgsFunction = completeRuns(a)
	case command.Name() == "figure":
		command.ValidArgsFunction = completeNames(figureNumbers)
	case argument == "NAME" || argument == "NAME..." || argument == "[NAME]":
		command.ValidArgsFunction = completeNames(dataset.SourceNames)
	}
	var err error
	command.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		values, known := valuesOf(flag.Name)
		if !known || err != nil {
			return
		}
		complete := completeNames(values)
		if flag.Value.Type() == "stringSlice" {
			complete = completeList(values)
		}
		err = command.RegisterFlagCompletionFunc(flag.Name, complete)
	})
	for _, sub := range command.Commands() {
		if err == nil {
			err = completeCommands(a, sub)
		}
	}
	return err
}

func completeNames(list func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return matching(list(), given, prefix), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeList returns a completion of lists such as "fog,snow" by names that they don't have yet.
func completeList(list func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		begin := strings.LastIndexByte(prefix, ',') + 1
		found := matching(list(), strings.Split(prefix[:begin], ","), prefix[begin:])
		for i, name := range found {
			found[i] = prefix[:begin] + name
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// completeRuns returns a completion by the names of the runs in the directory of runs; the
// description says what a run is. A prefix with a slash is a path, which the shell completes
// itself.
func completeRuns(a *app) cobra.CompletionFunc {
	return func(_ *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if strings.ContainsRune(prefix, filepath.Separator) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		directories, err := nbbnn.Directories(a.runs)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var runs, names []string
		for _, directory := range directories {
			runs = append(runs, filepath.Base(directory))
			if name := givenName(directory); name != "" {
				names = append(names, name)
			}
		}
		completions := matching(runs, given, prefix)
		for i, run := range completions {
			if opened, err := nbbnn.OpenDirectory(filepath.Join(a.runs, run)); err == nil {
				config := opened.Config()
				text := fmt.Sprintf("%s, gamma %g, seed %d", subjectOf(config), config.Objective.Gamma, config.Seed)
				completions[i] = cobra.CompletionWithDesc(run, text)
			}
		}
		return append(matching(names, given, prefix), completions...), cobra.ShellCompDirectiveNoFileComp
	}
}

// matching returns the names that begin with prefix and weren't given yet.
func matching(all, given []string, prefix string) (found []string) {
	taken := map[string]bool{}
	for _, name := range given {
		taken[name] = true
	}
	for _, name := range all {
		if strings.HasPrefix(name, prefix) && !taken[name] {
			found = append(found, name)
		}
	}
	return found
}

// dataSetNames lists the built-in data sets and those that the user has added.
func dataSetNames() []string {
	all := dataset.Names()
	added, err := dataset.Added("")
	if err != nil {
		return all
	}
	for _, manifest := range added {
		all = append(all, manifest.Name)
	}
	return all
}

func metricNames() (names []string) {
	for _, metric := range score.Metrics() {
		names = append(names, metric.Name)
	}
	return names
}

func figureNumbers() (numbers []string) {
	for _, figure := range paper.All() {
		numbers = append(numbers, fmt.Sprint(figure.Number))
	}
	for _, figure := range paper.Beyond() {
		numbers = append(numbers, figure.Key)
	}
	return numbers
}
