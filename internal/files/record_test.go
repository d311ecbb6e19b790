package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A record is text, gives back its files byte for byte, and has no others. The checksum is the
// SHA-256 that sha256sum gives of all lines but the last.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.a.record")
	parts := []Part{{"a.json", []byte("{}\n")}, {"b.csv", []byte("x,-- y --\n1,2\n")},
		{"empty", []byte("\n")}}
	testkit.NoError(t, WriteRecord(path, parts))
	const body = "-- a.json --\n{}\n-- b.csv --\nx,-- y --\n1,2\n-- empty --\n\n"
	const seal = "-- sha256 a12e34a7053a30c0b20b5569d65fdbe68dec40b81e005e11a229480b1537cb73 --\n"
	if data := testkit.Must(os.ReadFile(path))(t); string(data) != body+seal {
		t.Errorf("the record is\n%s", data)
	}
	for _, part := range parts {
		got := testkit.Must(ReadFile(filepath.Join(path, part.Name)))(t)
		info := testkit.Must(Stat(filepath.Join(path, part.Name)))(t)
		if !bytes.Equal(got, part.Text) || info.Size() != int64(len(body+seal)) {
			t.Errorf("%s is %q, in %d bytes", part.Name, got, info.Size())
		}
	}
	for _, missing := range []string{filepath.Join(path, "c"),
		filepath.Join(path+".record", "a.json")} {
		_, statError := Stat(missing)
		if _, err := ReadFile(missing); !errors.Is(err, fs.ErrNotExist) ||
			!errors.Is(statError, fs.ErrNotExist) {
			t.Errorf("%s: errors %v and %v", missing, err, statError)
		}
	}
	for at := range len(body + seal) { // of a byte that is changed
		damaged := []byte(body + seal)
		damaged[at] ^= 1
		testkit.NoError(t, os.WriteFile(path, damaged[:len(damaged)-at%2], 0o600))
		_, err := ReadFile(filepath.Join(path, "a.json"))
		if err == nil || !strings.HasSuffix(Unreadable(err).Error(),
			"keep or download the record again") {
			t.Fatalf("with byte %d changed: error %v", at, err)
		}
	}
	for text, want := range map[string]string{"": "is empty", "-- a": "ends early",
		body: "ends early", strings.Replace(body, "x", "y",
			1) + seal: "was changed after it was written"} {
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := ReadFile(filepath.Join(path, "a.json"))
		testkit.Error(t, "a record that "+want, err, path+" "+want+": keep or download the record")
	}
	for path, want := range map[string]string{
		"runs/12ab/cells.csv":             "put a copy of the file in its place, or else",
		"cards/map.12ab.record/cells.csv": "keep or download the record again",
	} {
		if got := Restore(path, ", or else"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	folder := filepath.Join(t.TempDir(), "of somebody.record")
	testkit.NoError(t, os.Mkdir(folder, 0o700))
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, "a"), []byte("text"), 0o600))
	if got := testkit.Must(ReadFile(filepath.Join(folder, "a")))(t); string(got) != "text" {
		t.Errorf("a file in a folder with the ending of records is %q", got)
	}
}

// A record is read once as long as it has the size and the time of change that it had then.
func TestRecordsAreReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.a.record")
	testkit.NoError(t, WriteRecord(path, []Part{{"a", []byte("old\n")}}))
	info := testkit.Must(os.Stat(path))(t)
	text := func() string { return string(testkit.Must(ReadFile(filepath.Join(path, "a")))(t)) }
	if got := text(); got != "old\n" {
		t.Fatalf("it holds %q", got)
	}
	whole := testkit.Must(os.ReadFile(path))(t)
	testkit.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("?"), len(whole)), 0o600))
	testkit.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	if got := text(); got != "old\n" {
		t.Errorf("an unchanged record is read again: %q", got)
	}
	testkit.NoError(t, WriteRecord(path, []Part{{"a", []byte("new\n")}}))
	if got := text(); got != "new\n" {
		t.Errorf("after a change it holds %q", got)
	}
}
