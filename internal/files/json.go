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
	"os"
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

// strict are the options to read JSON as encoding/json does, but for keys that an object has twice or
// that the type doesn't have, which are errors.
var strict = jsonv2.JoinOptions(json.DefaultOptionsV1(), jsontext.AllowDuplicateNames(false),
	json.ReportErrorsWithLegacySemantics(false), // whose error of two keys doesn't name them
	jsonv2.RejectUnknownMembers(true), jsonv2.MatchCaseInsensitiveNames(false))

// UnknownKeyError is the error of a key that the type doesn't have: the keys that lead to it, and it.
type UnknownKeyError []string

// Error names the key, such as "/posterior/mod".
func (e UnknownKeyError) Error() string {
	return fmt.Sprintf("unknown key %.80q", "/"+strings.Join(e, "/"))
}

// ParseJSON reads one JSON value that this program wrote. Keys that the type doesn't have, keys
// that an object has twice, and anything after the value are errors: they are damage, or of a newer
// version.
func ParseJSON(data []byte, value any) error {
	err := jsonv2.Unmarshal(data, value, strict)
	if place, is := errors.AsType[*jsonv2.SemanticError](err); is && errors.Is(err, jsonv2.ErrUnknownName) {
		return UnknownKeyError(slices.Collect(place.JSONPointer.Tokens()))
	}
	return err
}

// A sealed file is a JSON object whose last entry, sha256, is a checksum of all bytes before it and
// of an owner, such as the run that the file belongs to. So a changed byte or another owner's file
// is noticed.

// Around the checksum at the end of a sealed file.
const (
	sealStart  = `"sha256":"`
	sealEnd    = "\"}\n"
	sealLength = len(sealStart) + 2*sha256.Size + len(sealEnd)
)

// WriteSealed replaces the file at path by a value, which must be a JSON object, with a checksum.
func WriteSealed(path, owner string, value any) error {
	data, err := seal(owner, value)
	if err != nil {
		return err
	}
	return WriteBytes(path, data)
}

// seal returns the content of a sealed file.
func seal(owner string, value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if data[0] != '{' {
		return nil, errors.New("only a JSON object can hold a checksum")
	}
	data = data[:len(data)-1] // without its brace
	if len(data) > 1 {
		data = append(data, ',')
	}
	return append(data, sealStart+sealOf(owner, data)+sealEnd...), nil
}

// ReadSealed reads a file of WriteSealed with the same owner.
func ReadSealed(path, owner string, value any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	body, sum := splitSeal(data)
	if sum != sealOf(owner, body) {
		return errors.New("its checksum differs")
	}
	return ParseJSON(append(bytes.Clone(bytes.TrimSuffix(body, []byte(","))), '}'), value)
}

// splitSeal separates the checksum from the object before it, which lacks its last brace. The
// checksum is "" in another file.
func splitSeal(data []byte) (body []byte, sum string) {
	if len(data) < sealLength {
		return nil, ""
	}
	body, end := data[:len(data)-sealLength], data[len(data)-sealLength:]
	if !bytes.HasPrefix(end, []byte(sealStart)) || !bytes.HasSuffix(end, []byte(sealEnd)) {
		return nil, ""
	}
	return body, string(end[len(sealStart) : len(end)-len(sealEnd)])
}

func sealOf(owner string, body []byte) string {
	sum := sha256.New()
	io.WriteString(sum, owner)
	sum.Write([]byte{0})
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil))
}
