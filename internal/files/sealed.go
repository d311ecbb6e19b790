package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
)

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
