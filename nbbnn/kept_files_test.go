package nbbnn

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// No byte of kept statistics can change without their being computed again.
func TestFlippedStatisticsAreNotLoaded(t *testing.T) {
	kept := statistics{directory: t.TempDir(), weights: "ab12", engine: "go"}
	tensors := []network.Tensor{{Name: "mean", DType: "F32", Shape: []int{2}, Data: []byte{0, 0, 128, 63, 1, 2, 3, 4}}}
	kept.Save("seed0-sample1", tensors)
	path := kept.path("seed0-sample1")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := kept.Load("seed0-sample1"); !reflect.DeepEqual(got, tensors) {
		t.Fatalf("loaded %v, want %v", got, tensors)
	}
	for at := range sound {
		damaged := bytes.Clone(sound)
		damaged[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := kept.Load("seed0-sample1"); got != nil && !reflect.DeepEqual(got, tensors) {
			t.Errorf("a flip of byte %d of %d changes the statistics silently", at, len(sound))
		}
	}
	if err := os.WriteFile(kept.path("seed0-sample2"), sound, 0o644); err != nil {
		t.Fatal(err)
	}
	if kept.Load("seed0-sample2") != nil {
		t.Error("the statistics of another draw are loaded")
	}
	if err := safetensors.Write(path, tensors, kept.metadata()); err != nil {
		t.Fatal(err)
	}
	if got := kept.Load("seed0-sample1"); got != nil {
		t.Errorf("without a checksum %v are loaded", got)
	}
}

// The members of an ensemble are those that its directory is named after.
func TestFlippedEnsembleIsRefused(t *testing.T) {
	content := ensembleFile{Members: []string{"ab", "cd"}, Weights: []string{"12", "34"}}
	directory := filepath.Join(t.TempDir(), content.name())
	if err := content.write(directory); err != nil {
		t.Fatal(err)
	}
	flipEach(t, filepath.Join(directory, "ensemble.json"), func() ([]string, error) { return EnsembleMembers(directory) })
	if members, err := EnsembleMembers(directory); err != nil || !reflect.DeepEqual(members, content.Members) {
		t.Errorf("members %v (%v), want %v", members, err, content.Members)
	}
	path := filepath.Join(directory, "ensemble.json")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", strings.Replace(string(sound), "ab", "aa", 1), string(sound)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := content.write(directory); (err == nil) != (text == string(sound)) {
			t.Errorf("an evaluation with the file %q: error %v", text, err)
		}
	}
	moved := filepath.Join(filepath.Dir(directory), "ensemble-0123456789ab")
	if err := os.Rename(directory, moved); err != nil {
		t.Fatal(err)
	}
	_, err = EnsembleMembers(moved)
	checkError(t, "another name", err, "aren't those that the directory is named after")
}
