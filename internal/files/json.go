package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteJSON writes a value as JSON for people: two spaces for each level, and a line break at the
// end. Equal values give equal bytes.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// strict are the options to read JSON as encoding/json does, except that duplicate and unknown keys
// are errors.
var strict = jsonv2.JoinOptions(json.DefaultOptionsV1(), jsontext.AllowDuplicateNames(false),
	json.ReportErrorsWithLegacySemantics(false), // whose error of two keys doesn't name them
	jsonv2.RejectUnknownMembers(true), jsonv2.MatchCaseInsensitiveNames(false))

// UnknownKeyError is the error of a key that the type doesn't have: the keys that lead to it, and
// it.
type UnknownKeyError []string

// Error names the key, for example "/posterior/mod".
func (e UnknownKeyError) Error() string {
	return fmt.Sprintf("unknown key %.80q", "/"+strings.Join(e, "/"))
}

// ParseJSON reads one JSON value that this program wrote. Keys that the type doesn't have, keys
// that an object has twice, and anything after the value are errors: they are damage, or of a newer
// version.
func ParseJSON(data []byte, value any) error {
	err := jsonv2.Unmarshal(data, value, strict)
	if place, is := errors.AsType[*jsonv2.SemanticError](err); is &&
		errors.Is(err, jsonv2.ErrUnknownName) {
		return UnknownKeyError(slices.Collect(place.JSONPointer.Tokens()))
	}
	return err
}

// A sealed file is a JSON object whose last entry, sha256, is a checksum of all bytes before it and
// of an owner, for example the run that the file belongs to. So a changed byte or another owner's
// file is noticed.

// sealStart begins the checksum at the end of a sealed file.
const sealStart = `"sha256":"`

// WriteSealed replaces the file at path by a value, which must be a JSON object, with a checksum.
func WriteSealed(path, owner string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if data[0] != '{' {
		return errors.New("only a JSON object can hold a checksum")
	}
	body := data[:len(data)-1] // without its brace
	if len(body) > 1 {
		body = append(body, ',')
	}
	return WriteBytes(path, append(body, sealStart+sealOf(owner, body)...))
}

// ReadSealed reads a file of WriteSealed with the same owner.
func ReadSealed(path, owner string, value any) error {
	data, err := ReadFile(path)
	if err != nil {
		return err
	}
	body, seal, _ := bytes.CutLast(data, []byte(sealStart))
	if string(seal) != sealOf(owner, body) {
		return errors.New("its checksum differs")
	}
	return ParseJSON(append(bytes.Clone(bytes.TrimSuffix(body, []byte(","))), '}'), value)
}

// sealOf returns the checksum of a file's text before it, and what ends the file.
func sealOf(owner string, body []byte) string {
	sum := sha256.New()
	io.WriteString(sum, owner)
	sum.Write([]byte{0})
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil)) + "\"}\n"
}
