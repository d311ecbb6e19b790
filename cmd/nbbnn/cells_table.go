package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// usualFields are the fields of a configuration that every table of cells has.
var usualFields = []string{
	"network.name", "network.width", "data.name", "posterior.components", "objective.gamma", "method.name", "training.epochs", "seed",
}

// cellsTable writes the tidy table of cells. Thousands of runs have millions of values, so it puts
// each line together from parts that are made once a run or once a cell.
type cellsTable struct {
	out     *bufio.Writer
	columns []configField
	metrics []string // that are written; none means all
	start   []byte   // of the lines of a run
	count   int      // of values
	failure error    // of writing

	cell   []string // its evaluation and its images; nil before the first of a run
	line   []byte   // of the cell
	common int      // bytes of line up to the metric
}

// writeCells writes the table and returns its number of values. Of several runs, it leaves out those
// whose cells can't be read, with a note, and returns the others.
func writeCells(a *app, w io.Writer, list []listed, metrics []string) (count int, written []listed, err error) {
	t := &cellsTable{out: bufio.NewWriterSize(w, 1<<18), columns: cellFields(list), metrics: metrics}
	header := []string{"run", "name"}
	for _, field := range t.columns {
		header = append(header, field.path)
	}
	header = append(header, "suite", "samples", "subset", "evaluation_seed", "corruption", "severity", "images", "metric", "value")
	if _, err := t.out.Write(append(appendFields(nil, header...), '\n')); err != nil {
		return 0, nil, err
	}
	for i := range list {
		t.begin(&list[i])
		err := list[i].run.EachValue(t.add)
		if err != nil && (t.failure != nil || len(list) == 1) {
			return t.count, nil, fmt.Errorf("nbbnn cells: %w", err)
		}
		if err != nil {
			leaveOut(a, list[i].Run+": "+strings.TrimPrefix(describe(err), "score: "))
			continue
		}
		written = append(written, list[i])
	}
	if len(written) == 0 && len(list) > 0 {
		return 0, nil, errNoneLeft("cells")
	}
	return t.count, written, t.out.Flush()
}

// begin makes the start of a run's lines: its name and its configuration.
func (t *cellsTable) begin(entry *listed) {
	t.cell, t.start = nil, appendFields(t.start[:0], entry.Run, entry.Name)
	for _, field := range t.columns {
		t.start = appendFields(append(t.start, ','), field.text(entry))
	}
}

// add writes a value.
func (t *cellsTable) add(evaluation []string, images, metric, value string) error {
	if len(t.metrics) > 0 && !slices.Contains(t.metrics, metric) {
		return nil
	}
	if last := len(t.cell) - 1; last < 0 || t.cell[last] != images || !slices.Equal(t.cell[:last], evaluation) {
		t.cell = append(append(t.cell[:0], evaluation...), images)
		t.line = append(appendFields(append(append(t.line[:0], t.start...), ','), t.cell...), ',')
		t.common = len(t.line)
	}
	t.count++
	t.line = append(appendFields(t.line[:t.common], metric, value), '\n')
	_, t.failure = t.out.Write(t.line)
	return t.failure
}

// appendFields appends fields of CSV with commas between them.
func appendFields(line []byte, fields ...string) []byte {
	for i, field := range fields {
		if i > 0 {
			line = append(line, ',')
		}
		if isPlain(field) {
			line = append(line, field...)
			continue
		}
		line = append(line, `"`+strings.ReplaceAll(field, `"`, `""`)+`"`...)
	}
	return line
}

// isPlain reports whether a field of CSV needs no quotes.
func isPlain(field string) bool {
	for i := range len(field) {
		if c := field[i]; c == ',' || c == '"' || c == '\n' || c == '\r' {
			return false
		}
	}
	return strings.TrimLeft(field, " \t") == field
}

// metricColumns returns the columns of the metrics that a user has named, as the files of the runs or
// `nbbnn compare --metrics` do. It refuses a metric that no file has; without any files, an unknown
// one.
func metricColumns(list []listed, names []string) (columns []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	var known []string
	isKnown := func(name string) bool { return slices.Contains(known, metricColumn(name, known)) }
	for _, entry := range list {
		err := entry.run.EachValue(func(_ []string, _, metric, _ string) error {
			if !slices.Contains(known, metric) {
				known = append(known, metric)
			}
			return nil
		})
		if err != nil && len(list) == 1 {
			return nil, fmt.Errorf("nbbnn cells: %w", err)
		}
		if !slices.ContainsFunc(names, func(name string) bool { return !isKnown(name) }) {
			break
		}
	}
	for _, name := range names {
		_, unknown := score.MetricByName(name)
		switch {
		case len(known) == 0 && unknown != nil:
			return nil, commandline.Usage(fmt.Errorf("nbbnn cells: %w", unknown))
		case len(known) > 0 && !isKnown(name):
			return nil, commandline.Usage(fmt.Errorf("nbbnn cells: no run has a metric %q%s: choose from %s",
				name, nearest.Hint(metricColumn(name, known), known), strings.Join(known, ", ")))
		}
		columns = append(columns, metricColumn(name, known))
	}
	return columns, nil
}

// metricColumn returns the column of a metric: one of those known, or that of a metric of this name.
func metricColumn(name string, known []string) string {
	metric, err := score.MetricByName(name)
	if err != nil || slices.Contains(known, name) {
		return name
	}
	return cmp.Or(metric.Column, metric.Name)
}

// cellFields lists the usual fields of configurations and, by name, those in which runs differ.
func cellFields(list []listed) []configField {
	fields, others := make([]configField, len(usualFields)), []configField{}
	for _, field := range allConfigFields {
		if place := slices.Index(usualFields, field.path); place >= 0 {
			fields[place] = field
			continue
		}
		if differ(list, field) {
			others = append(others, field)
		}
	}
	slices.SortFunc(others, func(a, b configField) int { return strings.Compare(a.path, b.path) })
	return append(fields, others...)
}

// differ reports whether a field isn't the same in all runs.
func differ(list []listed, field configField) bool {
	for i := range list {
		if !field.value(&list[i]).Equal(field.value(&list[0])) {
			return true
		}
	}
	return false
}
