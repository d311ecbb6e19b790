package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNotebookCommandLines(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"notebook", "run", "missing.ipynb"}, exitFailed, "give the path of a notebook"},
		{[]string{"notebook", "run", "../../README.md", "--out", "a.md"}, exitUsage, "ends in .ipynb"},
		{[]string{"notebook", "mend"}, exitUsage, "unknown command"},
	} {
		var out, errors strings.Builder
		status := run(t.Context(), c.args, streams{out: &out, err: &errors})
		if status != c.status || !strings.Contains(errors.String(), c.want) {
			t.Errorf("%v: status %d, %q; want %d and %q", c.args, status, errors.String(), c.status, c.want)
		}
	}
}

// The notebook of an .md file is written next to it, its cells run there, and its text and code are
// cells.
func TestNotebookOfMarkdown(t *testing.T) {
	source := filepath.Join(t.TempDir(), "birds.md")
	if err := os.WriteFile(source, []byte("# Birds\n\n```go\nx := 1\n```\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	work := notebookWork{source: source}.withDefaults()
	if err := work.writeNotebook(); err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSuffix(source, ".md") + ".ipynb"; work.output != want || work.directory != filepath.Dir(source) {
		t.Errorf("the output is %s and cells run in %s, want %s and its folder", work.output, work.directory, want)
	}
	data, err := os.ReadFile(work.output)
	if err != nil || !strings.Contains(string(data), `"x := 1"`) || !strings.Contains(string(data), "# Birds") {
		t.Errorf("got %s (%v), want a cell of text and one of code", data, err)
	}
}

func TestMarkdownWithoutCode(t *testing.T) {
	source := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(source, []byte("# Notes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	work := notebookWork{source: source}.withDefaults()
	if err := work.writeNotebook(); err == nil || !strings.Contains(err.Error(), "no code cell") {
		t.Errorf("got %v, want an error about the code", err)
	}
	if _, err := os.Stat(work.output); err == nil {
		t.Error("a notebook was written")
	}
}
