package ipynb

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// emptyModule writes a module that requires nothing and returns its directory.
func emptyModule(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/notebooks\n\ngo 1.26\n",
		"go.sum": ""} {
		testkit.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o644))
	}
	return directory
}

func TestVet(t *testing.T) {
	header :=
		"Text.\n\n```go\n%noautoget\n!ls\nimport \"fmt\"\n\nvar x = 1\n\n%%\nfmt.Println()\n```\n\n"
	for _, test := range []struct{ name, cell, want string }{
		{"good", "func two() int { return 2 }\n\n%%\nfmt.Println(x + two())", ""},
		{"wrong type", "%%\nvar y string = x\nfmt.Println(y)", "small.md:16:"},
		{"unused variable", "%%\ny := x", "small.md:16:"},
		{"missing import", "%%\nmath.Sqrt(2)", "undefined: math"},
		{"wrong format", "%%\nfmt.Printf(\"%d\", \"text\")", "small.md:16:"},
		{"a name of an earlier cell", "var x = 2", "small.md:15:"},
		{"no Go", "var y = )", "small.md:15:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Vet(context.Background(), mustParse(t, header+"```go\n"+test.cell+"\n```\n"),
				emptyModule(t))
			if test.want == "" && err != nil {
				t.Errorf("got error %v, want none", err)
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestVetWithoutModule(t *testing.T) {
	err := Vet(context.Background(), mustParse(t, "Text.\n"), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("got error %v, want one that names go.mod", err)
	}
}

// Cells are vetted as they're built: the Makefile gives these flags to the kernel and warms the
// cache with them.
func TestVetTakesTheFlagsOfCells(t *testing.T) {
	want := "\nCELLS := " + strings.Join(cellFlags, " ") + "\n"
	if text, err := os.ReadFile("../../../Makefile"); err != nil ||
		!strings.Contains(string(text), want) {
		t.Errorf("Makefile: error %v, want %q in it", err, want)
	}
}
