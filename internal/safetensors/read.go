package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// largestHeader is the most bytes that a header may have, the format's own limit.
const largestHeader = 100_000_000

// mostTensors bounds the time that a hostile header takes.
const mostTensors = 100_000

// Read returns the tensors of a file in the order of their names, and its metadata. The tensors
// share one piece of memory.
func Read(path string) (tensors []Tensor, metadata map[string]string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("safetensors: %w: give the path of a file that can be read", err)
	}
	tensors, metadata, err = Decode(data)
	var unread *typeError
	switch kind := kindOf(data); {
	case err != nil && kind != "":
		return nil, nil, fmt.Errorf("safetensors: %s is %s", path, kind)
	case errors.As(err, &unread):
		return nil, nil, fmt.Errorf("safetensors: %s: %w", path, err)
	case err != nil:
		return nil, nil, fmt.Errorf("safetensors: %s is damaged: %w: put a copy of it in its place, or name another file", path, err)
	}
	return tensors, metadata, nil
}

// ReadMetadata returns the metadata of a file without reading its tensors.
func ReadMetadata(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var length uint64
	if err := binary.Read(file, binary.LittleEndian, &length); err != nil || length > largestHeader {
		return nil, fmt.Errorf("safetensors: %s is damaged: it has no header: put a copy in its place", path)
	}
	header, err := io.ReadAll(io.LimitReader(file, int64(length)))
	if err != nil {
		return nil, err
	}
	_, metadata, err := parseHeader(header)
	return metadata, err
}

// Decode reads a whole file that is in memory. The tensors share its memory.
func Decode(data []byte) (tensors []Tensor, metadata map[string]string, err error) {
	header, data, err := splitHeader(data)
	if err != nil {
		return nil, nil, err
	}
	entries, metadata, err := parseHeader(header)
	if err != nil {
		return nil, nil, err
	}
	if err := checkLayout(entries, len(data)); err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		t := Tensor{e.name, e.DType, e.Shape, data[e.Offsets[0]:e.Offsets[1]:e.Offsets[1]]}
		if err := t.check(); err != nil {
			return nil, nil, err
		}
		tensors = append(tensors, t)
	}
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return tensors, metadata, nil
}

func splitHeader(file []byte) (header, data []byte, err error) {
	if len(file) < 8 {
		return nil, nil, fmt.Errorf("truncated: %d bytes are no file", len(file))
	}
	length := binary.LittleEndian.Uint64(file)
	if rest := file[8:]; length <= uint64(min(len(rest), largestHeader)) {
		return rest[:length], rest[length:], nil
	}
	return nil, nil, fmt.Errorf("truncated, or of another format: a header of %d bytes doesn't fit in a file of %d", length, len(file))
}

type namedEntry struct {
	name string
	entry
}

// parseHeader reads the header key by key, since a JSON object may have a key twice.
func parseHeader(header []byte) (entries []namedEntry, metadata map[string]string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(header))
	decoder.DisallowUnknownFields()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, nil, errors.New("the header is no JSON object")
	}
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, nil, err
		}
		name := token.(string) // what else a key is, Token has refused
		if seen[name] {
			return nil, nil, fmt.Errorf("tensor %q is there twice", name)
		}
		seen[name] = true
		if len(seen) > mostTensors {
			return nil, nil, fmt.Errorf("more than %d tensors, which no network has", mostTensors)
		}
		if name == metadataKey {
			err = decoder.Decode(&metadata)
		} else {
			e := namedEntry{name: name}
			err = e.entry.read(decoder)
			entries = append(entries, e)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("header of %q: %w", name, err)
		}
	}
	return entries, metadata, checkEnd(decoder)
}

// read reads an object that has each key once, as it's spelt; Decode would take the last of two, in
// letters of any case.
func (e *entry) read(decoder *json.Decoder) error {
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return errors.New("it's no JSON object")
	}
	var offsets []int
	fields := []struct {
		key    string
		target any
		seen   bool
	}{{key: "dtype", target: &e.DType}, {key: "shape", target: &e.Shape}, {key: "data_offsets", target: &offsets}}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		at := 0
		for at < len(fields) && fields[at].key != token {
			at++
		}
		if at == len(fields) || fields[at].seen {
			return fmt.Errorf("unknown field %.40q, or one that is there twice", token)
		}
		fields[at].seen = true
		if err := decoder.Decode(fields[at].target); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return err
	}
	if e.DType == "" || e.Shape == nil || len(offsets) != 2 {
		return errors.New("dtype, shape or data_offsets is missing, or has another length")
	}
	e.Offsets = [2]int(offsets)
	return nil
}

// checkEnd checks that only spaces follow the object.
func checkEnd(decoder *json.Decoder) error {
	if token, err := decoder.Token(); err != nil || token != json.Delim('}') || decoder.More() {
		return errors.New("the header doesn't end with its JSON object")
	}
	return nil
}

// checkLayout checks that the tensors fill the data without gaps and overlaps. It sorts them by
// their place.
func checkLayout(entries []namedEntry, length int) error {
	slices.SortFunc(entries, func(a, b namedEntry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]))
	})
	end := 0
	for _, e := range entries {
		if e.Offsets[0] == end && e.Offsets[1] > length {
			return fmt.Errorf("truncated: tensor %q ends at byte %d of %d", e.name, e.Offsets[1], length)
		}
		if e.Offsets[0] != end || e.Offsets[1] < end {
			return fmt.Errorf("tensor %q has the bytes %v, the one before ends at %d of %d", e.name, e.Offsets, end, length)
		}
		end = e.Offsets[1]
	}
	if end != length {
		return fmt.Errorf("the tensors end at %d of %d bytes", end, length)
	}
	return nil
}
