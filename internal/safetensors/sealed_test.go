package safetensors

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Every byte of a sealed file is checked: a change of one is an error, or changes nothing.
func TestSealedFileRefusesEveryFlip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	want := map[string]string{"weights": "ab", "engine": "go"}
	if err := WriteSealed(path, "a run", example, want); err != nil {
		t.Fatal(err)
	}
	sound, metadata, err := ReadSealed(path, "a run")
	if err != nil || !maps.Equal(metadata, want) {
		t.Fatalf("metadata is %v (%v), want %v", metadata, err, want)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range data {
		damaged := bytes.Clone(data)
		damaged[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		tensors, metadata, err := ReadSealed(path, "a run")
		if err == nil && !(reflect.DeepEqual(tensors, sound) && metadata["weights"] == "ab" && metadata["engine"] == "go") {
			t.Errorf("a flip of bit %d of byte %d, %q, goes unnoticed", at%8, at, data[at])
		}
	}
}
