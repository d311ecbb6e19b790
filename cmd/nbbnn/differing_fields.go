package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// markDifferences fills in, for each run that has begun, the fields of config.json that aren't the
// same in all of them. Runs that haven't begun aren't compared.
func markDifferences(a *app, list []listed) {
	var begun []*listed
	for i := range list {
		if list[i].State != notBegun {
			begun = append(begun, &list[i])
		}
	}
	if left := len(list) - len(begun); left > 0 && len(begun) > 1 {
		fmt.Fprintf(a.err, "note     left out of what differs: %d of %d runs, not begun\n", left, len(list))
	}
	type field struct{ name, value string }
	runs := map[field]int{} // that have it
	fields := make([]map[string]string, len(begun))
	for i, entry := range begun {
		fields[i] = comparedFields(entry.Config)
		for name, value := range fields[i] {
			runs[field{name, value}]++
		}
	}
	for i, entry := range begun {
		for name, value := range fields[i] {
			if runs[field{name, value}] < len(begun) {
				entry.Differs = append(entry.Differs, name+" "+value)
			}
		}
		slices.SortFunc(entry.Differs, func(a, b string) int {
			return cmp.Or(cmp.Compare(sectionRank(a), sectionRank(b)), cmp.Compare(a, b))
		})
	}
}

// sectionRank orders the fields that differ by what tells runs apart best: the method first, and the
// counts and checksums of images last.
func sectionRank(field string) int {
	section, _, _ := strings.Cut(field, ".")
	switch section {
	case "method":
		return -1
	case "data":
		return 1
	}
	return 0
}

// comparedFields returns the fields of a filled configuration without those that have a column of
// their own.
func comparedFields(config nbbnn.Config) map[string]string {
	fields := config.Fields()
	for _, shown := range []string{"network.name", "network.width", "data.name", "objective.gamma"} {
		delete(fields, shown)
	}
	return fields
}

// differs returns the last column of a run's line, with the names of config.json.
func (l listed) differs() string {
	const most = 4
	parts := make([]string, 0, len(l.Differs))
	for _, difference := range l.Differs {
		section, name, sectioned := strings.Cut(difference, ".")
		if !sectioned {
			name = difference
		}
		if section == "method" {
			name = strings.Replace(name, "name ", "method ", 1)
		}
		name, value, _ := strings.Cut(name, " ")
		parts = append(parts, strings.ReplaceAll(name, "_", " ")+" "+quantity.Plain(value))
	}
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(parts)-most))
	}
	return strings.Join(parts, ", ")
}
