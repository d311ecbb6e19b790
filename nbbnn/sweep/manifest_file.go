package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
)

// format is the version of a manifest's file.
const format = 1

// manifestFile is the file: a line for each point, so that two plans can be compared.
type manifestFile struct {
	Format     int               `json:"format"`
	Checksum   string            `json:"checksum"` // SHA-256 of the file with zeros in this place
	Evaluation *nbbnn.Evaluation `json:"evaluation,omitempty"`
	Figure     *Figure           `json:"figure,omitempty"`
	Config     json.RawMessage   `json:"config"` // filled
	Points     []entry           `json:"points"`
}

// checksumKey precedes the checksum in the file, and blank is in its place while it is computed.
const checksumKey = `"checksum": "`

var blank = strings.Repeat("0", 2*sha256.Size)

// Write writes the manifest to a file. If the file holds the same plan already it stays as it is;
// it is an error if it holds anything else, because processes may be working on that.
func (m *Manifest) Write(path string) error {
	data, err := m.encode()
	if err != nil {
		return err
	}
	there, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(there, data):
		return nil
	case err == nil:
		return never{fmt.Errorf("sweep: %s is there and holds something else: choose another name, or remove it if nothing runs from it", path)}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("sweep: %w: choose another name for the manifest", err)
	}
	if err := files.WriteBytes(path, data); err != nil {
		return fmt.Errorf("sweep: %w", files.Unwritten(path, err))
	}
	return nil
}

// encode returns the bytes of the file.
func (m *Manifest) encode() ([]byte, error) {
	shared, err := json.Marshal(m.shared)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	head := manifestFile{Format: format, Checksum: blank, Evaluation: m.evaluation, Figure: m.figure, Config: shared, Points: []entry{}}
	var b bytes.Buffer
	if err := files.WriteJSON(&b, head); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	b.Truncate(b.Len() - len("]\n}\n"))
	for i, point := range m.points {
		separator := ",\n    "
		if i == 0 {
			separator = "\n    "
		}
		fmt.Fprintf(&b, `%s{"run": %q, "set": %s}`, separator, point.Run, point.Set)
	}
	b.WriteString("\n  ]\n}\n")
	data := b.Bytes()
	at := bytes.Index(data, []byte(checksumKey)) + len(checksumKey)
	copy(data[at:], checksum(data))
	return data, nil
}

// checksum returns the SHA-256 of a file whose checksum is blank.
func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Read reads a manifest. A file that was edited after planning, or that a newer version wrote, is
// an error wrapping ErrNever.
func Read(path string) (*Manifest, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, never{fmt.Errorf("sweep: there's no manifest %s: `nbbnn sweep plan --manifest %[1]s` writes one", path)}
	}
	if err != nil {
		return nil, fmt.Errorf("sweep: %w: make the manifest readable", err)
	}
	m, err := parse(data)
	if err != nil {
		return nil, never{fmt.Errorf("sweep: %s %w", path, err)}
	}
	return m, nil
}

// parse reads a manifest's bytes, which it changes. Its errors continue a sentence that begins with
// the name of the file.
func parse(data []byte) (*Manifest, error) {
	at := bytes.Index(data[:min(len(data), 200)], []byte(checksumKey))
	if at < 0 || len(data) < at+len(checksumKey)+len(blank) {
		return nil, errors.New("is no manifest of a sweep: `nbbnn sweep plan` writes one")
	}
	place := data[at+len(checksumKey):][:len(blank)]
	want := string(place)
	copy(place, blank)
	sum := checksum(data)
	var file manifestFile
	err := json.Unmarshal(data, &file)
	switch {
	case err == nil && file.Format > format:
		return nil, fmt.Errorf("has the format %d of a newer version, this one reads %d: update this program, or plan again", file.Format, format)
	case sum != want:
		return nil, errors.New("was edited or damaged after planning: restore it, or plan the changed sweep under another name (finished points stay finished)")
	case err != nil:
		return nil, fmt.Errorf("can't be read: %w: plan again", err)
	}
	m := &Manifest{evaluation: file.Evaluation, figure: file.Figure, points: file.Points, checksum: want}
	if err := files.ParseJSON(file.Config, &m.shared); err != nil {
		return nil, fmt.Errorf("can't be read: %w: it was planned by a newer version; update this program, or plan again", err)
	}
	if len(m.points) > 0 {
		m.varying, err = fieldsSet(m.points[0].Set)
	}
	return m, err
}

// fieldsSet returns the fields that a patch sets.
func fieldsSet(data []byte) (list []nbbnn.Field, err error) {
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	for _, f := range nbbnn.Fields() {
		var value any = object
		for _, key := range f.Keys {
			inner, _ := value.(map[string]any)
			value = inner[key]
		}
		if value != nil {
			list = append(list, f)
		}
	}
	return list, nil
}

// patch returns the JSON object that sets some fields of a configuration, zeros included.
func patch(config nbbnn.Config, list []nbbnn.Field) (json.RawMessage, error) {
	object := map[string]any{}
	for _, f := range list {
		at, last := object, len(f.Keys)-1
		for _, key := range f.Keys[:last] {
			if at[key] == nil {
				at[key] = map[string]any{}
			}
			at = at[key].(map[string]any)
		}
		at[f.Keys[last]] = f.In(config).Interface()
	}
	return json.Marshal(object)
}

// ReadConfigs reads a JSON array of configurations. Keys that are left out keep their zero value;
// an unknown key is an error.
func ReadConfigs(path string) ([]nbbnn.Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w: give the JSON file of an array of configurations", err)
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, never{fmt.Errorf("sweep: %s is no array of configurations: %w; put [ ] around them", path, err)}
	}
	configs := make([]nbbnn.Config, len(texts))
	for i, text := range texts {
		if err := files.ParseJSON(text, &configs[i]); err != nil {
			return nil, never{fmt.Errorf("sweep: configuration %d of %s can't be read: %w", i, path, err)}
		}
	}
	return configs, nil
}
