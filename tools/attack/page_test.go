package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
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
	tested := map[string]bool{}
	for _, f := range faults {
		tested[f.id] = true
		if !testsIn(t, f.folder)[f.test] {
			t.Errorf("%s has no %s, the test of: %s", f.folder, f.test, f.text)
		}
	}
	for kind, count := range map[string]int{"M": 5, "L": 14, "E": 8} {
		for i := range count {
			if id := fmt.Sprintf("%s%d", kind, i+1); !tested[id] {
				t.Errorf("fault %s has no test", id)
			}
			delete(tested, fmt.Sprintf("%s%d", kind, i+1))
		}
	}
	if len(tested) > 0 {
		t.Errorf("unknown faults: %v", tested)
	}
}

// pythonTest matches the classes and methods of Python's tests.
var pythonTest = regexp.MustCompile(`(?m)^class (\w+)\(unittest\.TestCase\)|^    def (test_\w+)\(`)

// pythonTestsIn adds the tests of a folder's Python files, such as TestRun.test_panic.
func pythonTestsIn(t *testing.T, folder string, names map[string]bool) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "test_*.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		class := ""
		for _, match := range pythonTest.FindAllStringSubmatch(string(source), -1) {
			class = cmp.Or(match[1], class)
			names[class+"."+match[2]] = true
		}
	}
}

// testsIn returns the names of the functions in a folder's tests, in Go and Python.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	pythonTestsIn(t, folder, names)
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
	if got := strings.Count(page, "Not tried yet"); got != len(kinds)+2 { // the soak, shapes, costs, and all but disks
		t.Errorf("%d kinds of attack are said not to be tried, want %d", got, len(kinds)+2)
	}
	for _, f := range faults[1:] {
		if want := "|" + f.name + "|" + notTried + "|"; !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// rowsOf returns a record of flips with one attack on each target.
func rowsOf(verdict string, targets ...string) record {
	var counts tally
	for _, target := range targets {
		counts.add("flips", target, verdict)
	}
	return record{Kind: "flips", Command: "attack flips", Date: "2026-01-01", Machine: "here", Minutes: 2, Rows: counts.rows}
}

// With --only the rows of the other targets stay.
func TestRowsOfSomeTargetsAreReplaced(t *testing.T) {
	attacks := filepath.Join(t.TempDir(), "attacks.json")
	if err := addRecord(attacks, rowsOf(crashed, "cells", "card")); err != nil {
		t.Fatal(err)
	}
	for _, date := range []string{"2026-01-01", "2026-01-02", "2026-01-03"} {
		r := rowsOf(noticed, "card", "export")
		r.Date = date
		if err := addRows(attacks, r); err != nil {
			t.Fatal(err)
		}
	}
	records, err := readRecords(attacks)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records["flips"].Rows {
		got = append(got, fmt.Sprint(r.Target, r.Tried, r.Verdicts[noticed]))
	}
	if want := "cells1 0 card1 1 export1 1"; strings.Join(got, " ") != want || records["flips"].Minutes != 8 {
		t.Errorf("the rows are %q after %g minutes, want %q", got, records["flips"].Minutes, want)
	}
	if date := records["flips"].Date; date != "2026-01-01 to 2026-01-03" {
		t.Errorf("the date is %q", date)
	}
}

// Rows of other arguments, of another machine or of a kind without a record are refused: the line
// under a table says how all of its rows are repeated.
func TestRowsOfOtherArgumentsAreRefused(t *testing.T) {
	attacks := filepath.Join(t.TempDir(), "attacks.json")
	if err := addRecord(attacks, rowsOf(noticed, "card")); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(attacks)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*record){
		"arguments": func(r *record) { r.Command += " --tries 3" },
		"machine":   func(r *record) { r.Machine = "there" },
		"kind":      func(r *record) { r.Kind = "kills" },
	} {
		r := rowsOf(noticed, "card")
		change(&r)
		err := addRows(attacks, r)
		if after, _ := os.ReadFile(attacks); err == nil || string(after) != string(before) {
			t.Errorf("rows of another %s are added", name)
		}
	}
	a := &app{only: "card", record: attacks, tries: 3, seed: 1}
	if err := a.run(t.Context(), kinds[0]); err == nil || !strings.Contains(err.Error(), "use the same arguments") {
		t.Errorf("the attack begins, though its rows can't be recorded: %v", err)
	}
}
