package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// WriteJSON writes a value as JSON for people: two spaces for each level, and a line break at the
// end. Equal values give equal bytes.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// ParseJSON reads one JSON value that this program wrote. Keys that the type doesn't have and
// anything after the value are errors: they are damage, or of a newer version.
func ParseJSON(data []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows after its end")
	}
	return nil
}
