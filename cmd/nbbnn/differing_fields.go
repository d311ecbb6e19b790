package main

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn"
)

// shownFields have a column of their own in the list of runs.
var shownFields = []string{"network.name", "network.width", "data.name", "objective.gamma"}

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
		begun[i].Differs = differences
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
