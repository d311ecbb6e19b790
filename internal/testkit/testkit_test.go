package testkit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// failures counts what a comparison reports.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.count++ }

func TestNearFindsDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		got, want any
		fails     int
	}{
		"equal":        {[]float32{1, 2}, []float64{1, 2.001}, 0},
		"nested":       {[][]int{{1}, {2}}, []any{1.0, 2.0}, 0},
		"far":          {[]float64{1, 2}, []float64{1, 2.1}, 1},
		"not a number": {[]float64{0}, []float64{nan()}, 1},
		"shorter":      {[]float64{1}, []float64{1, 2}, 1},
	} {
		var f failures
		Near(&f, name, c.got, c.want, 0.01)
		if f.count != c.fails {
			t.Errorf("%s: %d failures, want %d", name, f.count, c.fails)
		}
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestErrorWantsOneLine(t *testing.T) {
	for text, fails := range map[string]int{"a b": 0, "a": 1, "a b\nc": 2, "": 2} {
		var f failures
		err := errors.New(text)
		if text == "" {
			err = nil
		}
		Error(&f, "it", err, "a", "b")
		if f.count != fails {
			t.Errorf("%q: %d failures, want %d", text, f.count, fails)
		}
	}
}

func TestFoldersAreMadeOnce(t *testing.T) {
	var folders Folders
	made := 0
	for i := range 3 {
		place := t.TempDir()
		folders.Copy(t, fmt.Sprint("run", i/2), place, func() {
			made++
			if err := os.MkdirAll(filepath.Join(place, "in"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(place, "in", "file"), fmt.Append(nil, made),
				0o644); err != nil {
				t.Fatal(err)
			}
		})
		if got, err := os.ReadFile(filepath.Join(place, "in", "file")); err != nil ||
			string(got) != fmt.Sprint(i/2+1) {
			t.Errorf("copy %d holds %q, %v", i, got, err)
		}
	}
	if made != 2 {
		t.Errorf("made %d times, want 2", made)
	}
}
