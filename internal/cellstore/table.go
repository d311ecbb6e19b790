package cellstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/columns"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Files of a Store.
const (
	cellFile   = "cells.csv"
	binFile    = "bins.csv"
	customFile = "metrics.csv"
)

// table describes one of the CSV files with results.
type table struct {
	name     string // of the file
	columns  []string
	optional []columns.Group // that may follow the columns
	again    string          // how it's made again
}

const evaluateAgain = "with `nbbnn evaluate`"

var (
	cellTable   = table{cellFile, cellColumns, columnGroups[1:], evaluateAgain}
	binTable    = table{binFile, binColumns, nil, evaluateAgain}
	customTable = table{customFile, customColumns, nil, "by the program that registers the metric"}
)

// cellRow is a row of cells.csv: a cell and the evaluation that it belongs to. The file keeps the
// cells of every evaluation of the run.
type cellRow struct {
	Key
	Cell score.Cell
}

// identity returns the key of a row: its evaluation, corruption and severity.
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
	identityColumns = strings.Fields("suite samples subset seed corruption severity")
	cellColumns     = slices.Concat(identityColumns, []string{"images"}, columnGroups[0].Columns)
	binColumns      = slices.Concat(identityColumns, []string{"bin", "count", "correct",
		"confidence"})
	customColumns = slices.Concat(identityColumns, []string{"metric", "value"})
)

// columnGroups are the groups of columns of cells.csv in their order. Some committed records lack
// all but the first. In the line of a cell without these metrics they are empty.
var columnGroups = append(columns.Of(reflect.TypeFor[score.Cell]()), unread)

// unread are columns of some records that are of no use now.
var unread = columns.Group{Columns: strings.Fields(
	"aps_plain_threshold aps_plain_coverage aps_plain_size")}

// groupsIn returns the groups whose columns a header has, in their order, and reports whether it
// has nothing else.
func groupsIn(header []string, optional []columns.Group) (groups []columns.Group, known bool) {
	for _, group := range optional {
		if count := len(group.Columns); len(header) >= count &&
			slices.Equal(header[:count], group.Columns) {
			groups, header = append(groups, group), header[count:]
		}
	}
	return groups, len(header) == 0
}

// usedGroups returns the groups that at least one row has metrics of.
func usedGroups(rows []cellRow) (groups []columns.Group) {
	for _, group := range columnGroups {
		if slices.ContainsFunc(rows, func(row cellRow) bool { return group.Has(&row.Cell) }) {
			groups = append(groups, group)
		}
	}
	return groups
}

// readGroup sets the metrics of a cell from its line, unless they are empty there or of no use now.
func readGroup(g columns.Group, fields *record, cell *score.Cell) {
	own := fields.fields[:len(g.Columns)]
	if strings.Join(own, "") == "" || slices.Equal(g.Columns, unread.Columns) {
		fields.fields = fields.fields[len(g.Columns):]
		return
	}
	for i := range own {
		*g.Field(cell, i) = fields.float()
	}
}

// lineOf returns the columns of a cell.
func lineOf(g columns.Group, cell score.Cell) []string {
	line := make([]string, len(g.Columns))
	if g.Has(&cell) {
		for i := range line {
			line[i] = formatFloat(*g.Field(&cell, i))
		}
	}
	return line
}

// formatFloat writes the fewest digits that read back as the same number.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// read reads the table of a place, compared with its checksum, and returns its rows without that
// column and which optional groups of columns it has. A missing file has no rows.
func (t table) read(place, owner string) (rows []*record, groups []columns.Group, err error) {
	path := filepath.Join(place, t.name)
	data, err := files.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("cellstore: %w", files.Unreadable(err))
	case owner == "":
		return nil, nil, fmt.Errorf("cellstore: %s can't be compared with its checksum, since the "+
			"run has no card.json: complete the training with `nbbnn train` first", path)
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll() // each as long as the header
	if err != nil || len(lines) == 0 {
		return nil, nil, t.damaged(place)
	}
	header, count := lines[0], len(t.columns)
	last := len(header) - 1
	if last < count || !slices.Equal(header[:count], t.columns) || header[last] != checksumColumn {
		return nil, nil, t.damaged(place)
	}
	groups, isKnown := groupsIn(header[count:last], t.optional)
	if !isKnown || !t.isSound(owner, string(data)) {
		return nil, nil, t.damaged(place)
	}
	for _, fields := range lines[1:] {
		rows = append(rows, &record{fields: fields[:last]})
	}
	return rows, groups, nil
}

// write replaces the table of a place, and adds its checksum. Without rows it writes nothing.
func (t table) write(place, owner string, header []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	var text strings.Builder
	writer := csv.NewWriter(&text)
	_ = writer.Write(append(slices.Clip(header), checksumColumn)) // memory takes all
	for _, row := range rows {
		_ = writer.Write(append(row, ""))
	}
	writer.Flush()
	body, path := strings.TrimSuffix(text.String(), "\n"), filepath.Join(place, t.name)
	if err := files.WriteBytes(path, []byte(body+t.checksum(owner, body)+"\n")); err != nil {
		return fmt.Errorf("cellstore: %s can't be written: %w: free disk space or make the "+
			"directory writable, then try again", path, err)
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

// The last column of every table is empty but in the last row, which has a checksum of all that is
// before it in the file, and of the owner. So a changed byte, a cut file and one of another run are
// noticed.
const checksumColumn = "sha256"

// checksum returns a SHA-256, in hexadecimal, of a table's text before the checksum.
func (t table) checksum(owner, text string) string {
	sum := sha256.New()
	_, _ = io.WriteString(sum, owner+"\x00"+t.name+"\x00"+text)
	return hex.EncodeToString(sum.Sum(nil))
}

// isSound compares a table's text with the checksum at its end.
func (t table) isSound(owner, text string) bool {
	body, sum, _ := strings.CutLast(text, ",")
	return sum == t.checksum(owner, body+",")+"\n"
}

// damaged returns the error of a changed table.
func (t table) damaged(place string) error {
	path := filepath.Join(place, t.name)
	return fmt.Errorf("cellstore: %s is damaged, or of another run, other weights or a newer "+
		"version: %s", path, files.Restore(path, ", or remove it and evaluate again "+t.again))
}
