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
	if len(sources) < 11 {
		t.Fatalf("%d lessons, want 11", len(sources))
	}
	for _, path := range sources {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		source := testkit.Must(Parse(name, string(testkit.Must(os.ReadFile(path))(t))))(t)
		number := strings.TrimPrefix(name, "lesson-")
		cells := source.Assignment("/workbench/notebooks/ready").Cells
		at := slices.IndexFunc(cells, func(c Cell) bool { return c.grading != nil })
		if len(cells) != len(source.Cells)+1 || at < 0 {
			t.Errorf("%s: %d cells become %d, want one more", name, len(source.Cells), len(cells))
			continue
		}
		solution, grade := cells[at], cells[at+1]
		if text := strings.Join(solution.Lines, "\n"); solution.grading.Identity != "solution-"+number+"-1" || strings.Count(text, "SOLUTION") != 2 || strings.Contains(text, "%%") {
			t.Errorf("%s: the cell of the solution is %+v:\n%s", name, *solution.grading, text)
		}
		if text := strings.Join(grade.Lines, "\n"); !grade.grading.Grade || !strings.HasPrefix(text, "%%\nlab.Assert(lab.Grade(\""+number+".1\", ") {
			t.Errorf("%s: the cell that grades is %+v:\n%s", name, *grade.grading, text)
		}
		if !slices.Contains(cells[1].Lines, `!sh "/workbench/notebooks/ready"`) {
			t.Errorf("%s: the first cell is %q", name, cells[1].Lines)
		}
	}
}
