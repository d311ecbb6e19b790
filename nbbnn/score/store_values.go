package score

import (
	"path/filepath"
	"slices"
	"strings"
)

// EachValue calls visit with every metric of every cell that a directory keeps, as the files spell
// them: the columns of its evaluation, corruption and severity, its images, the metric's column and
// the value. It compares the files with their checksums, as OpenStore does, and reads no bins.
func EachValue(directory, owner string, visit func(evaluation []string, images, metric, value string) error) error {
	identity := len(identityColumns)
	rows, groups, err := cellTable.read(directory, owner)
	if err != nil {
		return err
	}
	metrics := cellColumns[identity+1:]
	for _, group := range groups {
		metrics = slices.Concat(metrics, group.columns)
	}
	images := map[string]string{} // by evaluation
	for _, row := range rows {
		evaluation := row.fields[:identity]
		images[strings.Join(evaluation, ",")] = row.fields[identity]
		for i, metric := range metrics {
			if value := row.fields[identity+1+i]; value != "" {
				if err := visit(evaluation, row.fields[identity], metric, value); err != nil {
					return err
				}
			}
		}
	}
	if rows, _, err = customTable.read(directory, owner); err != nil {
		return err
	}
	for _, row := range rows {
		evaluation := row.fields[:identity]
		if err := visit(evaluation, images[strings.Join(evaluation, ",")], row.fields[identity], row.fields[identity+1]); err != nil {
			return err
		}
	}
	return nil
}

// Unsealed lists the tables of a directory, such as "cells.csv", that have rows without a checksum,
// because an earlier version wrote them. It ignores tables that can't be read.
func Unsealed(directory string) (names []string) {
	for _, t := range []table{cellTable, binTable, customTable, outsideTable} {
		header, lines, err := readLines(filepath.Join(directory, t.name))
		last := len(header) - 1
		without := func(line []string) bool { // a line of another length is damaged
			return len(line) == len(header) && (header[last] != checksumColumn || line[last] == "")
		}
		if err == nil && len(header) > 0 && slices.ContainsFunc(lines, without) {
			names = append(names, t.name)
		}
	}
	return names
}
