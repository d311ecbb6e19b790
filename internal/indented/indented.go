// Package indented writes JSON that people read, too: two spaces for each level, and a line break at the end.
//
//	err := indented.Write(os.Stdout, card)
package indented

import (
	"encoding/json"
	"io"
)

// Write writes a value as indented JSON. Equal values give equal bytes.
func Write(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
