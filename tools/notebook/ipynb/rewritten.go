package ipynb

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
)

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
	s.Init(files.AddFile("", -1, len(text)), text, func(token.Position, string) {}, scanner.ScanComments)
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return 0, false
		}
		first := files.Position(at).Line // counts from 1, so that it's the index of the next line
		for i := range strings.Count(literal, "\n") {
			if line := first + i; kind != token.SEMICOLON && line < len(lines) && isCommand(lines[line]) {
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

// rewrittenText says what is wrong with a line, and what helps.
func rewrittenText(line string) string {
	return fmt.Sprintf("the kernel would run or cut out the line %.40q inside a string or a comment: begin it with another character, such as a space", line)
}
