package score

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// The last column of every table is empty but in the last row, which has a checksum of all that is
// before it in the file, and of the owner. So a changed byte, a cut file and one of another run are
// noticed.
const checksumColumn = "sha256"

// rowChecksum is the length of a checksum in the files of earlier runs, which have one of each row. These
// files aren't compared with them, and get one of their own when a cell is added.
const rowChecksum = 16

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
	return ended && (sum == t.checksum(owner, text[:at]) || len(sum) == rowChecksum)
}

// damaged returns the error of a table that isn't as it was written.
func (t table) damaged(place string) error {
	return fmt.Errorf("score: %s is damaged, or of another run, other weights or a newer version: put a copy of the file in its place, or remove it and evaluate again %s",
		files.At(place, t.name), t.again)
}
