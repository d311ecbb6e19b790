package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/tools/notebook/ipynb"
)

// runLine runs a notebook and returns the exit status and the only line on standard error.
func runLine(t *testing.T, args ...string) (status int, line string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), append([]string{"run"}, args...), &stdout, &stderr)
	if strings.Count(stderr.String(), "\n") != 1 || stdout.Len() > 0 {
		t.Errorf("run %q prints %q and %q, want one line", args, stderr.String(), stdout.String())
	}
	return status, stderr.String()
}

// Wrong arguments and an output that can't be written are refused before Python is looked for.
func TestRunRefuses(t *testing.T) {
	source := filepath.Join(t.TempDir(), "birds.md")
	testkit.NoError(t, os.WriteFile(source, []byte("# Birds\n\n```go\nx := 1\n```\n"), 0o644))
	folder := filepath.Join(source, "new")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"missing.ipynb"}, commandline.Failed, "missing.ipynb: no such file"},
		{[]string{source, "--out", "a.md"}, commandline.Misused, "ends in .ipynb"},
		{[]string{source, "--out", filepath.Join(folder, "a.ipynb")}, commandline.Failed,
			"can't write results into " + folder + ": "},
	} {
		if status, line := runLine(t, c.args...); status != c.status ||
			!strings.Contains(line, c.want) {
			t.Errorf("%q: status %d, %s, want %d and %q", c.args, status, line, c.status, c.want)
		}
	}
}

// A broken notebook is one line that names it, and nothing is written.
func TestBrokenNotebookIsOneLine(t *testing.T) {
	const sound = `{"cells": [{"cell_type": "code", "metadata": {}, "source": "x"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	testkit.NoError(t, ipynb.Check([]byte(sound)))
	for name, content := range map[string]string{
		"empty": "", "null": "null", "list": "[]", "number": "3", "object": "{}",
		"cut off": sound[:60], "binary": "\x00\x01\xff\xfe",
		"too deep": strings.Repeat("[", 100_000), "UTF-16": "\xff\xfe{\x00}\x00",
		"not a number":      `{"cells": NaN}`,
		"cells null":        `{"cells": null, "nbformat": 4}`,
		"cells a number":    `{"cells": 3, "nbformat": 4}`,
		"cell null":         `{"cells": [null], "nbformat": 4}`,
		"cell without type": `{"cells": [{"source": "x"}], "nbformat": 4}`,
		"source a number":   `{"cells": [{"cell_type": "code", "source": 3}], "nbformat": 4}`,
		"version in quotes": `{"cells": [], "nbformat": "4"}`,
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "broken.ipynb")
		testkit.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		status, line := runLine(t, path, "--out", filepath.Join(folder, "out.ipynb"))
		if status != commandline.Failed || !strings.Contains(line, path+": it isn't a notebook: ") {
			t.Errorf("%s: status %d, %s", name, status, line)
		}
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
			t.Errorf("%s: the folder has %v (%v), want the notebook alone", name, entries, err)
		}
	}
}

// The notebook of an .md file goes next to it, its cells run there, and its text and code are
// cells.
func TestNotebookOfMarkdown(t *testing.T) {
	source := filepath.Join(t.TempDir(), "birds.md")
	testkit.NoError(t, os.WriteFile(source, []byte("# Birds\n\n```go\nx := 1\n```\n"), 0o644))
	work := notebookWork{source: source}.withDefaults()
	if want := strings.TrimSuffix(source, ".md") + ".ipynb"; work.output != want ||
		work.directory != filepath.Dir(source) {
		t.Errorf("the output is %s and cells run in %s, want %s and its folder", work.output,
			work.directory, want)
	}
	if data := string(testkit.Must(work.content())(t)); !strings.Contains(data, `"x := 1"`) ||
		!strings.Contains(data, "# Birds") {
		t.Errorf("got %s, want a cell of text and one of code", data)
	}
}

// A notebook that somebody continued isn't made anew, and any name of a file gives cells that
// Jupyter reads.
func TestNotebookThatWasContinuedStays(t *testing.T) {
	folder := t.TempDir()
	testkit.NoError(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(pythonPath)), 0o755))
	testkit.NoError(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(runnerPath)), 0o755))
	for _, path := range []string{pythonPath, runnerPath} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, path), nil, 0o755))
	}
	work := notebookWork{source: filepath.Join(folder, "über birds 1.2.md")}.withDefaults()
	prepare := func(text string) ([]byte, error) {
		testkit.NoError(t, os.WriteFile(work.source, []byte(text), 0o644))
		_, err := work.prepare()
		return testkit.Must(os.ReadFile(work.output))(t), err
	}
	made, err := prepare("# Birds\n\n```go\nx := 1\n```\n")
	if err != nil || !strings.Contains(string(made), `"id": "-ber-birds-1-2-02"`) {
		t.Errorf("error %v and the notebook\n%s", err, made)
	}
	made, err = prepare("# Birds\n\n```go\nx := 2\n```\n\n```go\n```\n")
	if err == nil {
		made, err = prepare("# Birds\n\n```go\nx := 2\n```\n\n```go\n```\n") // with an empty cell
	}
	if err != nil || !strings.Contains(string(made), "x := 2") {
		t.Errorf("another source: error %v and the notebook\n%s", err, made)
	}
	testkit.NoError(t,
		os.WriteFile(work.output, []byte(strings.Replace(string(made), "x := 2", "x := 22", 1)),
			0o644))
	made, err = prepare("# Birds\n\n```go\nx := 3\n```\n")
	testkit.Error(t, "a continued notebook", err,
		work.output+" may have cells that weren't made of "+work.source)
	if !strings.Contains(string(made), "x := 22") {
		t.Errorf("the notebook is lost:\n%s", made)
	}
}

// An .md file without a cell, or with a string that the kernel would rewrite, is refused.
func TestMarkdownThatIsNoNotebook(t *testing.T) {
	for text, want := range map[string]string{
		"# Notes\n": "it has no code cell",
		"# Bang\n\n```go\ntext := `first\n!echo ran-by-the-shell\nlast`\n```\n": `cell 2: the kernel would run or cut out the line "!echo ran-by-the-shell"`,
	} {
		work := notebookWork{source: filepath.Join(t.TempDir(), "notes.md")}.withDefaults()
		testkit.NoError(t, os.WriteFile(work.source, []byte(text), 0o644))
		if _, err := work.content(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
