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
	"reflect"
	"slices"
	"strconv"
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
	if place, is := errors.AsType[*jsonv2.SemanticError](err); is {
		return misfit(data, place)
	}
	if place, is := errors.AsType[*jsontext.SyntacticError](err); is {
		return malformed(data, place)
	}
	return err
}

// misfit names the key of a value of another kind than its field's, and both.
func misfit(data []byte, at *jsonv2.SemanticError) error {
	keys := slices.Collect(at.JSONPointer.Tokens())
	if errors.Is(at, jsonv2.ErrUnknownName) {
		return UnknownKeyError(keys)
	}
	place := min(int(at.ByteOffset), len(data))
	rest := bytes.TrimLeft(data[place:], " \t\r\n,:")
	text, err := jsontext.NewDecoder(bytes.NewReader(rest)).ReadValue()
	want := wanted(at.GoType)
	if want == "" || err != nil {
		return at
	}
	if errors.Is(at, strconv.ErrRange) {
		want = "one nearer to 0"
	}
	name := "it"
	if len(keys) > 0 {
		name = strings.Join(keys, ".")
	}
	return fmt.Errorf("%.80s is %s (line %d), want %s", quoted(name), quoted(string(text)),
		lineOf(data, place), want)
}

// quoted returns at most 80 letters of a text as they are printed, without quotes.
func quoted(text string) string {
	text = fmt.Sprintf("%.80q", text)
	return strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
}

// wanted describes the values of a type; "" of other types than a configuration's.
func wanted(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch kind := t.Kind(); {
	case kind >= reflect.Int && kind <= reflect.Int64:
		return "a whole number"
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		return "a whole number from 0 on"
	case kind == reflect.Float64:
		return "a number"
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.String:
		return `a text in "quotes"`
	case kind == reflect.Struct || kind == reflect.Map:
		return "keys with values, in { }"
	case kind == reflect.Slice:
		return "a list, in [ ]"
	}
	return ""
}

// malformed says in which line a text isn't JSON any more.
func malformed(data []byte, at *jsontext.SyntacticError) error {
	keys := slices.Collect(at.JSONPointer.Tokens())
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("it's empty")
	case errors.Is(at, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle")
	case errors.Is(at, jsontext.ErrDuplicateName):
		return fmt.Errorf("line %d: the key %.80q is there twice",
			lineOf(data, min(int(at.ByteOffset), len(data))), strings.Join(keys, "."))
	}
	return fmt.Errorf("line %d: %w", lineOf(data, min(int(at.ByteOffset), len(data))), at.Err)
}

// lineOf returns the number of the line in which a byte is.
func lineOf(data []byte, place int) int { return 1 + bytes.Count(data[:place], []byte("\n")) }

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
