package viz

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Least widths of a terminal table's columns, in letters.
const (
	textIndent      = 2 // before the first column
	textLabelWidth  = 7
	textNumberWidth = 9
	textColumnGap   = 2
)

// leadingZero matches the zero before a decimal point that a column of numbers can do without.
var leadingZero = regexp.MustCompile(`\b0\.`)

// Text returns the table for a terminal, one line for each row: labels set to the left, numbers to
// the right and without the zero before the point.
func (t Table) Text() (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	lines := t.lines()
	for _, line := range lines[1:] {
		for i := t.labels(); i < len(line); i++ {
			line[i] = leadingZero.ReplaceAllString(line[i], ".")
		}
	}
	widths := textWidths(lines, t.labels())
	var text strings.Builder
	for _, line := range lines {
		row := strings.Repeat(" ", textIndent)
		for i, cell := range line {
			row += pad(cell, widths[i], i < t.labels())
		}
		text.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	if t.Caption != "" {
		text.WriteString(strings.Repeat(" ", textIndent) + t.Caption + "\n")
	}
	return text.String(), nil
}

// textWidths returns the width of each column, in letters. The first columns are labels.
func textWidths(lines [][]string, labels int) []int {
	widths := make([]int, len(lines[0]))
	for i := range widths {
		widths[i] = textNumberWidth
		if i < labels {
			widths[i] = textLabelWidth
		}
		for _, line := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i])+textColumnGap)
		}
	}
	return widths
}

// pad fills a cell with spaces to the given width, on its right for a label and else on its left.
func pad(cell string, width int, label bool) string {
	spaces := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if label {
		return cell + spaces
	}
	return spaces + cell
}
