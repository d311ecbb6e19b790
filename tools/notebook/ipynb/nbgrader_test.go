package ipynb

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Each lesson has a first exercise, which becomes a cell for the solution and one that grades it.
func TestAssignmentsOfLessons(t *testing.T) {
	sources := testkit.Must(filepath.Glob("../../../notebooks/lesson-*.md"))(t)
	if len(sources) < 12 {
		t.Fatalf("%d lessons, want 12", len(sources))
	}
	for _, path := range sources {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		source := testkit.Must(Parse(name, string(testkit.Must(os.ReadFile(path))(t))))(t)
		number := strings.TrimPrefix(name, "lesson-")
		cells := testkit.Must(source.Assignment("/workbench/notebooks/ready"))(t).Cells
		at := slices.IndexFunc(cells, func(c Cell) bool { return c.grading != nil })
		graded, kept := 0, 0
		for _, cell := range source.Cells {
			calls := strings.Count(strings.Join(cell.Lines, "\n"), "lab.Grade(")
			graded += calls
			if calls == 0 && !slices.Contains(cell.Lines, "%%") {
				kept++
			}
		}
		if len(cells) != kept+2*graded || graded != 2 || at < 0 {
			t.Errorf("%s: %d cells with %d exercises, want %d and 2 of each of 2 exercises", name,
				len(cells), graded, kept)
			continue
		}
		solution, grade := cells[at], cells[at+1]
		if text := strings.Join(solution.Lines, "\n"); solution.grading.Identity != "solution-"+
			number+"-1" || strings.Count(text, "SOLUTION") != 2 || strings.Contains(text, "%%") {
			t.Errorf("%s: the cell of the solution is %+v:\n%s", name, *solution.grading, text)
		}
		if text := strings.Join(grade.Lines, "\n"); !grade.grading.Grade ||
			!strings.HasPrefix(text, "%%\nlab.Assert(lab.Grade(\""+number+".1\", ") {
			t.Errorf("%s: the cell that grades is %+v:\n%s", name, *grade.grading, text)
		}
		if !slices.Contains(cells[1].Lines, `!sh "/workbench/notebooks/ready"`) {
			t.Errorf("%s: the first cell is %q", name, cells[1].Lines)
		}
	}
}

// A notebook of one's own loses no exercise: each call of lab.Grade becomes a cell that grades, or
// is an error.
func TestAssignmentOfAnOwnNotebook(t *testing.T) {
	const function = "func ece() float64 {\n\treturn 0 // replace this\n}\n\n"
	assignment := func(cells ...string) (Notebook, error) {
		source := testkit.Must(Parse("own", "# Mine\n\n```go\n"+
			strings.Join(cells, "\n```\n\n```go\n")+"\n```\n"))(t)
		return source.Assignment("ready")
	}
	for _, end := range []string{
		"%%\nlab.Grade(\"1.1\", ece)", "%%\nfmt.Println(1)\nlab.Grade(\"1.1\", ece) // try it\n\n",
		"%%\n\tlab.Grade(\"1.1\", ece)\n// the end",
	} {
		n := testkit.Must(assignment("", function+end, "%%"))(t) // and an empty cell
		graded := 0
		for _, cell := range n.Cells {
			if cell.grading != nil && cell.grading.Grade {
				graded++
				if text := strings.Join(cell.Lines, "\n"); strings.Contains(end,
					"Println") != strings.Contains(text, "Println") {
					t.Errorf("%q becomes %q", end, text)
				}
			}
		}
		if graded != 1 {
			t.Errorf("%q: %d cells grade, want 1", end, graded)
		}
	}
	const call = "lab.Grade(\"1.1\", ece)"
	for cell, want := range map[string]string{
		function + "%%\ngood := " + call:             "an exercise ends with a line",
		function + "func main() {\n" + call + "\n}":  "an exercise ends with a line",
		function + "%%\n" + call + "\nfmt.Println()": "an exercise ends with a line",
		function + "%%\n" + call + "\n" + call:       "no other call",
		"%%\n" + call:                                "// replace this",
	} {
		_, err := assignment(cell)
		testkit.Error(t, cell, err, "own: the cell of line", want)
	}
	_, err := assignment(function+"%%\n"+call, function+"%%\n"+call)
	testkit.Error(t, "twice", err, "graded twice")
}
