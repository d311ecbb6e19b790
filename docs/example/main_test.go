package main

import (
	"os"
	"strings"
	"testing"
)

// The page shows these programs as they are.
func TestPageShowsThePrograms(t *testing.T) {
	page, err := os.ReadFile("../your-own.md")
	if err != nil {
		t.Fatal(err)
	}
	loop, err := os.ReadFile("loop/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop", "smoothed"} {
		_, body, _ := strings.Cut(string(loop), "func "+name+"(")
		body, _, _ = strings.Cut(body, "\n}\n")
		if !strings.Contains(string(page), "```go\nfunc "+name+"("+body+"\n}\n```") {
			t.Errorf("docs/your-own.md doesn't show the function %s of docs/example/loop/main.go",
				name)
		}
	}
	for _, file := range []string{"main.go", "cosine/main.go", "blocks/main.go",
		"gamma/main.go"} {
		program, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, code, _ := strings.Cut(string(program), "package main\n")
		if !strings.Contains(string(page), "```go\npackage main\n"+code+"```") {
			t.Errorf("docs/your-own.md doesn't show docs/example/%s: copy it from the package "+
				"clause on", file)
		}
	}
}
