package score

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// The last column of every table is empty but in the last row, which has a checksum of all that is
// before it in the file, and of the owner. So a changed byte, a cut file and one of another run are
// noticed.
const checksumColumn = "sha256"

// Owner names what a directory's results were measured with: a run by the hash of its configuration
// and nbbnn.Card.StateSHA256. Checksums are bound to it.
func Owner(configHash, state string) string { return configHash + " " + state }

// checksum returns that of a table's text before it: a SHA-256 in hexadecimal.
func (t table) checksum(owner, text string) string {
	sum := sha256.New()
	_, _ = io.WriteString(sum, owner+"\x00"+t.name+"\x00"+text)
	return hex.EncodeToString(sum.Sum(nil))
}

// isSound compares a table's text with the checksum at its end.
func (t table) isSound(owner, text string) bool {
	at := strings.LastIndexByte(text, ',') + 1
	sum, ended := strings.CutSuffix(text[at:], "\n")
	return ended && sum == t.checksum(owner, text[:at])
}

// hasSoundRows compares the lines of a file of an earlier run with the checksum that each record has in
// them: of its rows, which follow each other. Such a file gets one of its own when a cell is added.
func (t table) hasSoundRows(owner string, lines [][]string) bool {
	header, last := lines[0], len(lines[0])-1
	identity := len(identityColumns)
	if t.name == outsideFile {
		identity = len(outsideColumns) - 3
	}
	seen := map[string]bool{}
	for start, end := 1, 1; start < len(lines); start = end {
		text := owner + "\x00" + t.name + "\x00"
		for ; end < len(lines); end++ {
			fields := lines[end]
			if !slices.Equal(fields[:identity], lines[start][:identity]) {
				break
			}
			for i, field := range fields[:last] {
				if field != "" {
					text += header[i] + "=" + field + "\x00"
				}
			}
			text += "\x00"
		}
		name, sum := strings.Join(lines[start][:identity], "\x00"), sha256.Sum256([]byte(text))
		if seen[name] || slices.ContainsFunc(lines[start:end], func(fields []string) bool { return fields[last] != hex.EncodeToString(sum[:8]) }) {
			return false
		}
		seen[name] = true
	}
	return true
}

// damaged returns the error of a table that isn't as it was written.
func (t table) damaged(place string) error {
	return fmt.Errorf("score: %s is damaged, or of another run, other weights or a newer version: put a copy of the file in its place, or remove it and evaluate again %s",
		files.At(place, t.name), t.again)
}
