package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/paper"
)

// flagValues lists the values of each flag that takes a name, except fields of a configuration,
// which list theirs. All commands share them.
var flagValues = map[string]func() []string{
	"preset":      func() []string { return presets },
	"data":        dataSetNames,
	"outside":     dataSetNames,
	"suite":       corrupt.SuiteNames,
	"corruptions": corrupt.Names,
	"as":          corrupt.SuiteNames,
	"sort":        runOrderNames,
	"metrics":     metricNames,
	"engine":      sweep.Engines,
	"scale":       fixed(paper.Scales...),
	"corrupted":   sources.Names,
	"part": fixed(nbbnn.CleanPart, nbbnn.ValidationPart, nbbnn.CleanLabels,
		nbbnn.NoisyLabels),
	"latents": fixed(nbbnn.OneLatents, nbbnn.MeanLatents),
	"layout":  fixed(network.WorkbenchLayout, network.ReferenceLayout),
	"table":   fixed("cifar", "tiny", "imagenet"),
	"format":  fixed("png", "pdf", "svg"),
}

// valuesOf returns the values of a flag; known is false if it takes any.
func valuesOf(flag string) (values func() []string, known bool) {
	if values, known = flagValues[flag]; known {
		return values, true
	}
	for _, field := range configFields {
		if words := options.Words(field); field.Flag == flag && len(words) > 0 {
			return func() []string { return words }, true
		}
	}
	return nil, false
}

// fixed lists names that don't change.
func fixed[Name ~string](all ...Name) func() []string {
	return func() []string { return quantity.Words(all...) }
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
		command.ValidArgsFunction = completeNames(dataArguments[command.Name()])
	}
	var err error
	command.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		values, known := valuesOf(flag.Name)
		// which the network names
		isLayers := flag.Name == "latents" && flag.Annotations[groupAnnotation] != nil
		if !known || isLayers || err != nil {
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

// completeNames returns a completion by names that weren't given yet. The shell takes those that
// begin like the word.
func completeNames(list func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, given []string, _ string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		return without(list(), given), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeList returns a completion of lists ("fog,snow") by names that they don't have yet.
func completeList(list func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		begin := word[:strings.LastIndexByte(word, ',')+1]
		found := without(list(), strings.Split(begin, ","))
		for i, name := range found {
			found[i] = begin + name
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// without returns the names that weren't given.
func without(all, given []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(given, name)
	})
}

// completeRuns returns a completion by the runs in the directory of runs, with their descriptions,
// and by their names. A word with a slash is a path, which the shell completes itself.
func completeRuns(a *app) cobra.CompletionFunc {
	return func(_ *cobra.Command, given []string, word string) (found []cobra.Completion,
		_ cobra.ShellCompDirective) {
		if strings.ContainsRune(word, filepath.Separator) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		directories, err := records.List(a.runs)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		for _, directory := range directories {
			if name := givenName(directory); name != "" {
				found = append(found, name)
			}
			run := filepath.Base(directory)
			if opened, err := nbbnn.OpenDirectory(directory); err == nil &&
				strings.HasPrefix(run, word) && !slices.Contains(given, run) {
				config := opened.Config()
				text := fmt.Sprintf("%s, gamma %g, seed %d", subjectOf(config),
					config.Objective.Gamma, config.Seed)
				found = append(found, cobra.CompletionWithDesc(run, text))
			}
		}
		return without(found, given), cobra.ShellCompDirectiveNoFileComp
	}
}

// dataArguments lists the arguments of commands on data sets.
var dataArguments = map[string]func() []string{
	"get": sources.Names, "remove": addedNames, "verify": verifiable,
	"where": func() []string { return append(sources.Names(), addedNames()...) },
}

// dataSetNames lists the built-in and the added data sets.
func dataSetNames() []string { return append(dataset.Names(), addedNames()...) }

func addedNames() []string {
	added, _ := dataset.Added("") // a folder that can't be read has none
	return quantity.Texts(added, func(m dataset.Manifest) string { return m.Name })
}

// verifiable lists all data sets and files to download, by name.
func verifiable() []string {
	names := append(sources.Names(), dataSetNames()...)
	slices.Sort(names)
	return slices.Compact(names)
}

func metricNames() []string {
	return quantity.Texts(score.Metrics(), func(m score.Metric) string { return m.Name })
}

func figureNumbers() []string {
	theirs, ours := paper.Figures()
	return quantity.Texts(append(theirs, ours...), paper.Figure.Command)
}
