package architecture

import (
	"bytes"
	"os"
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line of Go has 100 columns, where a tab counts four. A few can't be broken well: the tag of a
// field is one literal, and so is the output of an example.
func TestLinesAreNarrow(t *testing.T) {
	wide := 0
	eachFile(t, func(name, file string) error {
		if path.Ext(name) != ".go" {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil || bytes.Contains(content, []byte("// Code generated ")) {
			return err
		}
		for number, line := range strings.Split(string(content), "\n") {
			columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if columns > 100 {
				wide++
			}
			isWhole := strings.Contains(line, "`json:") || strings.HasPrefix(line, "\t// ")
			if columns > 160 && !isWhole {
				t.Errorf("%s:%d has %d columns, want at most 160", name, number+1, columns)
			}
		}
		return nil
	})
	if wide > 180 {
		t.Errorf("%d lines have over 100 columns, want at most 180: break yours, which `git diff "+
			"main | expand -t4 | grep '^+.\\{100\\}'` shows", wide)
	}
}
