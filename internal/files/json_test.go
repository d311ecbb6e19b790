package files_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestWrite(t *testing.T) {
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
		if err := files.WriteJSON(&text, c.value); err != nil || text.String() != c.want {
			t.Errorf("%s: got %q, error %v, want %q", c.name, text.String(), err, c.want)
		}
	}
}

// What JSON can't say is an error, and nothing of it is written.
func TestWriteRefusesInfinity(t *testing.T) {
	var text bytes.Buffer
	if err := files.WriteJSON(&text, []float64{1, math.Inf(1)}); err == nil || text.Len() > 0 {
		t.Errorf("error %v after %q, want one and no output", err, text.String())
	}
}

func TestParseJSON(t *testing.T) {
	for text, sound := range map[string]bool{
		`{"a": 1}`: true, "{\"a\": 1}\n": true, `{"a": 1, "b": 2}`: false, `{"a": 1} {"a": 2}`: false, `{"a": 1}*`: false, `{"a": 1`: false, ``: false,
		`{"a": 1, "a": 2}`: false, `{"A": 1}`: false, `{"a": {"a": 2}}`: false, `"a"`: false,
	} {
		var value struct {
			A int `json:"a"`
		}
		if err := files.ParseJSON([]byte(text), &value); (err == nil) != sound {
			t.Errorf("%s gives %d and %v", text, value.A, err)
		}
	}
	var empty struct{}
	for _, text := range []string{`{"\n\u001b[31m": 1}`, `{"\n": 1, "\n": 2}`} {
		testkit.Error(t, text, files.ParseJSON([]byte(text), &empty), `\n`)
	}
}
