package main

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// part is a part of a line that may have to be left out: the one with the highest rank goes first, rank 0 never.
type part struct {
	text string
	rank int
}

// fit joins the parts of a line, without those for which a terminal of so many columns has no room; 0 columns have room for
// all.
func fit(line []part, columns int) string {
	for columns > 0 && width(line) >= columns {
		last := slices.MaxFunc(line, func(a, b part) int { return a.rank - b.rank })
		if last.rank == 0 {
			break
		}
		line = slices.DeleteFunc(slices.Clone(line), func(p part) bool { return p == last })
	}
	return join(line)
}

func width(line []part) int { return utf8.RuneCountInString(join(line)) }

func join(line []part) string {
	texts := make([]string, len(line))
	for i, part := range line {
		texts[i] = part.text
	}
	return strings.Join(texts, "   ")
}

const barWidth = 14

// bar draws a fraction, such as [=====         ].
func bar(fraction float64) string {
	done := min(barWidth, int(fraction*barWidth))
	return "[" + strings.Repeat("=", done) + strings.Repeat(" ", barWidth-done) + "]"
}
