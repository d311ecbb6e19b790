package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// WriteJSON writes a value as JSON for people: two spaces for each level, and a line break at the
// end. Equal values give equal bytes.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// ParseJSON reads one JSON value that this program wrote. Keys that the type doesn't have, keys
// that an object has twice, and anything after the value are errors: they are damage, or of a newer
// version.
func ParseJSON(data []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows after its end")
	}
	if key := DoubleKey(data); key != "" {
		return fmt.Errorf("the key %s is there twice", key)
	}
	return nil
}

// DoubleKey returns a key, in quotes, that an object in valid JSON has twice; "" if there's none.
func DoubleKey(data []byte) string {
	var open []map[string]bool // the keys of each open object; nil for arrays
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case '{':
			open = append(open, map[string]bool{})
		case '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			start := at
			for at++; data[at] != '"'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
			text := data[start : at+1]
			if after := bytes.TrimLeft(data[at+1:], " \t\r\n"); len(after) == 0 || after[0] != ':' {
				continue
			}
			keys := open[len(open)-1]
			if keys[string(text)] {
				return string(text)
			}
			keys[string(text)] = true
		}
	}
	return ""
}
