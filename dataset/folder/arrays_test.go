package folder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset/folder"
)

// The cure is that of the fault, and no other.
func TestArraysAreRefusedWithTheirCure(t *testing.T) {
	shape, bytes := []int{12, 8, 8}, images(12, 64)
	scaled := func(factor, shift float32) []float32 {
		values := make([]float32, len(bytes))
		for i, value := range bytes {
			values[i] = float32(value)*factor + shift
		}
		return values
	}
	for _, test := range []struct {
		name  string
		write func(path string)
		cure  string
	}{
		{"0 to 1", func(path string) { array(t, path, shape, scaled(1./255, 0)) }, "(255 * images).round().astype(numpy.uint8)"},
		{"0 to 255", func(path string) { array(t, path, shape, scaled(1, 0)) }, "with images.round().astype(numpy.uint8)"},
		{"normalised", func(path string) { array(t, path, shape, scaled(1./64, -1)) }, "undo their normalisation"},
		{"integers", func(path string) { array(t, path, shape, make([]int64, len(bytes))) }, "with images.astype(numpy.uint8)"},
		{"something behind", func(path string) {
			array(t, path, shape, bytes)
			write(t, path, append(readFile(t, path), 0))
		}, "write the file again with numpy.save"},
	} {
		path := t.TempDir()
		test.write(filepath.Join(path, "images.npy"))
		array(t, filepath.Join(path, "labels.npy"), []int{12}, []int64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})
		_, err := folder.Add(t.Context(), "mine", path, folder.Options{Directory: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), test.cure) || strings.Count(err.Error(), "numpy.") > 1 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want the cure %q alone", test.name, err, test.cure)
		}
	}
}

// Floats in 0..1 that were cut to bytes are black.
func TestDarkPicturesAreNoted(t *testing.T) {
	path := t.TempDir()
	values := make([]uint8, 12*64)
	for i := range values {
		values[i] = uint8((i + i/64) % 16)
	}
	array(t, filepath.Join(path, "images.npy"), []int{12, 8, 8}, values)
	array(t, filepath.Join(path, "labels.npy"), []int{12}, []int64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})
	_, notes := open(t, path, folder.Options{})
	dark := func(note string) bool {
		return strings.HasPrefix(note, "the largest value of all pictures is 15 of 255")
	}
	if !slices.ContainsFunc(notes, dark) {
		t.Errorf("notes are %q, want one of nearly black pictures", notes)
	}
	if err := os.Remove(filepath.Join(path, "images.npy")); err != nil {
		t.Fatal(err)
	}
	array(t, filepath.Join(path, "images.npy"), []int{12, 8, 8}, images(12, 64))
	if _, notes = open(t, path, folder.Options{}); slices.ContainsFunc(notes, dark) {
		t.Errorf("notes of bright pictures are %q", notes)
	}
}
