package ipynb

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// maxCellLines is the length up to which a code cell fits next to its text on one screen, and
// maxScratchLines the length of cells with ScratchTag and of folded ones. A notebook of maxWords is
// read in a quarter of an hour with its cells.
const (
	maxCellLines    = 12
	maxScratchLines = 60
	maxWords        = 900
)

var (
	dotImport = regexp.MustCompile(`^(import )?\s*\. "`)
	showCall  = regexp.MustCompile(`(?m)^.*\b(lab\.Show|(lab|record)\.Panel)\(.*$`)
)

// Review returns everything in which the notebook departs from the rules for notebooks of this
// project: at most 900 words, text in front of every code cell, cells of at most twelve lines or
// sixty from scratch, no dot imports, no strings that the kernel would rewrite, the figure tag on
// every cell that shows a figure, and the sections "Exercises" and "What nobody knows".
func Review(n Notebook) error {
	var problems []error
	for i, cell := range n.Cells {
		if !cell.Code {
			continue
		}
		if i == 0 || n.Cells[i-1].Code {
			problems = append(problems, n.problem(cell.Line, "a code cell without text in front "+
				"of it: say what it shows"))
		}
		problems = append(problems, n.reviewCode(cell)...)
	}
	if words := len(strings.Fields(strings.Join(n.text(), "\n"))); words > maxWords {
		problems = append(problems, fmt.Errorf("notebook: %s.md: %d words of text, want at most %d",
			n.Name, words, maxWords))
	}
	for _, title := range []string{"## Exercises", "## What nobody knows"} {
		if !n.hasLine(title) {
			problems = append(problems, fmt.Errorf("notebook: %s.md: no section %q", n.Name, title))
		}
	}
	return errors.Join(problems...)
}

func (n Notebook) reviewCode(cell Cell) []error {
	var problems []error
	if limit := cell.maxLines(); len(cell.Lines) > limit {
		text := fmt.Sprintf("a cell of %d lines, want at most %d: divide it or move code into a "+
			"package", len(cell.Lines), limit)
		problems = append(problems, n.problem(cell.Line, text))
	}
	for i, line := range cell.Lines {
		if dotImport.MatchString(line) {
			problems = append(problems, n.problem(cell.Line+i, "a dot import, which breaks the "+
				"next cell: import by name"))
		}
	}
	if i, found := rewritten(cell.Lines); found {
		problems = append(problems, n.problem(cell.Line+i, rewrittenText(cell.Lines[i])))
	}
	if showsFigure(cell) != cell.IsFigure() {
		problems = append(problems, n.problem(cell.Line, "the tag \"figure\" and a call of "+
			"lab.Show or lab.Panel go together: add the other one"))
	}
	return problems
}

// maxLines is the length that a reader accepts of a cell.
func (c Cell) maxLines() int {
	if c.Folded || slices.Contains(c.Tags, ScratchTag) {
		return maxScratchLines
	}
	return maxCellLines
}

// showsFigure reports whether a line of the cell shows something else than a table.
func showsFigure(cell Cell) bool {
	calls := showCall.FindAllString(strings.Join(cell.Lines, "\n"), -1)
	return slices.ContainsFunc(calls, func(call string) bool {
		return !strings.Contains(call, "Table(") && !strings.Contains(call, "(table)")
	})
}

func (n Notebook) problem(line int, text string) error {
	return fmt.Errorf("notebook: %s.md:%d: %s", n.Name, line, text)
}

// text returns the lines of the text cells, with an empty one after each cell.
func (n Notebook) text() (lines []string) {
	for _, cell := range n.Cells {
		if !cell.Code {
			lines = append(append(lines, cell.Lines...), "")
		}
	}
	return lines
}

// hasLine reports whether a text cell of the notebook holds the line.
func (n Notebook) hasLine(text string) bool { return slices.Contains(n.text(), text) }

// rewritten returns the index of a line in a string or a comment that the kernel would take for a
// command, run or cut out, and false if there is none.
func rewritten(lines []string) (index int, found bool) {
	kept := make([]string, len(lines)) // as the kernel leaves them
	for i, line := range lines {
		if !isCommand(line) {
			kept[i] = line
		}
	}
	text := []byte(strings.Join(kept, "\n"))
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(text)), text, func(token.Position, string) {},
		scanner.ScanComments)
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return 0, false
		}
		first := files.Position(at).Line // counts from 1, so that it's the index of the next line
		for i := range strings.Count(literal, "\n") {
			if line := first + i; kind != token.SEMICOLON && line < len(lines) &&
				isCommand(lines[line]) {
				return line, true
			}
		}
	}
}

// isCommand reports whether the kernel takes a line for a command.
func isCommand(line string) bool {
	line = strings.TrimPrefix(line, "//gonb:")
	return len(line) > 1 && (line[0] == '%' || line[0] == '!')
}

// rewrittenText explains a line's fault and its cure.
func rewrittenText(line string) string {
	return fmt.Sprintf("the kernel would run or cut out the line %.40q inside a string or a "+
		"comment: begin it with another character, for example a space", line)
}
