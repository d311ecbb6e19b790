package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/tidy"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// usualFields are the fields of a configuration that every table of cells has.
var usualFields = []string{
	"network.name", "network.width", "data.name", "posterior.components", "objective.gamma", "method.name", "training.epochs", "seed",
}

// cellsTable is the tidy table of cells. Thousands of runs have millions of values, so all cores
// make lines, each from parts that are made once a run or once a cell.
type cellsTable struct {
	list    []listed
	columns []configField
	metrics []string  // that are written; none means all
	buffers sync.Pool // of *cellLines
}

// written says what a table of cells holds.
type written struct {
	values, runs int
	unsealed     [][]string // of each run, the files with records that have no checksums
}

// write writes the table. Of several runs, it leaves out those whose cells can't be read, with a
// note; if none is left, it writes nothing and returns an error.
func (t *cellsTable) write(a *app, w io.Writer) (done written, err error) {
	header := []string{"run", "name"}
	for _, field := range t.columns {
		header = append(header, field.path)
	}
	header = append(header, "suite", "samples", "subset", "evaluation_seed", "corruption", "severity", "images", "metric", "value")
	out := bufio.NewWriterSize(w, 1<<18)
	if _, err := out.Write(append(tidy.AppendFields(nil, header...), '\n')); err != nil {
		return done, err
	}
	err = parallel.InOrder(len(t.list), t.read, func(i int, lines *cellLines) error {
		defer t.buffers.Put(lines)
		if lines.err != nil && len(t.list) == 1 {
			return lines.err
		}
		if lines.err != nil {
			leaveOut(a, t.list[i].Run+": "+strings.TrimPrefix(describe(lines.err), "score: "))
			return nil
		}
		done.add(lines)
		_, err := out.Write(lines.text)
		return err
	})
	if err == nil && done.runs == 0 {
		return done, errNoneLeft("cells")
	}
	if err != nil {
		return done, fmt.Errorf("nbbnn cells: %w", err)
	}
	return done, out.Flush()
}

// add counts the values of a run.
func (w *written) add(lines *cellLines) {
	w.values += lines.values
	w.runs++
	w.unsealed = append(w.unsealed, lines.unsealed)
}

// read makes the lines of a run.
func (t *cellsTable) read(i int) *cellLines {
	entry := &t.list[i]
	lines, isUsed := t.buffers.Get().(*cellLines)
	if !isUsed {
		lines = &cellLines{}
	}
	lines.text, lines.cell, lines.values, lines.metrics = lines.text[:0], nil, 0, t.metrics
	lines.start = tidy.AppendFields(lines.start[:0], entry.Run, entry.Name)
	for _, field := range t.columns {
		lines.start = tidy.AppendFields(append(lines.start, ','), field.text(entry))
	}
	lines.unsealed, lines.err = entry.run.EachValue(entry.card, lines.add)
	return lines
}

// cellLines are the lines of a run.
type cellLines struct {
	text     []byte
	values   int
	unsealed []string // files with records that have no checksums
	err      error    // of reading the run's cells

	metrics []string // that are written; none means all
	start   []byte   // of each line: the run's name and its configuration
	cell    []string // the cell's evaluation and its images; nil before the first
	line    []byte   // the beginning of the cell's lines, up to the metric
}

// add adds the line of a value.
func (l *cellLines) add(evaluation []string, images, metric, value string) error {
	if len(l.metrics) > 0 && !slices.Contains(l.metrics, metric) {
		return nil
	}
	if last := len(l.cell) - 1; last < 0 || l.cell[last] != images || !slices.Equal(l.cell[:last], evaluation) {
		l.cell = append(append(l.cell[:0], evaluation...), images)
		l.line = append(tidy.AppendFields(append(append(l.line[:0], l.start...), ','), l.cell...), ',')
	}
	l.values++
	l.text = append(tidy.AppendFields(append(l.text, l.line...), metric, value), '\n')
	return nil
}

// metricColumns returns the columns of the metrics that a user has named, as the files of the runs
// or `nbbnn compare --metrics` do. It refuses a metric that no file has; without any files, an
// unknown one.
func metricColumns(list []listed, names []string) (columns []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	var known []string
	isKnown := func(name string) bool { return slices.Contains(known, metricColumn(name, known)) }
	for _, entry := range list {
		_, err := entry.run.EachValue(entry.card, func(_ []string, _, metric, _ string) error {
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

// metricColumn returns the column of a metric: a known one, or that of a metric of this name.
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
