package nbbnn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
)

// makeFog makes a folder as `nbbnn corrupt make` does, with the manifest, for the test images of a
// run: the suite fog at all severities.
func makeFog(t *testing.T, run *Run, folder string) {
	t.Helper()
	data, err := run.config.OpenData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	source := corrupt.Source{
		Name: "shapes10", Pixels: data.Test.Pixels, Labels: data.Test.Labels,
		Size: corrupt.Size{Height: data.Test.Height, Width: data.Test.Width},
	}
	making := corrupt.Making{Suite: corrupt.Suite{Name: "fog", Corruptions: []string{"fog"}}, Seed: 3}
	if _, err := corrupt.Make(t.Context(), folder, source, making, nil); err != nil {
		t.Fatal(err)
	}
}

// flip changes the lowest bit of one byte of a file.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	value := make([]byte, 1)
	if _, err := file.ReadAt(value, int64(at)); err != nil {
		t.Fatal(err)
	}
	value[0] ^= 1
	if _, err := file.WriteAt(value, int64(at)); err != nil {
		t.Fatal(err)
	}
}

// Images that aren't those of the manifest are refused, and so is a manifest that was changed.
func TestEvaluateRefusesDamagedImages(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	const (
		past  = 200 // bytes, where an array's numbers have begun
		digit = 45  // bytes, within the first checksum of a manifest
	)
	for _, test := range []struct {
		name, file string
		at         int
		want       string
	}{
		{"image", "fog.npy", past, "fog.npy isn't the file that manifest.json lists: repeat nbbnn corrupt make"},
		{"label", "labels.npy", past, "holds 100 labels that aren't those of the test images"},
		{"manifest", corrupt.ManifestName, digit, "another checksum than its content"},
	} {
		folder := filepath.Join(t.TempDir(), "Fog-C")
		makeFog(t, run, folder)
		e := Evaluation{Suite: "fog", Samples: 2, Images: 6, Corrupted: folder}
		flip(t, filepath.Join(folder, test.file), test.at)
		if _, err := run.Evaluate(t.Context(), e, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, want one with %q", test.name, err, test.want)
		}
	}
	folder := filepath.Join(t.TempDir(), "Fog-C")
	makeFog(t, run, folder)
	if _, err := run.Evaluate(t.Context(), Evaluation{Suite: "fog", Samples: 2, Images: 6, Corrupted: folder}, nil); err != nil {
		t.Errorf("a sound set: %v", err)
	}
}

// A file that someone added isn't believed either, until the manifest is gone.
func TestEvaluateRefusesUnlistedImages(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	folder := filepath.Join(t.TempDir(), "Fog-C")
	makeFog(t, run, folder)
	if err := os.Link(filepath.Join(folder, "fog.npy"), filepath.Join(folder, "snow.npy")); err != nil {
		t.Fatal(err)
	}
	e := Evaluation{Suite: "fog,snow", Samples: 2, Images: 6, Corrupted: folder}
	_, err := run.Evaluate(t.Context(), e, nil)
	checkError(t, "unlisted file", err, "manifest.json doesn't list snow.npy: remove the manifest if you added that file")
	if err := os.Remove(filepath.Join(folder, corrupt.ManifestName)); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Evaluate(t.Context(), e, nil); err != nil {
		t.Errorf("without a manifest: %v", err)
	}
}

// A source is named on cards without a checksum, so its files have to be the published ones.
func TestEvaluateRefusesUnpublishedSource(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	folder := filepath.Join(os.Getenv("NBBNN_DATA"), "CIFAR-10-C")
	makeFog(t, run, folder)
	if err := os.Remove(filepath.Join(folder, corrupt.ManifestName)); err != nil {
		t.Fatal(err)
	}
	_, err := run.Evaluate(t.Context(), Evaluation{Suite: "fog", Samples: 2, Images: 6, Corrupted: "cifar10-c"}, nil)
	checkError(t, "unpublished", err, "fog of "+folder+" isn't the published file: `nbbnn data verify cifar10-c`")
}
