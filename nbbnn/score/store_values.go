package score

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// EachValue calls visit with every metric of every cell that a directory keeps, as the files spell
// them: the columns of its evaluation, corruption and severity, its images, the metric's column and
// the value. It compares the files with their checksums, as OpenStore does, before the first call,
// and reads no bins. It returns the names of the files that have rows without a checksum.
func EachValue(directory, owner string, visit func(evaluation []string, images, metric, value string) error) (unsealed []string, err error) {
	identity := len(identityColumns)
	rows, groups, err := cellTable.read(directory, owner)
	if err != nil {
		return nil, err
	}
	customRows, _, err := customTable.read(directory, owner)
	if err != nil {
		return nil, err
	}
	metrics := cellColumns[identity+1:]
	for _, group := range groups {
		metrics = slices.Concat(metrics, group.columns)
	}
	images := map[string]string{} // by evaluation
	for _, row := range rows {
		evaluation := row.fields[:identity]
		if len(customRows) > 0 {
			images[strings.Join(evaluation, ",")] = row.fields[identity]
		}
		for i, metric := range metrics {
			if value := row.fields[identity+1+i]; value != "" {
				if err := visit(evaluation, row.fields[identity], metric, value); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, row := range customRows {
		evaluation := row.fields[:identity]
		if err := visit(evaluation, images[strings.Join(evaluation, ",")], row.fields[identity], row.fields[identity+1]); err != nil {
			return nil, err
		}
	}
	isUnsealed := func(row *record) bool { return row.unsealed }
	if slices.ContainsFunc(rows, isUnsealed) {
		unsealed = append(unsealed, cellTable.name)
	}
	if slices.ContainsFunc(customRows, isUnsealed) {
		unsealed = append(unsealed, customTable.name)
	}
	return unsealed, nil
}

// Unsealed lists the tables of a directory, such as "cells.csv", that have rows without a checksum,
// because an earlier version wrote them or because it was removed. Given names of tables, it reads
// these only. It ignores tables that can't be read.
func Unsealed(directory string, names ...string) (unsealed []string) {
	for _, t := range []table{cellTable, binTable, customTable, outsideTable} {
		if len(names) > 0 && !slices.Contains(names, t.name) {
			continue
		}
		path := filepath.Join(directory, t.name)
		if hasAllChecksums(path) {
			continue
		}
		header, lines, err := readLines(path)
		last := len(header) - 1
		without := func(line []string) bool { // a line of another length is damaged
			return len(line) == len(header) && (header[last] != checksumColumn || line[last] == "")
		}
		if err == nil && len(header) > 0 && slices.ContainsFunc(lines, without) {
			unsealed = append(unsealed, t.name)
		}
	}
	return unsealed
}

// hasAllChecksums reports whether every row of a table ends with a checksum. It reads the file
// without taking its lines apart, and may be false for an unusual file.
func hasAllChecksums(path string) bool {
	data, err := os.ReadFile(path)
	header, _, _ := bytes.Cut(data, []byte("\n"))
	return err == nil && bytes.HasSuffix(header, []byte(","+checksumColumn)) && !bytes.Contains(data, []byte(",\n"))
}
