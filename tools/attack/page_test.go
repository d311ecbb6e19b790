package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// Every fault that was found has a test, which exists.
func TestFaultsHaveTests(t *testing.T) {
	faults := parseFaults(faultList)
	if lines := strings.Count(faultList, "\n"); len(faults) != lines || lines == 0 {
		t.Fatalf("%d faults in %d lines", len(faults), lines)
	}
	for _, f := range faults {
		if !testsIn(t, f.folder)[f.test] {
			t.Errorf("%s has no %s, the test of: %s", f.folder, f.test, f.text)
		}
	}
}

// testsIn returns the names of the functions in a folder's tests.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if function, is := declaration.(*ast.FuncDecl); is {
				names[function.Name.Name] = true
			}
		}
	}
	return names
}

// The page is what its counts say.
func TestPageIsUpToDate(t *testing.T) {
	want, err := pageOf(filepath.Join(root, "docs", "reliability", "attacks.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil || string(got) != want {
		t.Errorf("docs/reliability.md isn't what its counts say (%v): make reliability", err)
	}
}

// Kinds of attack and faults of disks without counts are on the page.
func TestPageSaysWhatWasNotTried(t *testing.T) {
	attacks := filepath.Join(t.TempDir(), "attacks.json")
	var counts tally
	counts.add("disk", faults[0].name, noticed)
	if err := addRecord(attacks, record{Kind: "disk", Rows: counts.rows}); err != nil {
		t.Fatal(err)
	}
	page, err := pageOf(attacks)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(page, "Not tried yet"); got != len(kinds) { // the soak, and all but disks
		t.Errorf("%d kinds of attack are said not to be tried, want %d", got, len(kinds))
	}
	for _, f := range faults[1:] {
		if want := "|" + f.name + "|" + notTried + "|"; !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
