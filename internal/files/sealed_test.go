package files

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

type sealedContent struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
}

// No bit of a sealed file can change without an error.
func TestFlippedSealedFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.json")
	want := sealedContent{"a <b>", []float64{0.5, 1e-9, 3}}
	testkit.NoError(t, WriteSealed(path, "run", want))
	var got sealedContent
	if err := ReadSealed(path, "run", &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("read %+v (%v), want %+v", got, err, want)
	}
	sound := testkit.Must(os.ReadFile(path))(t)
	for at := range sound {
		for bit := range 8 {
			damaged := bytes.Clone(sound)
			damaged[at] ^= 1 << bit
			testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
			var got sealedContent
			if err := ReadSealed(path, "run", &got); err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("a flip of bit %d of byte %d, %q, changes the value silently", bit, at, sound[at])
			}
		}
	}
}

func TestSealedFilesOfOthersAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.json")
	testkit.NoError(t, WriteSealed(path, "run", sealedContent{Name: "a"}))
	var got sealedContent
	testkit.Error(t, "another owner", ReadSealed(path, "other", &got), "its checksum differs")
	testkit.NoError(t, os.WriteFile(path, []byte(`{"name":"old","values":[2]}`), 0o644))
	if err := ReadSealed(path, "run", &got); err == nil {
		t.Errorf("a file without a checksum is read: %+v", got)
	}
	empty := struct{}{}
	testkit.NoError(t, WriteSealed(path, "run", empty))
	if err := ReadSealed(path, "run", &empty); err != nil {
		t.Errorf("an empty object: %v", err)
	}
	for _, value := range []any{7, []int{1}, nil} {
		if err := WriteSealed(path, "run", value); err == nil {
			t.Errorf("%v was written with a checksum", value)
		}
	}
}
