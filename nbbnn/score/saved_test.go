package score

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var savedLabels, savedIndices = []uint8{0, 1}, []int{7, 9}

// savedFile writes the predictions of two images and returns what was written.
func savedFile(t *testing.T, path string, withSamples bool) Saved {
	t.Helper()
	info := SavedInfo{
		Run: "9f3c2a1b44d0", Weights: []string{"ab"}, Data: "shapes10", Part: "test",
		Evaluation: []byte(`{"suite":"first8"}`), Corruption: "fog", Severity: 3,
	}
	testkit.NoError(t, Save(path, info, twoImages(), savedLabels, savedIndices, withSamples))
	return testkit.Must(newSaved(info, twoImages(), savedLabels, savedIndices, withSamples))(t)
}

// What was written is read back, and with the samples gives the very cell.
func TestSavedRoundTrip(t *testing.T) {
	want := testkit.Must(twoImages().Cell(Condition{"fog", 3}, savedLabels))(t)
	for _, withSamples := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "fog-3.npz")
		written := savedFile(t, path, withSamples)
		read := testkit.Must(ReadSaved(path))(t)
		if !reflect.DeepEqual(read, written) {
			t.Errorf("read %+v, want %+v", read, written)
		}
		if has := read.LogSamples != nil; has != withSamples {
			t.Errorf("samples %v, want %v", has, withSamples)
		}
		cell := testkit.Must(read.Cell())(t)
		if withSamples && !reflect.DeepEqual(cell, want) {
			t.Errorf("the cell is %+v, want %+v", cell, want)
		}
		testkit.Near(t, "NLL", cell.NLL, want.NLL, 1e-6)
		testkit.Near(t, "error", cell.Error, want.Error, 0)
		testkit.Near(t, "total entropy", cell.Total, want.Total, 1e-6)
	}
}

// The error of predictions that can't be saved names the file.
func TestUnsavedPredictionsAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fog-3.npz")
	checkError(t, "an image without a label",
		Save(path, SavedInfo{}, twoImages(), []uint8{0}, savedIndices, false),
		"fog-3.npz can't be saved: 1 labels for 2 predicted images")
	checkError(t, "an image without a place",
		Save(path, SavedInfo{}, twoImages(), savedLabels, []int{7}, false),
		"fog-3.npz can't be saved: 2 labels and 1 indices for 2 images")
}

// Python prints the arrays that the page shows how to read.
const pythonReads = `
import json, sys, zipfile, numpy as np
data = np.load(sys.argv[1])
info = json.loads(zipfile.ZipFile(sys.argv[1]).read("info.json"))
p, labels = data["probabilities"], data["labels"]
print(info["corruption"], info["severity"], p.dtype, p.shape, labels.dtype, data["indices"].tolist(), data["log_samples"].shape)
print("%.6f" % -np.log(p[np.arange(len(labels)), labels]).mean())
`

func TestPythonReadsSavedPredictions(t *testing.T) {
	if err := exec.Command("python3", "-c", "import numpy").Run(); err != nil {
		t.Skip("python3 with numpy isn't installed, so NumPy's reading isn't tested")
	}
	path := filepath.Join(t.TempDir(), "fog-3.npz")
	saved := savedFile(t, path, true)
	cell := testkit.Must(saved.Cell())(t)
	output, err := exec.Command("python3", "-c", pythonReads, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	first, second, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
	if want := "fog 3 float32 (2, 2) int64 [7, 9] (2, 2, 2)"; first != want {
		t.Errorf("NumPy reads %q, want %q", first, want)
	}
	want := strconv.FormatFloat(math.Round(cell.NLL*1e6)/1e6, 'g', -1, 64)
	if !strings.HasPrefix(second, want) {
		t.Errorf("NumPy's NLL is %s, want %s", second, want)
	}
}

// rewriteZip copies a file with some members changed; nil removes one.
func rewriteZip(t *testing.T, path string, change map[string]func([]byte) []byte) {
	t.Helper()
	z := testkit.Must(zip.OpenReader(path))(t)
	defer z.Close()
	file := testkit.Must(os.Create(path + ".new"))(t)
	w := zip.NewWriter(file)
	for _, f := range z.File {
		r := testkit.Must(f.Open())(t)
		data := testkit.Must(io.ReadAll(r))(t)
		if c, found := change[f.Name]; found {
			if c == nil {
				continue
			}
			data = c(data)
		}
		part := testkit.Must(w.Create(f.Name))(t) // deflated, which is read too
		testkit.Must(part.Write(data))(t)
	}
	testkit.NoError(t, errors.Join(w.Close(), file.Close(), os.Rename(path+".new", path)))
}

// No bit of a file can change without an error, or without any effect.
func TestFlippedPredictionsAreRefused(t *testing.T) {
	for _, withSamples := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "fog-3.npz")
		savedFile(t, path, withSamples)
		want := testkit.Must(ReadSaved(path))(t)
		sound := testkit.Must(os.ReadFile(path))(t)
		noticed := 0
		for at := range sound {
			damaged := bytes.Clone(sound)
			damaged[at] ^= 1 << (at % 8)
			testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
			got, err := ReadSaved(path)
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("samples %v: a flip of byte %d of %d changes the predictions silently",
					withSamples, at, len(sound))
			}
			if err != nil {
				noticed++
			}
		}
		if noticed < len(sound)/2 { // the others are in times and attributes of the archive
			t.Errorf("samples %v: %d of %d flips are noticed, want more than half", withSamples,
				noticed, len(sound))
		}
	}
}

func TestReadSavedRefuses(t *testing.T) {
	replace := func(old, replacement string) func([]byte) []byte {
		return func(data []byte) []byte {
			return bytes.Replace(data, []byte(old), []byte(replacement), 1)
		}
	}
	for _, c := range []struct {
		name   string
		change map[string]func([]byte) []byte
		want   string
	}{
		{"no info", map[string]func([]byte) []byte{"info.json": nil}, "lacks info.json"},
		{"another version", map[string]func([]byte) []byte{"info.json": replace(`"version":1`,
			`"version":2`)}, "version 2"},
		{"no logarithms", map[string]func([]byte) []byte{"log_probabilities.npy": nil},
			"lacks log_probabilities.npy"},
		{"no labels", map[string]func([]byte) []byte{"labels.npy": nil}, "lacks labels.npy"},
		{"another count", map[string]func([]byte) []byte{"info.json": replace(`"images":2`,
			`"images":3`)}, "want [3 2]"},
		{"a huge count", map[string]func([]byte) []byte{"info.json": replace(`"images":2`,
			`"images":4611686018427387904`)}, "want [4611686018427387904 2]"},
		{"truncated", map[string]func([]byte) []byte{"probabilities.npy": func(data []byte) []byte {
			return data[:len(data)-3]
		}}, "truncated"},
		{"too long", map[string]func([]byte) []byte{"labels.npy": func(data []byte) []byte {
			return append(data, 1)
		}}, "after its last element"},
		{"a label without class", map[string]func([]byte) []byte{
			"labels.npy": func(data []byte) []byte {
				data[len(data)-8] = 9
				return data
			}}, "label 9 in 2 classes"},
	} {
		path := filepath.Join(t.TempDir(), "fog-3.npz")
		savedFile(t, path, false)
		rewriteZip(t, path, c.change)
		_, err := ReadSaved(path)
		checkError(t, c.name, err, c.want)
	}
	path := filepath.Join(t.TempDir(), "fog-3.npz")
	savedFile(t, path, false)
	rewriteZip(t, path, nil)
	if _, err := ReadSaved(path); err != nil {
		t.Errorf("deflated: %v", err)
	}
	data := testkit.Must(os.ReadFile(path))(t)
	testkit.NoError(t, os.WriteFile(path, data[:len(data)/2], 0o644))
	_, err := ReadSaved(path)
	checkError(t, "half a file", err, "holds no saved predictions")
	if _, err := ReadSaved(filepath.Join(t.TempDir(), "none.npz")); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("a file that doesn't exist: error %v, want %v", err, fs.ErrNotExist)
	}
}
