package ipynb

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

const smallSource = `---
jupyter: ignored
---

# Title

First idea,
on two lines.


Second cell.

` + "```go\n%noautoget\n!ls\n```\n\nBefore the figure.\n\n```go tags=[\"figure\"]\n%%\nfmt.Println(\"shown\")\n```\n" + "\n```text\nno cell of its own\n```\n"

// mustParse parses a source that has to be right.
func mustParse(t *testing.T, source string) Notebook {
	t.Helper()
	parsed := testkit.Must(Parse("small", source))(t)
	return parsed
}

func TestParse(t *testing.T) {
	want := []Cell{
		{Line: 5, Lines: []string{"# Title", "", "First idea,", "on two lines."}},
		{Line: 11, Lines: []string{"Second cell."}},
		{Code: true, Line: 14, Lines: []string{"%noautoget", "!ls"}},
		{Line: 18, Lines: []string{"Before the figure."}},
		{Code: true, Line: 21, Tags: []string{"figure"},
			Lines: []string{"%%", `fmt.Println("shown")`}},
		{Line: 25, Lines: []string{"```text", "no cell of its own", "```"}},
	}
	got := mustParse(t, smallSource).Cells
	if len(got) != len(want) {
		t.Fatalf("got %d cells %+v, want %d", len(got), got, len(want))
	}
	for i := range want {
		same := got[i].Code == want[i].Code && got[i].Line == want[i].Line &&
			slices.Equal(got[i].Lines, want[i].Lines) && slices.Equal(got[i].Tags, want[i].Tags)
		if !same {
			t.Errorf("cell %d: got %+v, want %+v", i+1, got[i], want[i])
		}
	}
}

func TestParseFoldedFigure(t *testing.T) {
	cell := mustParse(t,
		"Text.\n\n```go jupyter={\"source_hidden\": true} tags=[\"figure\"]\nx()\n```\n").Cells[1]
	if !cell.Folded || !cell.IsFigure() {
		t.Errorf("got %+v, want a folded cell with a figure", cell)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"open header", "---\ntitle: x\n", "line 1 opens is not closed"},
		{"open cell", "# A\n\n```go\nx := 1\n", "line 3 opens a code cell"},
		{"unknown option", "```go colour=red\n```\n", "unknown cell option colour=red"},
		{"broken tags", "```go tags=[figure\n```\n", "unknown cell option tags=[figure"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("small", test.source)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}
