package command

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/tidy"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// compareTidy writes all results of runs as one table with a value a row.
func compareTidy(a *app, runs []*nbbnn.Run, out string, metrics []string) error {
	values, count, err := saveTidy(a, out, runs, nil, metrics)
	if err != nil {
		return err
	}
	if out != "" {
		fmt.Fprintf(a.out, "wrote    %s   %s of %s\n", out, quantity.Count(values, "value"),
			quantity.Count(count, "run"))
	}
	if values == 0 {
		a.note("the table has only a header: of %s none is tested: `nbbnn evaluate` does it",
			quantity.Count(count, "run"))
	}
	return nil
}

// saveTidy writes the table of some metrics, or of all, to a file, or to standard output without a
// path. methods have names for the methods of runs. It returns the number of values and of runs.
func saveTidy(a *app, path string, runs []*nbbnn.Run, methods map[string]string,
	metrics []string) (values, count int, err error) {
	list := readOpened(a, runs)
	for i := range list {
		list[i].method = cmp.Or(methods[list[i].Run], list[i].Config.Title())
	}
	write := func(w io.Writer) error {
		values, count, err = writeTidy(a, w, list, metrics)
		return err
	}
	if path == "" {
		err = write(a.out)
	} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = files.Write(path, write)
	}
	return values, count, err
}

// usualColumns are the fields that every table of results has.
var usualColumns = strings.Fields("network.name network.width data.name posterior.components " +
	"objective.gamma method.name training.epochs seed")

// tidyColumns lists the usual fields, then the other given ones.
func tidyColumns(differing []fields.Field) []fields.Field {
	columns := make([]fields.Field, len(usualColumns))
	for _, f := range configFields {
		if place := slices.Index(usualColumns, f.Path()); place >= 0 {
			columns[place] = f
		}
	}
	for _, f := range differing {
		if !slices.Contains(usualColumns, f.Path()) {
			columns = append(columns, f)
		}
	}
	return columns
}

// writeTidy writes the values of the metrics of all runs, or of all metrics if none are named. Of
// several runs, it leaves out ones with unreadable cells, with a note; if none is left, it writes
// nothing and returns an error. Thousands of runs have millions of values, so all cores make lines.
func writeTidy(a *app, w io.Writer, list []listed, metrics []string) (values, count int,
	err error) {
	var configs []nbbnn.Config
	for _, entry := range list {
		configs = append(configs, entry.Config)
	}
	columns := tidyColumns(sweep.Differing(configs...))
	header := slices.Concat([]string{"run", "name", "method"}, quantity.Texts(columns,
		fields.Field.Path), strings.Fields("suite variant first samples subset evaluation_seed "+
		"corruption severity images metric value"))
	out := bufio.NewWriterSize(w, 1<<18)
	if _, err := out.Write(append(tidy.AppendFields(nil, header...), '\n')); err != nil {
		return 0, 0, err
	}
	wanted, known := metricColumns(metrics), map[string]bool{}
	err = parallel.InOrder(len(list), func(i int) tidyLines {
		return readTidy(&list[i], columns, wanted)
	}, func(i int, lines tidyLines) error {
		if lines.err != nil && len(list) == 1 {
			return lines.err
		}
		if lines.err != nil {
			leaveOut(a, list[i].Run+": "+strings.TrimPrefix(describe(lines.err), "cellstore: "))
			return nil
		}
		values, count = values+lines.values, count+1
		for _, metric := range lines.metrics {
			known[metric] = true
		}
		_, err := out.Write(lines.text)
		return err
	})
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("nbbnn compare: %w", err)
	case count == 0:
		return 0, 0, errNoneLeft("compare")
	}
	if err := checkFound(metrics, wanted, slices.Sorted(maps.Keys(known))); err != nil {
		return 0, 0, commandline.Usagef("nbbnn compare: %w", err)
	}
	return values, count, out.Flush()
}

// checkFound refuses a metric that no run has; of runs without any test, one that is unknown.
func checkFound(names, columns, known []string) error {
	for i, column := range columns {
		_, err := score.MetricByName(names[i])
		switch {
		case slices.Contains(known, column):
		case len(known) > 0:
			return fmt.Errorf("no run has a metric %q%s: choose from %s",
				names[i], nearest.Hint(column, known), strings.Join(known, ", "))
		case err != nil:
			return err
		}
	}
	return nil
}

type tidyLines struct {
	text    []byte
	values  int
	metrics []string // of the run, by column, wanted or not
	err     error    // of reading the run's cells
}

// readTidy reads a run's lines for the wanted columns, or for all.
func readTidy(entry *listed, columns []fields.Field, wanted []string) (lines tidyLines) {
	start := tidy.AppendFields(nil, entry.Run, entry.Name, entry.method)
	for _, field := range columns {
		start = tidy.AppendFields(append(start, ','), field.Text(&entry.Config))
	}
	start = append(start, ',')
	lines.err = entry.run.EachValue(entry.card, func(evaluation []string, images, metric,
		value string) error {
		lines.metrics = quantity.AddNew(lines.metrics, metric)
		if len(wanted) == 0 || slices.Contains(wanted, metric) {
			lines.values++
			line := append(tidy.AppendFields(append(lines.text, start...), evaluation...), ',')
			lines.text = append(tidy.AppendFields(line, images, metric, value), '\n')
		}
		return nil
	})
	if directory := entry.run.Directory(); lines.err == nil && entry.Suite != "" &&
		!hasFile(directory, "cells.csv") {
		lines.err = fmt.Errorf("%s is missing, but the card lists it: %s", records.Path(directory,
			"cells.csv"), files.Restore(filepath.Join(directory, "cells.csv"),
			", or `nbbnn evaluate` again"))
	}
	return lines
}

// metricColumns returns the columns of metrics that a user has named as the files of runs or the
// tables of `nbbnn compare` do. An unknown name is a column.
func metricColumns(names []string) (columns []string) {
	for _, name := range names {
		if metric, err := score.MetricByName(name); err == nil {
			name = cmp.Or(metric.Column, metric.Name)
		}
		columns = append(columns, name)
	}
	return columns
}
