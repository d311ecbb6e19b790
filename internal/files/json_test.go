package files

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestWriteJSON(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"a number", 0.5, "0.5\n"},
		{"sorted keys", map[string]int{"b": 2, "a": 1}, "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"two levels", []any{[]int{1}, "x"}, "[\n  [\n    1\n  ],\n  \"x\"\n]\n"},
		{"nothing inside", struct{}{}, "{}\n"},
	} {
		var text bytes.Buffer
		if err := WriteJSON(&text, c.value); err != nil || text.String() != c.want {
			t.Errorf("%s: got %q, error %v, want %q", c.name, text.String(), err, c.want)
		}
	}
}

// What JSON can't say is an error, and nothing of it is written.
func TestWriteJSONRefusesInfinity(t *testing.T) {
	var text bytes.Buffer
	if err := WriteJSON(&text, []float64{1, math.Inf(1)}); err == nil || text.Len() > 0 {
		t.Errorf("error %v after %q, want one and no output", err, text.String())
	}
}

func TestParseJSON(t *testing.T) {
	for text, sound := range map[string]bool{
		`{"a": 1}`: true, "{\"a\": 1}\n": true, `{"a": 1, "b": 2}`: false,
		`{"a": 1} {"a": 2}`: false, `{"a": 1}*`: false, `{"a": 1`: false, ``: false,
		`{"a": 1, "a": 2}`: false, `{"A": 1}`: false, `{"a": {"a": 2}}`: false, `"a"`: false,
	} {
		var value struct {
			A int `json:"a"`
		}
		if err := ParseJSON([]byte(text), &value); (err == nil) != sound {
			t.Errorf("%s gives %d and %v", text, value.A, err)
		}
	}
	var empty struct{}
	for _, text := range []string{`{"\n\u001b[31m": 1}`, `{"\n": 1, "\n": 2}`} {
		testkit.Error(t, text, ParseJSON([]byte(text), &empty), `\n`)
	}
}

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
				t.Errorf("a flip of bit %d of byte %d, %q, changes the value silently", bit, at,
					sound[at])
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
