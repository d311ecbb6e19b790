package files

import (
	"encoding/json"
	"io"
)

// WriteJSON writes a value as JSON for people: two spaces for each level, and a line break at the
// end. Equal values give equal bytes.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
