package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/viz"
)

func runsCommand(a *app) *cobra.Command {
	var order string
	var where []string
	command := &cobra.Command{
		Use:   "runs",
		Short: "List the runs: what they are, how far they are trained, and their test error",
		Long: "List the runs in the directory of --runs, by default the latest change first: network, width, data, gamma and seed, what else\n" +
			"differs between them, how far they are trained, and the error on the clean test images: of the latest evaluation, or of\n" +
			"the test after the training. --where keeps those that fulfil all conditions, on keys of config.json (gamma, batch,\n" +
			"posterior.components, ...) or on run, name, tag, state, epoch and error.",
		Example: "  nbbnn runs --sort error\n  nbbnn runs --where 'gamma>0' --where tag=paper\n  nbbnn runs --runs results --json",
		Args:    commandline.Subcommand,
		RunE:    func(*cobra.Command, []string) error { return listRuns(a, order, where) },
	}
	command.Flags().StringVar(&order, "sort", "changed", "order of the runs: "+strings.Join(runOrderNames(), ", ")+" or a key of config.json")
	command.Flags().StringArrayVar(&where, "where", nil, "list only runs with a value, such as 'gamma>0'; repeat it for more conditions")
	command.AddCommand(runsNameCommand(a), runsRemoveCommand(a))
	return command
}

// runOrders are the orders of the list, by the names of --sort.
var runOrders = map[string]func(a, b listed) int{
	"changed": func(a, b listed) int { return b.Changed.Compare(a.Changed) }, // latest first
	"error":   func(a, b listed) int { return cmp.Compare(a.knownError(), b.knownError()) },
	"gamma":   func(a, b listed) int { return cmp.Compare(a.Config.Objective.Gamma, b.Config.Objective.Gamma) },
	"network": func(a, b listed) int { return cmp.Compare(a.Config.Network.Name, b.Config.Network.Name) },
	"run":     func(a, b listed) int { return 0 },
}

func runOrderNames() []string { return slices.Sorted(maps.Keys(runOrders)) }

// runOrder returns the order that --sort names: one of runOrders, or that of a field.
func runOrder(name string) (func(a, b listed) int, error) {
	if compare, known := runOrders[name]; known {
		return compare, nil
	}
	fields := listed{}.fields()
	if _, err := fieldValue(fields, name); err != nil {
		return nil, fmt.Errorf("nbbnn runs: unknown order %q%s: --sort takes %s or a key of config.json",
			name, nearest.Hint(name, slices.Concat(runOrderNames(), slices.Collect(maps.Keys(fields)))), strings.Join(runOrderNames(), ", "))
	}
	return func(a, b listed) int {
		x, _ := fieldValue(a.fields(), name) // the same fields in all runs
		y, _ := fieldValue(b.fields(), name)
		return compareTexts(x, y)
	}, nil
}

// knownError returns the test error, or more than any error before an evaluation.
func (l listed) knownError() float64 {
	if l.TestError == nil {
		return 2
	}
	return *l.TestError
}

// listed is a line of `nbbnn runs`.
type listed struct {
	Run       string       `json:"run"`            // the name of its directory
	Name      string       `json:"name,omitempty"` // that a person gave it
	Tags      []string     `json:"tags,omitempty"`
	State     string       `json:"state"` // such as "at epoch 7 of 40" or "being trained, at epoch 7 of 40"
	Epoch     int          `json:"epoch"` // trained so far
	Suite     string       `json:"suite,omitempty"`
	TestError *float64     `json:"test_error,omitempty"`  // on the clean test images, 0 to 1; nil before an evaluation
	Images    int          `json:"test_images,omitempty"` // of that error
	Changed   time.Time    `json:"changed"`
	Differs   []string     `json:"differs,omitempty"` // fields that aren't the same in all runs, except those with a column
	Config    nbbnn.Config `json:"config"`

	run *nbbnn.Run
}

// listRuns prints the runs that fulfil conditions in an order.
func listRuns(a *app, order string, where []string) error {
	compare, err := runOrder(order)
	if err != nil {
		return commandline.Usage(err)
	}
	conditions, err := parseConditions("runs", where)
	if err != nil {
		return commandline.Usage(err)
	}
	paths, err := inRuns(a.runs, "config.json")
	if err != nil {
		return commandline.Usage(fmt.Errorf("nbbnn: --runs %s: %w", a.runs, err))
	}
	list := readList(a, paths)
	if len(list) > 0 {
		if list, err = filterRuns(list, conditions); err != nil {
			return commandline.Usage(err)
		}
	}
	slices.SortFunc(list, func(a, b listed) int { return cmp.Or(compare(a, b), cmp.Compare(a.Run, b.Run)) })
	markDifferences(a, list)
	if a.json {
		return a.printJSON(list)
	}
	if len(list) == 0 && len(conditions) > 0 {
		fmt.Fprintf(a.out, "no run in %s fulfils %s\n", a.runs, strings.Join(where, " and "))
		return nil
	}
	if len(list) == 0 && len(paths) > 0 {
		fmt.Fprintf(a.out, "none of the runs in %s can be listed: the notes say why\n", a.runs)
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintf(a.out, "no runs in %s: `nbbnn train --preset allcnnc-shapes10` makes one, --runs says where to look\n", a.runs)
		return nil
	}
	return printRuns(a, list)
}

// readList reads the runs with the given configuration files. On standard error it reports each run
// that can't be read, and in a single line all runs of networks that this program doesn't define.
func readList(a *app, paths []string) []listed {
	list := []listed{}
	var undefined []string // the network of each run that is left out
	for _, path := range paths {
		entry, err := readListed(filepath.Dir(path))
		name := undefinedNetwork(path)
		switch {
		case err == nil:
			list = append(list, entry)
		case name == "":
			fmt.Fprintln(a.err, "note     "+err.Error())
		default:
			undefined = append(undefined, name)
		}
	}
	if count := len(undefined); count > 0 {
		slices.Sort(undefined)
		fmt.Fprintf(a.err, "note     left out: %s of networks that this program doesn't define (%s): open them in the program that does\n",
			quantity.Count(count, "run"), strings.Join(slices.Compact(undefined), ", "))
	}
	return list
}

// undefinedNetwork returns the name of the network in a configuration file if another program
// defines it: if it has a fingerprint and isn't built in. Otherwise it returns "".
func undefinedNetwork(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var config struct {
		Network struct{ Name, Fingerprint string }
	}
	if err := json.Unmarshal(data, &config); err != nil || config.Network.Fingerprint == "" {
		return ""
	}
	if slices.Contains(network.Names(), config.Network.Name) {
		return ""
	}
	return config.Network.Name
}

// notBegun is the state of a run without any training.
const notBegun = "not begun"

// readListed reads one run, but not its weights.
func readListed(directory string) (listed, error) {
	run, err := openRun(directory)
	if err != nil {
		return listed{}, err
	}
	entry := listed{run: run, Run: filepath.Base(run.Directory()), Config: run.Config(), Changed: changed(directory)}
	label, err := readLabel(directory)
	if err != nil {
		return listed{}, err
	}
	entry.Name, entry.Tags = label.Name, label.Tags
	held := run.Held() // check the lock first: once released, all files are final
	history, err := run.History()
	if err != nil {
		return listed{}, err
	}
	entry.Epoch = max(0, len(history)-1)
	switch {
	case run.Complete():
		return entry, entry.readCard(run)
	case held:
		entry.State = fmt.Sprintf("being trained, at epoch %d of %d", entry.Epoch, entry.Config.Training.Epochs)
	case len(history) > 0:
		entry.State = fmt.Sprintf("at epoch %d of %d", entry.Epoch, entry.Config.Training.Epochs)
	default:
		entry.State = notBegun
	}
	return entry, nil
}

// readCard fills in the state and the score of a complete run.
func (l *listed) readCard(run *nbbnn.Run) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	l.State, l.Epoch = "trained", l.Config.Training.Epochs
	if card.Evaluation != nil {
		l.State, l.Suite = "evaluated on "+card.Suite, card.Suite
		l.TestError = &card.Evaluation.Levels.Error[0]
		l.Images = cmp.Or(card.Evaluation.Images, card.Data.Test)
		return nil
	}
	test, found, err := run.CleanTest()
	if found {
		l.TestError, l.Images = &test.Error, test.Images
	}
	return err
}

// changed returns the time when a training or an evaluation last wrote to a run.
func changed(directory string) (latest time.Time) {
	for _, name := range []string{"config.json", "train.jsonl", "card.json", "cells.csv"} {
		if info, err := os.Stat(filepath.Join(directory, name)); err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest
}

// printRuns prints a line for each run.
func printRuns(a *app, list []listed) error {
	header := []string{"run", "network", "width", "data", "gamma", "seed", "state", "test error", "differs"}
	isLabelled := func(l listed) bool { return l.Name != "" || len(l.Tags) > 0 }
	labelled := slices.ContainsFunc(list, isLabelled)
	if labelled {
		header = slices.Insert(header, 1, "name")
	}
	table := viz.Table{Header: header, Labels: len(header)}
	counts := countsDiffer(list)
	for _, l := range list {
		c := l.Config
		row := []string{
			l.Run, c.Network.Name, fmt.Sprint(c.Network.Width), c.Data.Name, fmt.Sprint(c.Objective.Gamma), fmt.Sprint(c.Seed), l.State, l.testError(counts), l.differs(),
		}
		if labelled {
			row = slices.Insert(row, 1, strings.TrimSpace(l.Name+" "+bracketed(l.Tags)))
		}
		table.Rows = append(table.Rows, row)
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	return nil
}

// bracketed writes tags, such as "[paper, ablation]"; none are "".
func bracketed(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "[" + strings.Join(tags, ", ") + "]"
}

// countsDiffer reports whether the errors were measured on different numbers of images.
func countsDiffer(list []listed) bool {
	counts := map[int]bool{}
	for _, l := range list {
		if l.TestError != nil {
			counts[l.Images] = true
		}
	}
	return len(counts) > 1
}

// testError returns a text such as "9.1%", or "9.1% of 500" with the number of images.
func (l listed) testError(withCount bool) string {
	switch {
	case l.TestError == nil:
		return "-"
	case withCount:
		return fmt.Sprintf("%.1f%% of %s", 100**l.TestError, quantity.Thousands(float64(l.Images)))
	}
	return fmt.Sprintf("%.1f%%", 100**l.TestError)
}
