package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/tidy"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// compareTidy writes all results of runs, of all in --runs if no argument names one, as one table
// with a value a row.
func compareTidy(a *app, given *pflag.FlagSet, arguments []string, order compareOrder) error {
	var err error
	given.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"tidy", "out", "where", "metrics", "runs"}, f.Name) {
			err = commandline.Usage(exclusive(given, "compare", "tidy", f.Name))
		}
	})
	if err != nil {
		return err
	}
	list, err := listedRuns(a, arguments, order.where)
	if err != nil {
		return err
	}
	metrics, err := metricColumns(list, order.metrics)
	if err != nil {
		return err
	}
	table := tidyOf(list)
	table.metrics = metrics
	var done written
	if order.out == "" {
		done, err = table.write(a, a.out)
	} else {
		done, err = table.saveTo(a, order.out)
	}
	if err != nil {
		return err
	}
	if order.out != "" {
		fmt.Fprintf(a.out, "wrote    %s   %s of %s\n", order.out, quantity.Count(done.values, "value"), quantity.Count(done.runs, "run"))
	}
	if done.values == 0 {
		fmt.Fprintf(a.err, "note     the table has a header alone: of %s none is tested: `nbbnn evaluate` does it\n", quantity.Count(done.runs, "run"))
	}
	return nil
}

// tidyOf returns the table of all results of runs.
func tidyOf(list []listed) *cellsTable {
	return &cellsTable{list: list, columns: nbbnn.Columns(nbbnn.Differing(configsOf(list)...))}
}

// listOf reads what the list of runs shows of some.
func listOf(a *app, runs []*nbbnn.Run) []listed {
	directories := make([]string, len(runs))
	for i, run := range runs {
		directories[i] = run.Directory()
	}
	return readList(a, directories)
}

// saveTo writes the table to a file.
func (t *cellsTable) saveTo(a *app, path string) (done written, err error) {
	err = files.Write(path, func(w io.Writer) error {
		done, err = t.write(a, w)
		return err
	})
	return done, err
}

// listedRuns returns the runs that arguments name, or all, that fulfil conditions.
func listedRuns(a *app, arguments, where []string) ([]listed, error) {
	conditions, err := parseConditions("compare", where)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	var list []listed
	if len(arguments) > 0 {
		runs, err := trainedRuns(a, "compare", arguments)
		if err != nil {
			return nil, err
		}
		list = listOf(a, runs)
	} else {
		directories, err := nbbnn.Directories(a.runs)
		if err == nil && len(directories) == 0 {
			err = errors.New("no runs are there")
		}
		if err != nil {
			return nil, commandline.Usage(fmt.Errorf("nbbnn compare: --runs %s: %w", a.runs, err))
		}
		list = readList(a, directories)
	}
	if len(list) == 0 {
		return nil, errNoneLeft("compare")
	}
	if list, err = filterRuns(list, conditions); err != nil {
		return nil, commandline.Usage(err)
	}
	if len(list) == 0 {
		return nil, commandline.Usage(fmt.Errorf("nbbnn compare: no run fulfils --where %s: `nbbnn runs` shows their values", strings.Join(where, " and ")))
	}
	return list, nil
}

// cellsTable is the tidy table of cells. Thousands of runs have millions of values, so all cores
// make lines, each from parts that are made once a run or once a cell.
type cellsTable struct {
	list    []listed
	columns []nbbnn.Field
	metrics []string  // that are written; none means all
	buffers sync.Pool // of *cellLines
}

// written says what a table of cells holds.
type written struct{ values, runs int }

// write writes the table. Of several runs, it leaves out those whose cells can't be read, with a
// note; if none is left, it writes nothing and returns an error.
func (t *cellsTable) write(a *app, w io.Writer) (done written, err error) {
	header := []string{"run", "name"}
	for _, field := range t.columns {
		header = append(header, field.Path())
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
		done.values, done.runs = done.values+lines.values, done.runs+1
		_, err := out.Write(lines.text)
		return err
	})
	if err == nil && done.runs == 0 {
		return done, errNoneLeft("compare")
	}
	if err != nil {
		return done, fmt.Errorf("nbbnn compare: %w", err)
	}
	return done, out.Flush()
}

func (t *cellsTable) read(i int) *cellLines {
	entry := &t.list[i]
	lines, isUsed := t.buffers.Get().(*cellLines)
	if !isUsed {
		lines = &cellLines{}
	}
	lines.text, lines.cell, lines.values, lines.metrics = lines.text[:0], nil, 0, t.metrics
	lines.start = tidy.AppendFields(lines.start[:0], entry.Run, entry.Name)
	for _, field := range t.columns {
		lines.start = tidy.AppendFields(append(lines.start, ','), field.Text(&entry.Config))
	}
	lines.err = entry.run.EachValue(entry.card, lines.add)
	return lines
}

// cellLines are the lines of a run.
type cellLines struct {
	text   []byte
	values int
	err    error // of reading the run's cells

	metrics []string // that are written; none means all
	start   []byte   // of each line: the run's name and its configuration
	cell    []string // the cell's evaluation and its images; nil before the first
	line    []byte   // the beginning of the cell's lines, up to the metric
}

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
		err := entry.run.EachValue(entry.card, func(_ []string, _, metric, _ string) error {
			if !slices.Contains(known, metric) {
				known = append(known, metric)
			}
			return nil
		})
		if err != nil && len(list) == 1 {
			return nil, fmt.Errorf("nbbnn compare: %w", err)
		}
		if !slices.ContainsFunc(names, func(name string) bool { return !isKnown(name) }) {
			break
		}
	}
	for _, name := range names {
		_, unknown := score.MetricByName(name)
		switch {
		case len(known) == 0 && unknown != nil:
			return nil, commandline.Usage(fmt.Errorf("nbbnn compare: %w", unknown))
		case len(known) > 0 && !isKnown(name):
			return nil, commandline.Usage(fmt.Errorf("nbbnn compare: no run has a metric %q%s: choose from %s",
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
