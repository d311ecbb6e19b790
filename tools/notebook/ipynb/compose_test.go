package ipynb

import (
	"strings"
	"testing"
)

// composeAll composes cells one after the other, as a kernel that runs them all, and returns the
// last program.
func composeAll(t *testing.T, cells ...string) string {
	t.Helper()
	session, program := newSession("small.md"), ""
	for i, text := range cells {
		var err error
		program, err = session.compose(Cell{Code: true, Line: 10 * (i + 1), Lines: strings.Split(text, "\n")})
		if err != nil {
			t.Fatalf("cell %d: %v", i+1, err)
		}
	}
	return program
}

func TestCompose(t *testing.T) {
	for _, test := range []struct {
		name    string
		cells   []string
		with    []string
		without []string
	}{
		{"commands alone make no program", []string{"%noautoget\n!ls \\\n  && pwd"}, nil, []string{"package"}},
		{"main from percents", []string{"%%\nfmt.Println(1)"}, []string{"func main() { flag.Parse()\nfmt.Println(1)\n}", `import "flag"`}, nil},
		{"main as written", []string{"func main() { println(1) }"}, []string{"func main() { println(1) }"}, []string{"flag"}},
		{"a cell of declarations gets an empty main", []string{"var x = 1"}, []string{"func main() {}", "var x = 1"}, nil},
		{"declarations are remembered", []string{"func f() int { return 1 }", "%%\nprintln(f())"}, []string{"func f() int { return 1 }"}, nil},
		{"main is forgotten", []string{"%%\nprintln(1)", "%%\nprintln(2)"}, []string{"println(2)"}, []string{"println(1)"}},
		{"a later declaration replaces", []string{"var x = 1", "var x = 2"}, []string{"var x = 2"}, []string{"var x = 1"}},
		{"a later declaration replaces one of several", []string{"var x, y = f()", "var y = 2"}, []string{"var y = 2"}, []string{"f()"}},
		{"methods of two types stay apart", []string{"func (a A) f() {}", "func (b *B) f() {}"}, []string{"(a A) f()", "(b *B) f()"}, nil},
		{"used imports are remembered", []string{`import "math"`, "%%\nprintln(math.Pi)"}, []string{`import "math"`}, nil},
		{"unused imports are left out", []string{`import "math"`, "%%\nprintln(1)"}, nil, []string{`"math"`}},
		{"import with a name", []string{`import m "math"`, "%%\nprintln(m.Pi)"}, []string{`import m "math"`}, nil},
		{"import of a later major version", []string{`import "math/rand/v2"`, "%%\nprintln(rand.Int())"}, []string{`import "math/rand/v2"`}, nil},
		{"dot imports are never dropped", []string{`import . "math"`, "%%\nprintln(1)"}, []string{`import . "math"`}, nil},
		{"lines of the source", []string{"var x = 1", "\n%%\nprintln(x)"}, []string{"//line small.md:10\nvar x", "//line small.md:21\nfunc main"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := composeAll(t, test.cells...)
			for _, part := range test.with {
				if !strings.Contains(program, part) {
					t.Errorf("want %q in\n%s", part, program)
				}
			}
			for _, part := range test.without {
				if strings.Contains(program, part) {
					t.Errorf("want no %q in\n%s", part, program)
				}
			}
		})
	}
}

func TestComposeReportsTheLineOfASyntaxError(t *testing.T) {
	_, err := newSession("small.md").compose(Cell{Code: true, Line: 7, Lines: []string{"var x = 1", "var y = )"}})
	if err == nil || !strings.Contains(err.Error(), "small.md:8") {
		t.Errorf("got error %v, want one at small.md:8", err)
	}
}
