package score

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// Files of a Store.
const (
	cellFile   = "cells.csv"
	binFile    = "bins.csv"
	customFile = "metrics.csv"
)

// cellRow is a row of cells.csv: a cell and the evaluation that it belongs to. The file keeps the
// cells of every evaluation of the run.
type cellRow struct {
	Key
	Cell Cell
}

// identity returns what a row is found by: its evaluation, corruption and severity.
func (r cellRow) identity() string { return strings.Join(r.fields(), ",") }

// fields returns the columns that all files share.
func (r cellRow) fields() []string {
	return []string{
		r.Suite, strconv.Itoa(r.Samples), strconv.Itoa(r.Subset), strconv.FormatUint(r.Seed, 10),
		r.Cell.Corruption, strconv.Itoa(r.Cell.Severity),
	}
}

// Columns of the files. "subset" is the number of test images that the evaluation asked for, 0 for
// all; "images" is how many there were.
var (
	identityColumns = []string{"suite", "samples", "subset", "seed", "corruption", "severity"}
	cellColumns     = slices.Concat(identityColumns, []string{"images"}, metricColumns())
	binColumns      = slices.Concat(identityColumns, []string{"bin", "count", "correct", "confidence"})
	customColumns   = slices.Concat(identityColumns, []string{"metric", "value"})
)

// metricColumns returns the JSON names of the metrics that every cell has, in the order of the
// fields.
func metricColumns() (names []string) {
	for field := range reflect.TypeFor[Cell]().Fields() {
		if isMetric(field) {
			names = append(names, field.Tag.Get("json"))
		}
	}
	return names
}

// isMetric reports whether a field of a cell is a metric that every cell has.
func isMetric(field reflect.StructField) bool {
	return field.Type.Kind() == reflect.Float64 && !strings.HasSuffix(field.Tag.Get("json"), ",omitempty")
}

// metrics returns pointers to the metrics that every cell has, in the order of the fields.
func (c *Cell) metrics() (pointers []*float64) {
	value := reflect.ValueOf(c).Elem()
	for i := range value.NumField() {
		if isMetric(value.Type().Field(i)) {
			pointers = append(pointers, value.Field(i).Addr().Interface().(*float64))
		}
	}
	return pointers
}

// formatFloat writes the fewest digits that read back as the same number.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// read reads the table of a directory, compares its records with their checksums, and returns its
// rows and which optional groups of columns it has. A missing file has no rows.
func (t table) read(place, owner string) (rows []*record, groups []columnGroup, err error) {
	header, lines, err := t.readLines(place)
	if err != nil || header == nil {
		return nil, nil, err
	}
	count := len(header)
	header, sealed := header[:count-1], header[count-1] == checksumColumn
	if !sealed || len(header) < len(t.columns) || !slices.Equal(header[:len(t.columns)], t.columns) {
		return nil, nil, t.damaged(place, 1)
	}
	groups, known := groupsIn(header[len(t.columns):], t.optional)
	if !known {
		return nil, nil, t.damaged(place, 1)
	}
	records := make([]record, len(lines))
	rows = make([]*record, len(lines))
	for i, fields := range lines {
		if len(fields) != count {
			return nil, nil, t.damaged(place, i+2)
		}
		records[i] = record{fields: fields}
		rows[i] = &records[i]
	}
	return rows, groups, t.check(place, owner, header, rows)
}

// readLines reads the header and the other lines of the table. A missing file has no header.
func (t table) readLines(place string) (header []string, lines [][]string, err error) {
	data, err := os.ReadFile(files.At(place, t.name))
	if os.IsNotExist(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("score: %w: make the file readable", err)
	}
	text, line := string(data), 1
	if !strings.ContainsAny(text, "\"\r") {
		lines = plainLines(text)
	} else if lines, err = quotedLines(text); err != nil {
		if parse, is := errors.AsType[*csv.ParseError](err); is {
			line = parse.Line
		}
	}
	if err != nil || len(lines) == 0 {
		return nil, nil, t.damaged(place, line)
	}
	return lines[0], lines[1:], nil
}

// quotedLines returns the fields of each line of CSV.
func quotedLines(text string) ([][]string, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = -1 // the header says how many
	return reader.ReadAll()
}

// plainLines is quotedLines for a text without quotes and carriage returns, which is most of them:
// a few times as fast.
func plainLines(text string) (lines [][]string) {
	fields := make([]string, 0, strings.Count(text, ",")+strings.Count(text, "\n")+1)
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue // as package csv does
		}
		first := len(fields)
		for more := true; more; {
			var field string
			field, line, more = strings.Cut(line, ",")
			fields = append(fields, field)
		}
		lines = append(lines, fields[first:len(fields):len(fields)])
	}
	return lines
}

// write replaces the table of a directory. The rows have their checksums already.
func (t table) write(place string, header []string, rows [][]string) error {
	path := files.At(place, t.name)
	err := files.Write(path, func(w io.Writer) error {
		writer := csv.NewWriter(w)
		if err := writer.Write(append(slices.Clip(header), checksumColumn)); err != nil {
			return err
		}
		return writer.WriteAll(rows)
	})
	if err != nil {
		return fmt.Errorf("score: %s can't be written: %w: free disk space or make the directory writable, then try again", path, err)
	}
	return nil
}

// record reads the fields of a line one after the other and remembers whether one of them was
// damaged.
type record struct {
	fields []string
	failed bool
}

func (r *record) text() string {
	field := r.fields[0]
	r.fields = r.fields[1:]
	return field
}

func (r *record) int() int {
	value, err := strconv.Atoi(r.text())
	r.failed = r.failed || err != nil
	return value
}

func (r *record) uint() uint64 {
	value, err := strconv.ParseUint(r.text(), 10, 64)
	r.failed = r.failed || err != nil
	return value
}

func (r *record) float() float64 {
	value, err := strconv.ParseFloat(r.text(), 64)
	r.failed = r.failed || err != nil
	return value
}

// row reads the columns that all files share.
func (r *record) row() (row cellRow) {
	row.Suite, row.Samples, row.Subset, row.Seed = r.text(), r.int(), r.int(), r.uint()
	row.Cell.Samples = row.Samples
	row.Cell.Corruption, row.Cell.Severity = r.text(), r.int()
	return row
}
