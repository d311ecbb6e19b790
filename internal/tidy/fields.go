// Package tidy writes lines of long tables: comma-separated values, one number a line after the
// columns that identify it.
package tidy

import (
	"strconv"
	"strings"
)

// Cell returns a text that no spreadsheet computes: numbers stay as they are.
func Cell(text string) string {
	if text == "" || !strings.Contains("=+-@\t\r", text[:1]) {
		return text
	}
	number, _, _ := strings.Cut(text, " ") // as in "-0.1 ± 0.2"
	if _, err := strconv.ParseFloat(number, 64); err == nil || text == "-" {
		return text
	}
	return "'" + text
}

// AppendFields appends Cells of CSV with commas between them, quoted if they need it.
func AppendFields(line []byte, fields ...string) []byte {
	for i, field := range fields {
		field = Cell(field)
		if i > 0 {
			line = append(line, ',')
		}
		if isPlain(field) {
			line = append(line, field...)
			continue
		}
		line = append(line, `"`+strings.ReplaceAll(field, `"`, `""`)+`"`...)
	}
	return line
}

// isPlain reports whether a field of CSV needs no quotes.
func isPlain(field string) bool {
	for i := range len(field) {
		if c := field[i]; c == ',' || c == '"' || c == '\n' || c == '\r' {
			return false
		}
	}
	return field == "" || field[0] != ' ' && field[0] != '\t'
}
