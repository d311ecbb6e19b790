package ipynb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// FigureTag marks a cell that has to show at least one picture.
const FigureTag = "figure"

// ScratchTag marks a cell that builds something of the library from scratch, which may be longer.
const ScratchTag = "scratch"

// Notebook is a parsed source.
type Notebook struct {
	Name  string // file name of the source without directory and extension
	Cells []Cell
	Hash  string // SHA-256 of the source, in hexadecimal
}

// Cell is one cell of a notebook: text in markdown, or code for the GoNB kernel.
type Cell struct {
	Code   bool
	Tags   []string // from the fence of a code cell
	Folded bool     // JupyterLab shows the cell's code only after a click; from the fence, too
	Line   int      // line in the source, from 1, of the cell's first line
	Lines  []string // without line ends

	grading *nbgraderCell // nil in a notebook that isn't an Assignment
}

// IsFigure reports whether the cell has to show a picture.
func (c Cell) IsFigure() bool { return slices.Contains(c.Tags, FigureTag) }

// Parse reads the markdown source of the named notebook. A code cell is between "```go" and "```",
// and the text between two code cells is one cell, or several if two empty lines divide it.
func Parse(name, source string) (Notebook, error) {
	lines := strings.Split(strings.TrimRight(source, "\n"), "\n")
	start, err := skipHeader(lines)
	if err != nil {
		return Notebook{}, fmt.Errorf("notebook: %s: %w", name, err)
	}
	r := reader{lines: lines, next: start}
	for r.next < len(lines) {
		switch line := lines[r.next]; {
		case line == "":
			r.next++
		case isCodeFence(line):
			if err := r.readCode(); err != nil {
				return Notebook{}, fmt.Errorf("notebook: %s: %w", name, err)
			}
		default:
			r.readText()
		}
	}
	return Notebook{Name: name, Cells: r.cells, Hash: hashSource(source)}, nil
}

// skipHeader returns the index of the first line after the header between two lines of three
// dashes.
func skipHeader(lines []string) (int, error) {
	if lines[0] != "---" {
		return 0, nil
	}
	end := slices.Index(lines[1:], "---")
	if end < 0 {
		return 0, fmt.Errorf("the header that line 1 opens is not closed: add a line \"---\"")
	}
	return end + 2, nil
}

// reader walks over the lines of a source.
type reader struct {
	lines []string
	next  int // index of the first line not read yet
	cells []Cell
}

// readCode reads a cell from its opening to its closing fence.
func (r *reader) readCode() error {
	fence := r.next
	cell, err := parseFence(r.lines[fence])
	if err != nil {
		return fmt.Errorf("line %d: %w", fence+1, err)
	}
	length := slices.Index(r.lines[fence+1:], "```")
	if length < 0 {
		return fmt.Errorf("line %d opens a code cell that no line \"```\" closes", fence+1)
	}
	r.next = fence + length + 2
	cell.Line, cell.Lines = fence+2, r.lines[fence+1:fence+1+length]
	r.cells = append(r.cells, cell)
	return nil
}

// readText reads up to the next code cell or the next two empty lines.
func (r *reader) readText() {
	start, end := r.next, r.next
	for i := start; i < len(r.lines) && !isCodeFence(r.lines[i]); i++ {
		if r.lines[i] != "" {
			end = i + 1
		} else if i > 0 && r.lines[i-1] == "" {
			break
		}
	}
	r.next = end
	r.cells = append(r.cells, Cell{Line: start + 1, Lines: r.lines[start:end]})
}

// isCodeFence reports whether the line opens a code cell.
func isCodeFence(line string) bool {
	return line == "```go" || strings.HasPrefix(line, "```go ")
}

// foldedOption follows "```go" of a cell that is folded.
const foldedOption = `jupyter={"source_hidden": true}`

// parseFence returns a code cell without its lines, from the line that opens it: "```go", followed
// by the option that folds the cell, by tags= with a list in JSON, by both in this order, or by
// nothing.
func parseFence(fence string) (Cell, error) {
	cell := Cell{Code: true}
	option, folded := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(fence, "```go")),
		foldedOption)
	option, cell.Folded = strings.TrimSpace(option), folded
	switch list, tagged := strings.CutPrefix(option, "tags="); {
	case option == "":
		return cell, nil
	case tagged && json.Unmarshal([]byte(list), &cell.Tags) == nil:
		return cell, nil
	}
	return cell, fmt.Errorf("unknown cell option %s: write tags=[\"%s\"], %s or nothing", option,
		FigureTag, foldedOption)
}
