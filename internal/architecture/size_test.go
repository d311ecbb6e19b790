package architecture

import (
	"bytes"
	"go/scanner"
	"go/token"
	"maps"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// size is what a reader meets: tokens and lines of Go that isn't generated, and lines of tests with
// the packages that only they use.
type size struct{ files, tokens, lines, tests int }

func (s *size) add(name string, content []byte, isTest bool) {
	s.files++
	lines := bytes.Count(content, []byte("\n"))
	if isTest {
		s.tests += lines
		return
	}
	s.lines += lines
	var scan scanner.Scanner
	scan.Init(token.NewFileSet().AddFile(name, -1, len(content)), content, nil, 0)
	for _, kind, text := scan.Scan(); kind != token.EOF; _, kind, text = scan.Scan() {
		if kind != token.SEMICOLON || text != "\n" { // the scanner's own at the end of a line
			s.tokens++
		}
	}
}

// helpersOfTests returns the packages in internal that only tests and such packages import.
func helpersOfTests(t *testing.T) map[string]bool {
	helpers, all := map[string]bool{}, sources(t)
	for range 2 { // a helper imports another
		imported := map[string]bool{}
		for folder, files := range all {
			for _, file := range files {
				for _, spec := range file.Imports {
					name := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), module)
					imported[name] = imported[name] || !helpers[folder]
				}
			}
		}
		for folder, files := range all {
			for _, file := range files {
				helpers[folder] = strings.HasPrefix(folder, "internal/") && !imported[folder] &&
					file.Name.Name != "main"
			}
		}
	}
	return helpers
}

// The code grows by half a percent or more only where the CHANGELOG says so.
func TestSizeIsTold(t *testing.T) {
	rooms, helpers := map[string]*size{"all": {}}, helpersOfTests(t)
	eachFile(t, func(name, file string) error {
		if path.Ext(name) != ".go" || strings.Contains(name, "testdata") {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil || bytes.Contains(content, []byte("// Code generated ")) {
			return err
		}
		parts := strings.Split(path.Dir(name), "/")
		room := path.Join(parts[:min(2, len(parts))]...)
		if rooms[room] == nil {
			rooms[room] = &size{}
		}
		isTest := strings.HasSuffix(name, "_test.go") || helpers[path.Dir(name)]
		rooms[room].add(name, content, isTest)
		rooms["all"].add(name, content, isTest)
		return nil
	})
	t.Logf("%-22s %7s %8s %7s %5s", "", "files", "tokens", "lines", "tests")
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		s := rooms[room]
		t.Logf("%-22s %7d %8d %7d %5d", room, s.files, s.tokens, s.lines, s.tests)
	}
	page := testkit.Must(os.ReadFile(path.Join(root, "CHANGELOG.md")))(t)
	told := regexp.MustCompile(`\*\*Size\*\*: ([0-9,]+) tokens`).FindSubmatch(page)
	if told == nil {
		t.Fatal("CHANGELOG.md says no **Size**")
	}
	want := testkit.Must(strconv.Atoi(strings.ReplaceAll(string(told[1]), ",", "")))(t)
	if got := rooms["all"].tokens; math.Abs(float64(got-want)) > 0.005*float64(want) {
		t.Errorf("the code has %d tokens without tests, CHANGELOG.md says %d: write the new "+
			"number there, and what it's for", got, want)
	}
}
