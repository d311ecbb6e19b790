package viz

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table is a small table of texts, for a notebook (HTML) or a terminal (Text).
type Table struct {
	Header []string   // one text for each column
	Rows   [][]string // [row][column]
	Labels int        // leading columns that name the row, set to the left; 0 means 1

	Caption string   // below the table, such as over how many seeds it is; "" for none
	Strong  [][]bool // [row][column], cells in bold type in HTML; nil means none
}

// noValue is the text of a cell whose value isn't known, such as one of a stopped run.
const noValue = "-"

// MeanStd returns the text of a cell, as in "0.447 ± 0.012". With fewer than two seeds it is the
// mean alone.
func MeanStd(mean, std float64, seeds, decimals int) string {
	text := strconv.FormatFloat(mean, 'f', decimals, 64)
	if seeds > 1 {
		text += " ± " + strconv.FormatFloat(std, 'f', decimals, 64)
	}
	return text
}

// check returns an error for the first row that doesn't fit the header.
func (t Table) check() error {
	if len(t.Header) == 0 {
		return errors.New("viz: a table of 0 columns: give a header")
	}
	err := cmp.Or(within("a table", "number of labels", []float64{float64(t.Labels)}, span{0, float64(len(t.Header))}),
		optional("a table", "rows", len(t.Rows), "rows of marks for bold type", t.Strong))
	for i, row := range t.Rows {
		of := fmt.Sprintf("row %d of the table", i)
		if err = cmp.Or(err, paired(of, "cells", len(row), "columns", len(t.Header))); err == nil && t.Strong != nil {
			err = paired(of, "cells", len(row), "marks for bold type", len(t.Strong[i]))
		}
	}
	return err
}

// labels returns the number of leading columns that are set to the left.
func (t Table) labels() int { return max(1, t.Labels) }

// lines returns the header and the rows; where the first column repeats the label above it, it is
// left blank.
func (t Table) lines() [][]string {
	lines := [][]string{t.Header}
	for i, row := range t.Rows {
		lines = append(lines, slices.Clone(row))
		if t.labels() > 1 && i > 0 && row[0] == t.Rows[i-1][0] {
			lines[i+1][0] = ""
		}
	}
	return lines
}

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
	widths, indent := textWidths(lines, t.labels()), strings.Repeat(" ", textIndent)
	text := ""
	for _, line := range lines {
		row := indent
		for i, cell := range line {
			row += fmt.Sprintf("%*s", widths[i], cell)
		}
		text += strings.TrimRight(row, " ") + "\n"
	}
	if t.Caption != "" {
		text += indent + t.Caption + "\n"
	}
	return text, nil
}

// textWidths returns the width of each column, in letters; those of labels are negative, as a format
// has them for text on the left.
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
		if i < labels {
			widths[i] = -widths[i]
		}
	}
	return widths
}
