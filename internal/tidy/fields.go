// Package tidy writes lines of long tables: comma-separated values, one number a line with all that
// tells it from the others before it.
package tidy

import "strings"

// AppendFields appends fields of CSV with commas between them, quoted where they need it.
func AppendFields(line []byte, fields ...string) []byte {
	for i, field := range fields {
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
