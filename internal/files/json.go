package files

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
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

// Unique are the options to read JSON as encoding/json does, but for keys that an object has twice,
// which are errors.
var Unique = jsonv2.JoinOptions(json.DefaultOptionsV1(), jsontext.AllowDuplicateNames(false),
	json.ReportErrorsWithLegacySemantics(false)) // whose error of two keys doesn't name them

// ParseJSON reads one JSON value that this program wrote. Keys that the type doesn't have, keys
// that an object has twice, and anything after the value are errors: they are damage, or of a newer
// version.
func ParseJSON(data []byte, value any) error {
	err := jsonv2.Unmarshal(data, value, Unique, jsonv2.RejectUnknownMembers(true), jsonv2.MatchCaseInsensitiveNames(false))
	var place *jsonv2.SemanticError
	if errors.Is(err, jsonv2.ErrUnknownName) && errors.As(err, &place) {
		return fmt.Errorf("unknown key %.80q", place.JSONPointer)
	}
	return err
}
