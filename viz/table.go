package viz

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/tidy"
)

// Table is a small table of texts, for a notebook (HTML) or a terminal (Text).
type Table struct {
	Header []string   // one text for each column
	Rows   [][]string // [row][column]
	Labels int        // leading columns that name the row, set to the left; 0 means 1

	Caption string   // below the table, for example the number of seeds; "" for none
	Strong  [][]bool // [row][column], cells in bold type in HTML; nil means none
	// lines below the table and its caption, which LaTeX sets, too
	Foot []string
}

// noValue is the text of a cell without a known value, for example of a stopped run.
const noValue = "-"

// check returns an error for the first row that doesn't fit the header.
func (t Table) check() error {
	if len(t.Header) == 0 {
		return errors.New("viz: a table of 0 columns: give a header")
	}
	err := cmp.Or(within("a table", "number of labels", []float64{float64(t.Labels)},
		span{0, float64(len(t.Header))}),
		optional("a table", "rows", len(t.Rows), "rows of marks for bold type", t.Strong))
	for i, row := range t.Rows {
		of := fmt.Sprintf("row %d of the table", i)
		if err = cmp.Or(err, paired(of, "cells", len(row), "columns", len(t.Header))); err == nil &&
			t.Strong != nil {
			err = paired(of, "cells", len(row), "marks for bold type", len(t.Strong[i]))
		}
	}
	return err
}

// labels returns the number of leading columns that are set to the left.
func (t Table) labels() int { return max(1, t.Labels) }

// lines returns the header and the rows; a label that repeats the one above it is left blank.
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

// As returns the table in a format:
//
//	txt    for a terminal, one line for each row: numbers without the zero before the point
//	csv    comma-separated values, without the caption and the foot
//	md     GitHub's Markdown, with the caption and the foot as paragraphs below
//	tex    a tabular with the rules of the package booktabs; the caption is a comment above it
//	html   an element, with its texts escaped
//
// Labels are set to the left, numbers to the right. All but the first two have bold cells as Strong
// says.
func (t Table) As(format string) (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	switch format {
	case "txt":
		return t.text(), nil
	case "csv":
		return t.csv()
	case "md":
		return t.markdown(), nil
	case "tex":
		return t.latex(), nil
	case "html":
		return t.html(), nil
	}
	return "", fmt.Errorf("viz: a table has no format %q: choose txt, csv, md, tex or html", format)
}

func (t Table) text() string {
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
			if i < t.labels() {
				row += quantity.Pad(cell, widths[i])
			} else {
				row += quantity.Pad("", widths[i]-quantity.Columns(cell)) + cell
			}
		}
		text += strings.TrimRight(row, " ") + "\n"
	}
	for _, line := range t.below() {
		text += indent + line + "\n"
	}
	return text
}

// below returns the caption, if any, and the foot.
func (t Table) below() []string {
	if t.Caption == "" {
		return t.Foot
	}
	return append([]string{t.Caption}, t.Foot...)
}

// textWidths returns the width of each column of a terminal.
func textWidths(lines [][]string, labels int) []int {
	widths := make([]int, len(lines[0]))
	for i := range widths {
		widths[i] = textNumberWidth
		if i < labels {
			widths[i] = textLabelWidth
		}
		for _, line := range lines {
			widths[i] = max(widths[i], quantity.Columns(line[i])+textColumnGap)
		}
	}
	return widths
}

// csv begins a text that a spreadsheet would take for a formula with an apostrophe.
func (t Table) csv() (string, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	for _, line := range append([][]string{t.Header}, t.Rows...) {
		line = slices.Clone(line)
		for i := range line {
			line[i] = tidy.Cell(line[i])
		}
		w.Write(line) // w.Error has the error
	}
	w.Flush()
	return text.String(), w.Error()
}

type tableCell struct {
	text        string
	head, label bool // in the header, among the labels
	strong      bool
}

// render writes the header and the rows, each cell by one function and each line of them by
// another.
func (t Table) render(cell func(tableCell) string,
	line func(i int, cells []string) string) string {
	var text strings.Builder
	for i, texts := range t.lines() {
		cells := make([]string, len(texts))
		for column, text := range texts {
			isStrong := i > 0 && t.Strong != nil && t.Strong[i-1][column]
			cells[column] = cell(tableCell{text: text, head: i == 0, label: column < t.labels(),
				strong: isStrong})
		}
		text.WriteString(line(i, cells))
	}
	return text.String()
}

// enclosed returns an escaped cell, between two texts if it is in bold type.
func (c tableCell) enclosed(escape *strings.Replacer, before, after string) string {
	if text := escape.Replace(c.text); !c.strong || text == "" {
		return text
	}
	return before + escape.Replace(c.text) + after
}

func (t Table) markdown() string {
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ", "\r", " ")
	text := t.render(func(c tableCell) string {
		return c.enclosed(escape, "**", "**")
	}, func(i int, cells []string) string {
		line := "| " + strings.Join(cells, " | ") + " |\n"
		if i == 0 {
			line += strings.Repeat("|:--", t.labels()) + strings.Repeat("|--:",
				len(cells)-t.labels()) + "|\n"
		}
		return line
	})
	for _, line := range t.below() {
		text += "\n" + line + "\n"
	}
	return text
}

// latexEscape writes what LaTeX reads as commands, and the letters that its fonts lack.
var latexEscape = strings.NewReplacer(strings.Fields(`
	\ \textbackslash{}  & \&  % \%  $ \$  # \#  _ \_  { \{  } \}  ~ \textasciitilde{}
	^ \textasciicircum{}  < \textless{}  > \textgreater{}  | \textbar{}  " ''
	± $\pm$  × $\times$  − $-$  · $\cdot$  ≤ $\leq$  ≥ $\geq$  ≈ $\approx$  ∞ $\infty$  → $\to$
	† $^\dagger$
	√ $\surd$  ² $^2$  µ $\mu$  α $\alpha$  β $\beta$  γ $\gamma$  δ $\delta$  ε $\varepsilon$
	η $\eta$  θ $\theta$  κ $\kappa$  λ $\lambda$  μ $\mu$  ρ $\rho$  σ $\sigma$  τ $\tau$
	φ $\varphi$  χ $\chi$  ψ $\psi$  ω $\omega$  Δ $\Delta$  Σ $\Sigma$  Φ $\Phi$  Ω $\Omega$
`)...)

// latex leaves some space before each group of rows with the same first label. Numbers have a minus
// sign instead of a hyphen.
func (t Table) latex() string {
	text := t.render(latexCell, func(i int, cells []string) string {
		line := strings.Join(cells, " & ") + ` \\` + "\n"
		if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
			line = "{}" + line // after the line before, LaTeX would read it as an argument
		}
		if i > 1 && t.labels() > 1 && cells[0] != "" {
			line = "\\addlinespace\n" + line
		}
		if i == 0 {
			line += "\\midrule\n"
		}
		return line
	})
	columns := strings.Repeat("l", t.labels()) + strings.Repeat("r", len(t.Header)-t.labels())
	text = `\begin{tabular}{` + columns + "}\n\\toprule\n" + text + "\\bottomrule\n" +
		t.latexFoot() + "\\end{tabular}\n"
	return text
}

// footWidth is about how many small letters are as wide as a table.
const footWidth = 90

// bracketed matches a part that no line breaks, with unbroken spaces.
var bracketed = regexp.MustCompile(`\([^()]*\)`)

const unbroken = "\u00a0"

// latexFoot returns rows of small type, since the table may be in a box, which takes no paragraph.
func (t Table) latexFoot() (text string) {
	for _, line := range t.below() {
		row := ""
		line = bracketed.ReplaceAllStringFunc(withoutControls(line), func(part string) string {
			return strings.ReplaceAll(part, " ", unbroken)
		})
		for _, word := range append(strings.Split(line, " "), "") {
			if row != "" && (word == "" || len(row)+len(word) > footWidth) {
				text += fmt.Sprintf("\\multicolumn{%d}{l}{\\footnotesize %s} \\\\\n", len(t.Header),
					latexEscape.Replace(row))
				row = ""
			}
			row = strings.TrimSpace(row + " " + word)
		}
	}
	return text
}

// negative is a negative number at the beginning, in an interval, or behind its opening bracket.
var negative = regexp.MustCompile(`(^|[ [(])-([0-9.])`)

// latexCell writes a cell for LaTeX, control characters, which it refuses, as spaces.
func latexCell(c tableCell) string {
	c.text = withoutControls(c.text)
	if !c.label {
		c.text = negative.ReplaceAllString(c.text, "$1−$2")
	}
	return c.enclosed(latexEscape, `\textbf{`, "}")
}

// withoutControls returns a text with spaces for line breaks and other control characters.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// Styles of an HTML table, ruled as in a paper: a line above, below, and under the header.
const (
	tableStyle   = "border-collapse:collapse;border-top:1.5px solid;border-bottom:1.5px solid"
	headerStyle  = "padding:2px 10px;white-space:nowrap;border-bottom:1px solid"
	cellStyle    = "padding:2px 10px;white-space:nowrap"
	missingStyle = ";color:#888"
	captionStyle = "caption-side:bottom;text-align:left;padding:4px 10px"
)

func (t Table) html() string {
	text := t.render(htmlCell, func(_ int, cells []string) string {
		return "<tr>" + strings.Join(cells, "") + "</tr>\n"
	})
	if below := t.below(); below != nil {
		text = `<caption style="` + captionStyle + `">` +
			strings.ReplaceAll(html.EscapeString(strings.Join(below, "\n")), "\n", "<br>") +
			"</caption>\n" + text
	}
	return `<table style="` + tableStyle + `">` + "\n" + text + "</table>\n"
}

func htmlCell(c tableCell) string {
	element, style := "td", cellStyle+";text-align:right"
	if c.head {
		element, style = "th", headerStyle+";text-align:right"
	}
	if c.label {
		style = strings.Replace(style, "right", "left", 1)
	}
	if c.strong {
		style += ";font-weight:bold"
	}
	if c.text == noValue && !c.head && !c.label {
		style += missingStyle
	}
	return "<" + element + ` style="` + style + `">` + html.EscapeString(c.text) + "</" +
		element + ">"
}
