package score

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// table describes one of the CSV files with results.
type table struct {
	name     string // of the file
	columns  []string
	optional []columnGroup // that may follow the columns
	again    string        // how it's made again
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
	Cell Cell
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
	cellColumns     = slices.Concat(identityColumns, []string{"images"}, columnGroups[0].columns)
	binColumns      = slices.Concat(identityColumns, []string{"bin", "count", "correct",
		"confidence"})
	customColumns = slices.Concat(identityColumns, []string{"metric", "value"})
)

// formatFloat writes the fewest digits that read back as the same number.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// read reads the table of a place, compared with its checksum, and returns its rows without that
// column and which optional groups of columns it has. A missing file has no rows.
func (t table) read(place, owner string) (rows []*record, groups []columnGroup, err error) {
	path := filepath.Join(place, t.name)
	data, err := files.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("score: %w", files.Unreadable(err))
	case owner == "":
		return nil, nil, fmt.Errorf("score: %s can't be compared with its checksum, since the "+
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
		return fmt.Errorf("score: %s can't be written: %w: free disk space or make the directory "+
			"writable, then try again", path, err)
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
	return fmt.Errorf("score: %s is damaged, or of another run, other weights or a newer "+
		"version: %s", path, files.Restore(path, ", or remove it and evaluate again "+t.again))
}
