package viz

import (
	"html"
	"strings"
)

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
