package ipynb

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const readyShell = `!sh "$GONB_DIR/ready"` // in the first cell

var (
	gradeCall = regexp.MustCompile(`^\s*(lab\.Grade\("([\w-]+)\.([0-9]+)", \w+\))\s*(?://.*)?$`)
	stub      = regexp.MustCompile(`(?m)^.*// replace this$`) // the line that a solution replaces
)

// nbgraderCell is nbgrader's metadata of a cell.
type nbgraderCell struct {
	Grade         bool   `json:"grade"`
	Identity      string `json:"grade_id"`
	Locked        bool   `json:"locked"`
	Points        int    `json:"points,omitzero"`
	SchemaVersion int    `json:"schema_version"`
	Solution      bool   `json:"solution"`
	Task          bool   `json:"task"`
}

// Assignment returns the notebook as a source of nbgrader, which runs it in any folder and trains
// nothing: each exercise that lab.Grade tries becomes a cell for the solution, and a locked one
// that is worth a point. ready is the path of the script that prepares the kernel. A call of
// lab.Grade that can't be split so, or is repeated, is an error.
func (n Notebook) Assignment(ready string) (Notebook, error) {
	var cells []Cell
	known := map[string]bool{}
	for _, cell := range n.Cells {
		if place := slices.Index(cell.Lines, readyShell); place >= 0 {
			cell.Lines = slices.Clone(cell.Lines)
			cell.Lines[place] = fmt.Sprintf("!sh %q", ready)
		}
		if !strings.Contains(strings.Join(cell.Lines, "\n"), "lab.Grade(") {
			if !cell.Code || !slices.Contains(cell.Lines, "%%") {
				cells = append(cells, cell)
			}
			continue
		}
		divided, err := cell.graded()
		if err == nil && known[divided[0].grading.Identity] {
			err = errors.New("the exercise is graded twice: leave one of the calls out")
		}
		if err != nil {
			return Notebook{}, fmt.Errorf("notebook: %s: the cell of line %d: %w", n.Name,
				cell.Line, err)
		}
		known[divided[0].grading.Identity] = true
		cells = append(cells, divided...)
	}
	n.Cells = cells
	return n, nil
}

// graded divides an exercise that lab.Grade tries.
func (c Cell) graded() ([]Cell, error) {
	last := len(c.Lines)
	for strings.TrimSpace(c.Lines[last-1]) == "" ||
		strings.HasPrefix(strings.TrimSpace(c.Lines[last-1]), "//") {
		last--
	}
	call := gradeCall.FindStringSubmatch(c.Lines[last-1])
	run := slices.Index(c.Lines, "%%")
	if call == nil || run < 0 || strings.Count(strings.Join(c.Lines, "\n"), "lab.Grade(") > 1 {
		return nil,
			errors.New(
				`an exercise ends with a line like lab.Grade("1.1", ece), behind a line %%, and has no other call of lab.Grade`)
	}
	text := strings.TrimRight(strings.Join(c.Lines[:run], "\n"), "\n")
	if !stub.MatchString(text) {
		return nil,
			errors.New(`an exercise marks the line that a solution replaces with "// replace this"`)
	}
	number := call[2] + "-" + call[3]
	solution, grade := c, c
	solution.Lines = splitLines(stub.ReplaceAllString(text, "\t// ### BEGIN SOLUTION\n$0\n\t// "+
		"### END SOLUTION"))
	solution.grading = &nbgraderCell{Identity: "solution-" + number, SchemaVersion: 3,
		Solution: true}
	grade.Lines = append(slices.Clone(c.Lines[run:last-1]),
		fmt.Sprintf("lab.Assert(%s, \"exercise %s.%s is right\")", call[1], call[2], call[3]))
	grade.grading = &nbgraderCell{Identity: "grade-" + number, SchemaVersion: 3, Grade: true,
		Locked: true, Points: 1}
	return []Cell{solution, grade}, nil
}
