package command

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/nearest"
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
	command.AddCommand(watchCommand(a), runsNameCommand(a), runsRemoveCommand(a), runsRestoreCommand(a))
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
	field, err := findField(name)
	if err != nil {
		return nil, fmt.Errorf("nbbnn runs: unknown order %q%s: --sort takes %s or a key of config.json",
			name, nearest.Hint(name, slices.Concat(runOrderNames(), fieldPaths())), strings.Join(runOrderNames(), ", "))
	}
	return func(a, b listed) int { return compareTexts(field.text(&a), field.text(&b)) }, nil
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
