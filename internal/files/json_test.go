package files

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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

// The error of a wrong value has its key, the value, its line and what is wanted.
func TestParseJSONSaysWhatIsWrong(t *testing.T) {
	type part struct {
		Epochs int      `json:"epochs"`
		Rate   float64  `json:"rate"`
		Name   string   `json:"name"`
		On     bool     `json:"on"`
		List   []string `json:"list"`
	}
	for _, c := range [][2]string{
		{"{\"seed\": 1,\n\"part\": {\"epochs\": \"four\"}}",
			`part.epochs is "four" (line 2), want a whole number`},
		{`{"part": {"epochs": 1.5}}`, `part.epochs is 1.5 (line 1), want a whole number`},
		{`{"seed": -1}`, `seed is -1 (line 1), want a whole number from 0 on`},
		{`{"seed": 99999999999999999999}`,
			`seed is 99999999999999999999 (line 1), want one nearer to 0`},
		{`{"part": {"rate": "NaN"}}`, `part.rate is "NaN" (line 1), want a number`},
		{`{"part": {"name": 5}}`, `part.name is 5 (line 1), want a text in "quotes"`},
		{`{"part": {"on": null, "list": {}}}`, `part.list is {} (line 1), want a list, in [ ]`},
		{`{"part": {"on": "yes"}}`, `part.on is "yes" (line 1), want true or false`},
		{`{"part": [1]}`, `part is [1] (line 1), want keys with values, in { }`},
		{`[1]`, `it is [1] (line 1), want keys with values, in { }`},
		{`{"part": {"on": true, "on": 1}}`, `line 1: the key "part.on" is there twice`},
		{"{\"seed\": 1,\n}", `line 1: invalid character ','`},
		{`{"seed": 1} and`, `line 1: invalid character 'a' after top-level value`},
		{`{"seed": `, `it ends in the middle`},
		{" \n", `it's empty`},
	} {
		text, want := c[0], c[1]
		var value struct {
			Seed uint64 `json:"seed"`
			Part part   `json:"part"`
		}
		err := ParseJSON([]byte(text), &value)
		testkit.Error(t, text, err, want)
		if err != nil && strings.Contains(err.Error(), "json") {
			t.Errorf("%s: %v", text, err)
		}
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
