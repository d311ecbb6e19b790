package main

import (
	"os"
	"strings"
	"testing"
)

// The page shows this program as it is.
func TestPageShowsTheProgram(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../your-own.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(program), "package main\n")
	if !strings.Contains(string(page), "```go\npackage main\n"+code+"```") {
		t.Error("docs/your-own.md doesn't show docs/example/main.go: copy it from the package clause on")
	}
}
