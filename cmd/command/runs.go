package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

func runsCommand(a *app) *cobra.Command {
	var order string
	var where []string
	command := &cobra.Command{
		Use:   "runs",
		Short: "List the runs: what they are, how far they are trained, and their test error",
		Long: `List the runs in the directory of --runs, by default the latest change first:
network, width, data, gamma and seed, how far they are trained, the error in the test on the most
clean images, and what else tells them apart, first what fewest have (--json has all that
differs). --where keeps those that fulfil all conditions, on keys of config.json (gamma, batch,
posterior.components, ...) or on run, name, state, epoch and error.`,
		Example: `  nbbnn runs --sort error
  nbbnn runs --where 'gamma>0' --where epoch=100
  nbbnn runs --runs results --json`,
		RunE: func(*cobra.Command, []string) error { return listRuns(a, order, where) },
	}
	command.Flags().StringVar(&order, "sort", "changed", "order of the runs: "+
		strings.Join(runOrderNames(), ", ")+" or a key of config.json")
	command.Flags().StringArrayVar(&where, "where", nil, "list only runs with a value, for "+
		"example 'gamma>0'; repeat it for more conditions")
	command.AddCommand(runsNameCommand(a), runsRemoveCommand(a))
	return command
}

// runOrderNames are orders of the list that people ask for: the latest change first, or by a field.
func runOrderNames() []string { return strings.Fields("changed error gamma network run") }

// runOrder returns the order that --sort names. What is unknown comes last.
func runOrder(name string) (func(a, b listed) int, error) {
	if name == "changed" {
		return func(a, b listed) int { return b.Changed.Compare(a.Changed) }, nil
	}
	field, err := findField(name)
	if err != nil {
		return nil, fmt.Errorf("nbbnn runs: unknown order %q%s: --sort takes %s or a key of "+
			"config.json",
			name,
			nearest.Hint(name, slices.Concat(runOrderNames(), quantity.Texts(runFields, pathOf))),
			strings.Join(runOrderNames(), ", "))
	}
	if field.path == "run" { // names with only digits are no numbers
		return func(a, b listed) int { return cmp.Compare(a.Run, b.Run) }, nil
	}
	return func(a, b listed) int {
		x, y := field.text(&a), field.text(&b)
		if x == "" || y == "" {
			return cmp.Compare(len(y), len(x))
		}
		return compareTexts(x, y)
	}, nil
}

// listRuns prints the runs that fulfil conditions in an order.
func listRuns(a *app, order string, where []string) error {
	compare, err := runOrder(order)
	conditions, wrong := parseConditions("runs", where)
	if err = cmp.Or(err, wrong); err != nil {
		return commandline.Usage(err)
	}
	directories, err := records.List(a.runs)
	if err != nil {
		return commandline.Usagef("nbbnn: --runs %s: %w", a.runs, err)
	}
	list := readList(a, directories, nbbnn.OpenDirectory)
	if len(list) > 0 {
		if list, err = filterRuns(list, conditions); err != nil {
			return commandline.Usage(err)
		}
	}
	slices.SortFunc(list, func(a, b listed) int {
		return cmp.Or(compare(a, b), cmp.Compare(a.Run, b.Run))
	})
	markDifferences(a, list)
	switch {
	case a.json:
		return a.printJSON(list)
	case len(list) > 0:
		return printRuns(a, list)
	case len(conditions) > 0:
		return a.print(list, "no run in %s fulfils %s\n", a.runs, strings.Join(where, " and "))
	}
	return a.print(list, "no runs in %s that can be listed: "+
		"`nbbnn train --preset allcnnc-shapes10` makes one, --runs says where to look\n", a.runs)
}

// printRuns prints a line for each run.
func printRuns(a *app, list []listed) error {
	header := []string{"run", "method", "network", "width", "data", "gamma", "seed", "state",
		"test error", "differs"}
	labelled := slices.ContainsFunc(list, func(l listed) bool { return l.Name != "" })
	if labelled {
		header = slices.Insert(header, 1, "name")
	}
	table := viz.Table{Header: header, Labels: len(header)}
	counts := countsDiffer(list)
	gamma, _ := findField("gamma")
	for _, l := range list {
		c := l.Config
		width := fmt.Sprint(c.Network.Width)
		if c.Network.Graph() != nil { // of a file
			width = "-"
		}
		row := []string{
			l.Run, c.Title(), c.Network.Name, width, c.Data.Name,
			cmp.Or(gamma.text(&l), "-"), fmt.Sprint(c.Seed), l.State, l.testError(counts),
			l.shownDifferences(list),
		}
		if labelled {
			row = slices.Insert(row, 1, l.Name)
		}
		table.Rows = append(table.Rows, row)
	}
	return a.printTable(table)
}

// countsDiffer reports whether the errors were measured on different numbers of images.
func countsDiffer(list []listed) bool {
	counts := map[int]bool{}
	for _, l := range list {
		counts[l.Images] = true
	}
	delete(counts, 0) // of runs without an error
	return len(counts) > 1
}

// testError returns "9.1%", or "9.1% of 500" with the number of images.
func (l listed) testError(withCount bool) string {
	switch {
	case l.TestError == nil:
		return "-"
	case withCount:
		return fmt.Sprintf("%.1f%% of %s", 100**l.TestError, quantity.Thousands(float64(l.Images)))
	}
	return fmt.Sprintf("%.1f%%", 100**l.TestError)
}

// shownFields have a column in the list of runs.
var shownFields = strings.Fields("method.name posterior.mode network.name network.width " +
	"data.name objective.gamma")

// markDifferences fills in the differences of each begun run from the others. Runs that haven't
// begun aren't compared.
func markDifferences(a *app, list []listed) {
	var begun []*listed
	var configs []nbbnn.Config
	for i := range list {
		if list[i].begun {
			begun, configs = append(begun, &list[i]), append(configs, list[i].Config)
		}
	}
	if left := len(list) - len(begun); left > 0 && len(begun) > 1 {
		a.note("left out of what differs: %d of %d runs, not begun", left, len(list))
	}
	uses := map[string]int{}
	for i, differences := range nbbnn.Differences(configs, shownFields...) {
		begun[i].Differs = slices.DeleteFunc(differences, func(part string) bool {
			return part == begun[i].Config.Title()
		})
		if source := begun[i].card.Engine; strings.HasPrefix(source, engine.ImportedFrom) {
			begun[i].Differs = append(begun[i].Differs, source)
		}
		for _, part := range begun[i].Differs {
			uses[part]++
		}
	}
	for _, l := range begun {
		slices.SortStableFunc(l.Differs, func(a, b string) int {
			return cmp.Compare(uses[a], uses[b])
		})
	}
}

// shownDifferences returns the run's first three differences, and as many more as distinguish it
// from every different run of a list.
func (l listed) shownDifferences(list []listed) string {
	count := min(3, len(l.Differs))
	alike := func(other listed) bool {
		return slices.Equal(other.Differs[:min(count, len(other.Differs))], l.Differs[:count]) &&
			!slices.Equal(other.Differs, l.Differs)
	}
	for count < len(l.Differs) && slices.ContainsFunc(list, alike) {
		count++
	}
	return strings.Join(l.Differs[:count], ", ")
}
