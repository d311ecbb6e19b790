package ipynb

import (
	"fmt"
	"slices"
	"strings"
)

// Lines around a solution within a code cell.
const (
	solutionBegin = "// ## solution"
	solutionEnd   = "// ## end"
)

// blank replaces a solution in the empty notebook, after the solution's indentation.
const blank = "// Your code here."

// HasSolutions says whether the source makes two notebooks, a filled and an empty one.
func (n Notebook) HasSolutions() bool {
	return slices.ContainsFunc(n.Cells, func(c Cell) bool {
		return c.Code && slices.ContainsFunc(c.Lines, isSolutionBegin)
	})
}

// Filled returns the notebook with its solutions and without the lines around them.
func (n Notebook) Filled() (Notebook, error) {
	return n.twin(n.Name, func(_ string, solution []string) []string { return solution })
}

// Empty returns the notebook for students, whose name ends in "-exercise": in the place of each
// solution stands a line that asks for it.
func (n Notebook) Empty() (Notebook, error) {
	return n.twin(n.Name+"-exercise", func(indentation string, _ []string) []string { return []string{indentation + blank} })
}

// twin returns the notebook with another name and with every solution replaced.
func (n Notebook) twin(name string, replace func(indentation string, solution []string) []string) (Notebook, error) {
	twin := n
	twin.Cells = slices.Clone(n.Cells)
	for i, cell := range twin.Cells {
		if !cell.Code {
			continue
		}
		lines, err := replaceSolutions(cell.Lines, replace)
		if err != nil {
			return Notebook{}, n.problem(cell.Line, err.Error())
		}
		twin.Cells[i].Lines = lines
	}
	twin.Name, twin.Source = name, n.sourceName()
	return twin, nil
}

// replaceSolutions replaces what stands between the lines around each solution, with these lines.
func replaceSolutions(lines []string, replace func(indentation string, solution []string) []string) ([]string, error) {
	var replaced []string
	for len(lines) > 0 {
		begin := slices.IndexFunc(lines, isSolutionBegin)
		if begin < 0 {
			return append(replaced, lines...), nil
		}
		length := slices.IndexFunc(lines[begin:], isSolutionEnd)
		if length < 0 {
			return nil, fmt.Errorf("a solution that no line %q closes", solutionEnd)
		}
		indentation, _, _ := strings.Cut(lines[begin], "//")
		replaced = append(append(replaced, lines[:begin]...), replace(indentation, lines[begin+1:begin+length])...)
		lines = lines[begin+length+1:]
	}
	return replaced, nil
}

func isSolutionBegin(line string) bool { return strings.TrimSpace(line) == solutionBegin }

func isSolutionEnd(line string) bool { return strings.TrimSpace(line) == solutionEnd }

func (n Notebook) sourceName() string {
	if n.Source != "" {
		return n.Source
	}
	return n.Name + ".md"
}
