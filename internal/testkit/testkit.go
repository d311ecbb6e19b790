// Package testkit has the common parts of several packages' tests: comparisons of numbers, the
// numeric oracles, errors of one line, and folders that take long to make.
package testkit

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// Near compares numbers or nested slices of them and reports the place with the largest difference.
func Near(t testing.TB, what string, got, want any, tolerance float64) {
	t.Helper()
	g, w := Flatten(got), Flatten(want)
	if len(g) != len(w) {
		t.Errorf("%s: %d values, want %d", what, len(g), len(w))
		return
	}
	worst, difference := 0, 0.0
	for i := range g {
		if d := math.Abs(g[i] - w[i]); d > difference || math.IsNaN(d) {
			worst, difference = i, d
		}
	}
	if difference > tolerance || math.IsNaN(difference) {
		t.Errorf("%s: value %d is %.17g, want %.17g: difference %.3g, tolerance %.3g", what, worst,
			g[worst], w[worst], difference, tolerance)
	}
}

// Flatten returns the numbers of nested slices in order.
func Flatten(values any) []float64 { return flatten(reflect.ValueOf(values)) }

func flatten(v reflect.Value) (flat []float64) {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			flat = append(flat, flatten(v.Index(i))...)
		}
		return flat
	case reflect.Interface:
		return flatten(v.Elem())
	case reflect.Float32, reflect.Float64:
		return []float64{v.Float()}
	default:
		return []float64{float64(v.Int())}
	}
}

// LogSoftmax returns the log-probabilities of logits.
func LogSoftmax(logits []float64) []float64 {
	sum := 0.0
	for _, l := range logits {
		sum += math.Exp(l)
	}
	logs := make([]float64, len(logits))
	for i, l := range logits {
		logs[i] = l - math.Log(sum)
	}
	return logs
}

// Oracle reads one value of the numeric oracles, by the path of keys that leads to it.
// NBBNN_ORACLES names another file than nbbnn/testdata/oracles.json.
func Oracle[T any](t testing.TB, keys ...string) (value T) {
	t.Helper()
	path := os.Getenv("NBBNN_ORACLES")
	if path == "" {
		_, here, _, _ := runtime.Caller(0)
		path = filepath.Join(filepath.Dir(here), "..", "..", "nbbnn", "testdata", "oracles.json")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatalf("%s, %s: %v", path, strings.Join(keys[:i], "."), err)
		}
		if data = object[key]; data == nil {
			t.Fatalf("%s has no %s", path, strings.Join(keys[:i+1], "."))
		}
	}
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%s, %s: %v", path, strings.Join(keys, "."), err)
	}
	return value
}

// Must returns the value of a call that has to succeed, as in testkit.Must(os.ReadFile(path))(t).
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}

// NoError ends the test if there is an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Error checks that an error is one line with each of some texts.
func Error(t testing.TB, what string, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error is %v, want one line with %q", what, err, text)
		}
	}
}

// ErrorOf is Error for an error that begins with the name of one of some packages.
func ErrorOf(t testing.TB, what string, err error, text string, packages ...string) {
	t.Helper()
	Error(t, what, err, text)
	if err == nil || !slices.ContainsFunc(packages, func(name string) bool {
		return strings.HasPrefix(err.Error(), name+": ")
	}) {
		t.Errorf("%s: error is %v, want one of %s", what, err, strings.Join(packages, ", "))
	}
}

// Folders are folders that tests make once, for example trained runs, and then copy. They are kept
// in memory.
type Folders struct {
	made sync.Map // the files of each folder: fstest.MapFS
}

// Copy writes the folder called name to place. The first call makes it there.
func (f *Folders) Copy(t testing.TB, name, place string, create func()) {
	t.Helper()
	if files, found := f.made.Load(name); found {
		NoError(t, os.CopyFS(place, files.(fstest.MapFS)))
		return
	}
	create()
	f.made.Store(name, read(t, place))
}

func read(t testing.TB, place string) fstest.MapFS {
	t.Helper()
	files, folder := fstest.MapFS{}, os.DirFS(place)
	NoError(t, fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	}))
	return files
}
