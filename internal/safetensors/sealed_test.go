package safetensors

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Every byte of a sealed file is checked: a change of one is an error, or changes nothing.
func TestSealedFileRefusesEveryFlip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	want := map[string]string{"weights": "ab", "engine": "go"}
	testkit.NoError(t, WriteSealed(path, "a run", example, want))
	sound, metadata, err := ReadSealed(path, "a run")
	if err != nil || !maps.Equal(metadata, want) {
		t.Fatalf("metadata is %v (%v), want %v", metadata, err, want)
	}
	data := testkit.Must(os.ReadFile(path))(t)
	for at := range data {
		damaged := bytes.Clone(data)
		damaged[at] ^= 1 << (at % 8)
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		tensors, metadata, err := ReadSealed(path, "a run")
		if err == nil && !(reflect.DeepEqual(tensors, sound) && metadata["weights"] == "ab" && metadata["engine"] == "go") {
			t.Errorf("a flip of bit %d of byte %d, %q, goes unnoticed", at%8, at, data[at])
		}
	}
}
