package ipynb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const readyShell = `!sh "$GONB_DIR/ready"` // in the first cell

var (
	gradeCall = regexp.MustCompile(`^lab\.Grade\("([0-9]+)\.([0-9]+)", \w+\)$`)
	stub      = regexp.MustCompile(`(?m)^.*// replace this$`) // the line that a solution replaces
)

// nbgraderCell is what nbgrader keeps of a cell in a notebook file.
type nbgraderCell struct {
	Grade         bool   `json:"grade"`
	Identity      string `json:"grade_id"`
	Locked        bool   `json:"locked"`
	Points        int    `json:"points,omitzero"`
	SchemaVersion int    `json:"schema_version"`
	Solution      bool   `json:"solution"`
	Task          bool   `json:"task"`
}

// Assignment returns the notebook as a source of nbgrader, which runs it in any folder: each exercise
// that lab.Grade tries becomes a cell for the solution, and a locked one that is worth a point. ready is
// the path of the script that prepares the kernel.
func (n Notebook) Assignment(ready string) Notebook {
	var cells []Cell
	for _, cell := range n.Cells {
		if place := slices.Index(cell.Lines, readyShell); place >= 0 {
			cell.Lines = slices.Clone(cell.Lines)
			cell.Lines[place] = fmt.Sprintf("!sh %q", ready)
		}
		cells = append(cells, cell.graded()...)
	}
	n.Cells = cells
	return n
}

// graded divides an exercise that lab.Grade tries, and returns any other cell as it is.
func (c Cell) graded() []Cell {
	call := gradeCall.FindStringSubmatch(c.Lines[len(c.Lines)-1])
	run := slices.Index(c.Lines, "%%")
	if call == nil || run < 0 {
		return []Cell{c}
	}
	number := call[1] + "-" + call[2]
	solution, grade := c, c
	text := strings.TrimRight(strings.Join(c.Lines[:run], "\n"), "\n")
	solution.Lines = splitLines(stub.ReplaceAllString(text, "\t// ### BEGIN SOLUTION\n$0\n\t// ### END SOLUTION"))
	solution.grading = &nbgraderCell{Identity: "solution-" + number, SchemaVersion: 3, Solution: true}
	grade.Lines = []string{"%%", fmt.Sprintf("lab.Assert(%s, \"exercise %s.%s is right\")", call[0], call[1], call[2])}
	grade.grading = &nbgraderCell{Identity: "grade-" + number, SchemaVersion: 3, Grade: true, Locked: true, Points: 1}
	return []Cell{solution, grade}
}
