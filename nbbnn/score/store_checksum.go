package score

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// Every record of a table holds a checksum of its owner and its values in the last column. So a
// changed or foreign record is noticed, and so is one that lacks a row or has one too many.

// checksumColumn is the last column of every table.
const checksumColumn = "sha256"

// Owner names what a directory's results were measured with: a run by the hash of its configuration
// and nbbnn.Card.StateSHA256. Checksums are bound to it.
func Owner(configHash, state string) string { return configHash + " " + state }

// table describes one of the CSV files with results. A record is one row or several that follow
// each other.
type table struct {
	name     string // of the file
	columns  []string
	identity int           // how many of the first columns name a record
	optional []columnGroup // that may follow the columns
	again    string        // command or call that measures a lost record
}

var (
	cellTable    = table{cellFile, cellColumns, len(identityColumns), columnGroups, "`nbbnn evaluate`"}
	binTable     = table{binFile, binColumns, len(identityColumns), nil, "`nbbnn evaluate`"}
	customTable  = table{customFile, customColumns, len(identityColumns), nil, "Run.Evaluate of the program that registers the metric"}
	outsideTable = table{outsideFile, outsideColumns, len(outsideColumns) - 3, nil, "`nbbnn evaluate --outside`"}
)

// checksum returns that of a record's rows, which have the columns of the header: 16 hexadecimal
// digits of a SHA-256. Empty fields don't count, so it stays when the table gets more columns. It
// may overwrite scratch, and returns it for the next call.
func (t table) checksum(scratch []byte, owner string, header []string, rows ...[]string) (sum string, _ []byte) {
	text := append(append(scratch[:0], owner...), 0)
	text = append(append(text, t.name...), 0)
	for _, row := range rows {
		for i, field := range row {
			if field == "" {
				continue
			}
			text = append(append(text, header[i]...), '=')
			text = append(append(text, field...), 0)
		}
		text = append(text, 0)
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8]), text
}

// seal appends the checksum to the rows of a record.
func (t table) seal(owner string, header []string, rows [][]string) [][]string {
	sum, _ := t.checksum(nil, owner, header, rows...)
	for i := range rows {
		rows[i] = append(rows[i], sum)
	}
	return rows
}

// check compares rows with their checksums and removes these. The header is without their column.
func (t table) check(directory, owner string, header []string, rows []*record) error {
	var damaged []string // the lines of each record
	var scratch []byte
	records, seen := 0, map[string]bool{}
	for start, end := 0, 0; start < len(rows); start = end {
		key := rows[start].fields[:t.identity]
		for end = start + 1; end < len(rows) && slices.Equal(rows[end].fields[:t.identity], key); end++ {
		}
		name := strings.Join(key, "\x00")
		isSound := false
		isSound, scratch = t.checkRecord(scratch, owner, header, rows[start:end])
		if seen[name] || !isSound {
			damaged = append(damaged, lineText(start+2, end+1))
		}
		seen[name] = true
		records++
	}
	if len(damaged) == 0 {
		return nil
	}
	path := filepath.Join(directory, t.name)
	switch {
	case owner == "":
		return fmt.Errorf("score: %s can't be compared with its checksums, since the run has no card.json: complete the training with `nbbnn train` first", path)
	case len(damaged) == records && records > 1:
		return &files.Damage{
			Found: fmt.Errorf("score: %s belongs to another run or to other weights: none of its %d records has the checksum of this run", path, records),
			Cure:  fmt.Sprintf("remove it, and %s measures them again", t.again),
		}
	}
	return &files.Damage{
		Found: fmt.Errorf("score: %s is damaged in line %s: its checksum differs (%d of %d records)",
			path, strings.Fields(damaged[0])[0], len(damaged), records),
		Cure: fmt.Sprintf("put a copy of the file in its place, or remove %s, and %s measures again what is lost", listed(damaged), t.again),
	}
}

// checkRecord reports whether the rows of a record have its checksum. scratch is that of checksum.
func (t table) checkRecord(scratch []byte, owner string, header []string, rows []*record) (isSound bool, _ []byte) {
	last := len(header)
	fields := make([][]string, len(rows))
	for i, row := range rows {
		if row.fields[last] != rows[0].fields[last] {
			return false, scratch
		}
		fields[i] = row.fields[:last]
	}
	sum := rows[0].fields[last]
	for _, row := range rows {
		row.fields = row.fields[:last]
	}
	want, scratch := t.checksum(scratch, owner, header, fields...)
	return owner != "" && sum == want, scratch
}

// lineText names lines, such as "12" or "12 to 14".
func lineText(first, last int) string {
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d to %d", first, last)
}

// listed names the lines of up to three records.
func listed(lines []string) string {
	switch {
	case len(lines) > 3:
		return fmt.Sprintf("lines %s and those of %d more records", strings.Join(lines[:3], ", "), len(lines)-3)
	case len(lines) == 1 && !strings.Contains(lines[0], " "):
		return "line " + lines[0]
	}
	return "lines " + strings.Join(lines, ", ")
}
