package score

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	again    string        // how it's made again
}

const evaluateAgain = "with `nbbnn evaluate`"

var (
	cellTable    = table{cellFile, cellColumns, len(identityColumns), columnGroups, evaluateAgain}
	binTable     = table{binFile, binColumns, len(identityColumns), nil, evaluateAgain}
	customTable  = table{customFile, customColumns, len(identityColumns), nil, "by the program that registers the metric"}
	outsideTable = table{outsideFile, outsideColumns, len(outsideColumns) - 3, nil, "with `nbbnn evaluate --outside`"}
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
func (t table) check(place, owner string, header []string, rows []*record) error {
	if owner == "" && len(rows) > 0 {
		return fmt.Errorf("score: %s can't be compared with its checksums, since the run has no card.json: complete the training with `nbbnn train` first",
			files.At(place, t.name))
	}
	var scratch []byte
	seen := map[string]bool{}
	for start, end := 0, 0; start < len(rows); start = end {
		key := rows[start].fields[:t.identity]
		for end = start + 1; end < len(rows) && slices.Equal(rows[end].fields[:t.identity], key); end++ {
		}
		name, isSound := strings.Join(key, "\x00"), false
		if isSound, scratch = t.checkRecord(scratch, owner, header, rows[start:end]); seen[name] || !isSound {
			return t.damaged(place, start+2)
		}
		seen[name] = true
	}
	return nil
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
	return sum == want, scratch
}

// damaged returns the error of a table whose first wrong line is the given one, counted from 1.
func (t table) damaged(place string, line int) error {
	return fmt.Errorf("score: %s is damaged in line %d, or of another run, other weights or a newer version: put a copy of the file in its place, or remove it and evaluate again %s",
		files.At(place, t.name), line, t.again)
}
