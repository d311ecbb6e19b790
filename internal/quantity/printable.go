package quantity

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns a text of a file, a server or a label as a part of one line: what a terminal
// would obey or hide, such as an escape sequence, a line break or a change of the direction of
// writing, is written as Go writes it in a string, \x1b.
func Printable(text string) string {
	var line strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 || !unicode.IsGraphic(r) {
			quoted := strconv.Quote(text[:size])
			line.WriteString(quoted[1 : len(quoted)-1])
		} else {
			line.WriteString(text[:size])
		}
		text = text[size:]
	}
	return line.String()
}

// PrintableLines is Printable for each line of a text, such as an error with a cure below it.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}
