package files

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// RecordEnding ends the name of a record: a text file that holds others, each after a line with its
// name, "-- cells.csv --". The last line, "-- sha256 ... --", has the checksum of all before it.
// ReadFile and Stat take a record as a folder of these files.
const RecordEnding = ".record"

// Part is a file in a record. Its text ends with a line break, which WriteRecord adds if needed.
type Part struct {
	Name string
	Text []byte
}

// WriteRecord replaces the record at path.
func WriteRecord(path string, parts []Part) error {
	var text bytes.Buffer
	for _, part := range parts {
		fmt.Fprintf(&text, "-- %s --\n%s\n", part.Name, bytes.TrimSuffix(part.Text, []byte("\n")))
	}
	fmt.Fprint(&text, sealOfRecord(text.Bytes()))
	return WriteBytes(path, text.Bytes())
}

func sealOfRecord(text []byte) string {
	return fmt.Sprintf("-- sha256 %x --\n", sha256.Sum256(text))
}

// record is a record that was read, with what shows whether it has changed.
type record struct {
	info   fs.FileInfo
	parts  map[string]string
	damage error // that reading its files returns
}

var records sync.Map // *record by path

// errDamaged is wrapped by the error of a changed record, and is the cure.
var errDamaged = errors.New("keep or download the record again")

// openRecord reads a record, once in a process as long as it doesn't change.
func openRecord(path string) (*record, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if known, found := records.Load(path); found {
		if r := known.(*record); os.SameFile(r.info, info) && r.info.Size() == info.Size() &&
			r.info.ModTime().Equal(info.ModTime()) {
			return r, nil
		}
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	r := &record{info: info, parts: map[string]string{}}
	start := max(0, bytes.LastIndex(data, []byte("-- sha256 ")))
	if string(data[start:]) != sealOfRecord(data[:start]) {
		what := "was changed after it was written"
		if len(data) == 0 {
			what = "is empty"
		} else if !bytes.Contains(data, []byte("\n-- sha256 ")) {
			what = "ends early"
		}
		r.damage, start = fmt.Errorf("%s %s: %w", path, what, errDamaged), len(data)
	}
	r.split(string(data[:start]))
	records.Store(path, r)
	return r, nil
}

// split takes the text of a record apart.
func (r *record) split(text string) {
	text = "\n" + strings.TrimSuffix(text, "\n")
	for _, part := range strings.Split(text, "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		r.parts[name] = body + "\n"
	}
}

// inRecord returns the record of a path "cards/map.record/cells.csv", nil for other paths, and the
// text of its file.
func inRecord(path string) (r *record, text string, err error) {
	folder, name := filepath.Split(path)
	if folder = filepath.Clean(folder); !strings.HasSuffix(folder, RecordEnding) {
		return nil, "", nil
	}
	if info, err := os.Stat(folder); err == nil && info.IsDir() { // somebody's folder of that name
		return nil, "", nil
	}
	if r, err = openRecord(folder); err != nil {
		return &record{}, "", err
	}
	text, found := r.parts[name]
	if !found {
		err = cmp.Or(r.damage, error(&fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}))
	}
	return r, text, err
}

// Stat is os.Stat, also for the files in a record, which have the record's description.
func Stat(path string) (fs.FileInfo, error) {
	if r, _, err := inRecord(path); r != nil {
		return r.info, err
	}
	return os.Stat(path)
}

// Unreadable returns the error of a file that couldn't be read, with the cure for its cause.
func Unreadable(err error) error {
	if _, is := errors.AsType[kindError](err); is { // it has its cure
		return err
	}
	if errors.Is(err, errDamaged) {
		return err
	}
	return fmt.Errorf("%w: make the file readable", err)
}

// Restore says how to restore a damaged file: by a copy or in another way, or with its record.
func Restore(path, otherwise string) string {
	if r, _, _ := inRecord(path); r != nil {
		return errDamaged.Error()
	}
	return "put a copy of the file in its place" + otherwise
}
