package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// printRuns prints a line for each run.
func printRuns(a *app, list []listed) error {
	header := []string{"run", "method", "network", "width", "data", "gamma", "seed", "state", "test error", "differs"}
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
			l.Run, methodTitle(c), c.Network.Name, fmt.Sprint(c.Network.Width), c.Data.Name, fmt.Sprint(c.Objective.Gamma), fmt.Sprint(c.Seed), l.State, l.testError(counts), nbbnn.Name(l.Differs),
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

// methodTitle names the method of a filled configuration.
func methodTitle(c nbbnn.Config) string { return c.Method.Of(c.Settings()).Title() }

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

// shownFields have a column of their own in the list of runs.
var shownFields = []string{"method.name", "posterior.mode", "network.name", "network.width", "data.name", "objective.gamma"}

// markDifferences fills in, for each run that has begun, in what it differs from the others. Runs
// that haven't begun aren't compared.
func markDifferences(a *app, list []listed) {
	var begun []*listed
	var configs []nbbnn.Config
	for i := range list {
		if list[i].State != notBegun {
			begun, configs = append(begun, &list[i]), append(configs, list[i].Config)
		}
	}
	if left := len(list) - len(begun); left > 0 && len(begun) > 1 {
		fmt.Fprintf(a.err, "note     left out of what differs: %d of %d runs, not begun\n", left, len(list))
	}
	for i, differences := range nbbnn.Differences(configs, shownFields...) {
		begun[i].Differs = slices.DeleteFunc(differences, func(part string) bool { return part == methodTitle(begun[i].Config) })
	}
}

// configsOf returns the configurations of listed runs.
func configsOf(list []listed) []nbbnn.Config {
	configs := make([]nbbnn.Config, len(list))
	for i, l := range list {
		configs[i] = l.Config
	}
	return configs
}
