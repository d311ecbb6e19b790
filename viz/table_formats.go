package viz

import (
	"encoding/csv"
	"html"
	"slices"
	"strings"
)

// CSV returns the table as comma-separated values, a line for the header and one for each row. The
// caption isn't in it.
func (t Table) CSV() (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	err := w.WriteAll(append([][]string{t.Header}, t.Rows...))
	return text.String(), err
}

// Markdown returns the table in GitHub's Markdown, cells in bold type as Strong says, with the
// caption as a paragraph below.
func (t Table) Markdown() (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	var text strings.Builder
	for i, line := range t.lines() {
		cells := t.marked(i, line, escape, "**", "**")
		text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		if i > 0 {
			continue
		}
		rule := make([]string, len(line))
		for column := range rule {
			rule[column] = "--:"
			if column < t.labels() {
				rule[column] = ":--"
			}
		}
		text.WriteString("|" + strings.Join(rule, "|") + "|\n")
	}
	if t.Caption != "" {
		text.WriteString("\n" + t.Caption + "\n")
	}
	return text.String(), nil
}

// latexEscape writes what LaTeX reads as commands, and the letters that its fonts lack.
var latexEscape = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`,
	`"`, "''", "\n", " ", "\r", " ",
	"±", `$\pm$`, "×", `$\times$`, "−", `$-$`, "·", `$\cdot$`, "≤", `$\leq$`, "≥", `$\geq$`, "≈", `$\approx$`,
	"∞", `$\infty$`, "→", `$\to$`, "√", `$\surd$`, "²", "$^2$", "µ", `$\mu$`,
	"α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`, "δ", `$\delta$`, "ε", `$\varepsilon$`, "η", `$\eta$`, "θ", `$\theta$`,
	"κ", `$\kappa$`, "λ", `$\lambda$`, "μ", `$\mu$`, "ρ", `$\rho$`, "σ", `$\sigma$`, "τ", `$\tau$`, "φ", `$\varphi$`,
	"χ", `$\chi$`, "ψ", `$\psi$`, "ω", `$\omega$`, "Δ", `$\Delta$`, "Σ", `$\Sigma$`, "Φ", `$\Phi$`, "Ω", `$\Omega$`,
)

// LaTeX returns the table as a tabular with the rules of the package booktabs, cells in bold type
// as Strong says, and some space before each group of rows with the same first label. The caption
// is a comment above it.
func (t Table) LaTeX() (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	var text strings.Builder
	if t.Caption != "" {
		text.WriteString("% " + strings.NewReplacer("\n", " ", "\r", " ").Replace(t.Caption) + "\n")
	}
	columns := strings.Repeat("l", t.labels()) + strings.Repeat("r", len(t.Header)-t.labels())
	text.WriteString(`\begin{tabular}{` + columns + "}\n\\toprule\n")
	for i, line := range t.lines() {
		if i > 1 && t.labels() > 1 && line[0] != "" {
			text.WriteString("\\addlinespace\n")
		}
		text.WriteString(t.latexLine(i, line))
		if i == 0 {
			text.WriteString("\\midrule\n")
		}
	}
	text.WriteString("\\bottomrule\n\\end{tabular}\n")
	return text.String(), nil
}

// latexLine returns line i of the table. Numbers have a minus sign in place of a hyphen.
func (t Table) latexLine(i int, cells []string) string {
	cells = slices.Clone(cells)
	for column, cell := range cells {
		if digits, isNegative := strings.CutPrefix(cell, "-"); isNegative && column >= t.labels() && digits != "" && strings.Contains("0123456789.", digits[:1]) {
			cells[column] = "−" + digits
		}
	}
	line := strings.Join(t.marked(i, cells, latexEscape, `\textbf{`, "}"), " & ") + ` \\` + "\n"
	if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
		line = "{}" + line // after the line before, LaTeX would read it as an argument
	}
	return line
}

// marked returns the escaped cells of a line, 0 for the header, those in bold between two texts.
func (t Table) marked(line int, cells []string, escape *strings.Replacer, before, after string) []string {
	marked := make([]string, len(cells))
	for i, cell := range cells {
		marked[i] = escape.Replace(cell)
		if line > 0 && t.Strong != nil && t.Strong[line-1][i] && cell != "" {
			marked[i] = before + marked[i] + after
		}
	}
	return marked
}

// Styles of an HTML table, ruled as in a paper: a line above, below, and under the header.
const (
	tableStyle   = "border-collapse:collapse;border-top:1.5px solid;border-bottom:1.5px solid"
	headerStyle  = "padding:2px 10px;white-space:nowrap;border-bottom:1px solid"
	cellStyle    = "padding:2px 10px;white-space:nowrap"
	captionStyle = "caption-side:bottom;text-align:left;padding:4px 10px"
)

// HTML returns the table as an HTML element. The texts are escaped.
func (t Table) HTML() (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString(`<table style="` + tableStyle + `">` + "\n")
	if t.Caption != "" {
		text.WriteString(`<caption style="` + captionStyle + `">` + html.EscapeString(t.Caption) + "</caption>\n")
	}
	for i, line := range t.lines() {
		switch {
		case i == 0:
			text.WriteString(t.htmlLine("th", headerStyle, line, nil))
		case t.Strong == nil:
			text.WriteString(t.htmlLine("td", cellStyle, line, nil))
		default:
			text.WriteString(t.htmlLine("td", cellStyle, line, t.Strong[i-1]))
		}
	}
	text.WriteString("</table>\n")
	return text.String(), nil
}

// htmlLine returns one row with its labels set to the left and its numbers to the right; strong
// says which cells are bold.
func (t Table) htmlLine(element, style string, cells []string, strong []bool) string {
	var line strings.Builder
	line.WriteString("<tr>")
	for column, cell := range cells {
		align := "right"
		if column < t.labels() {
			align = "left"
		}
		if strong != nil && strong[column] {
			align += ";font-weight:bold"
		}
		line.WriteString(`<` + element + ` style="` + style + `;text-align:` + align + `">`)
		line.WriteString(html.EscapeString(cell) + `</` + element + `>`)
	}
	line.WriteString("</tr>\n")
	return line.String()
}
