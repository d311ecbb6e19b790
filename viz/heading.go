package viz

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a heading, in points.
const (
	headingSize   = vg.Length(15)
	headingLine   = vg.Length(20)
	subtitleSize  = vg.Length(11.5)
	subtitleLine  = vg.Length(15)
	headingBottom = vg.Length(8) // between the heading and the figure
)

// Headed returns the figure with a heading above it, at its left edge: a bold title, which states a
// finding, and lines below it, such as the effect with its interval and what was measured. Long
// lines are broken between words.
func (f *Figure) Headed(title string, lines ...string) *Figure {
	width := f.width - 2*margin
	titles := wrapped(title, headingSize, width/boldWidth)
	var below []string
	for _, line := range lines {
		below = append(below, wrapped(line, subtitleSize, width)...)
	}
	height := margin + headingLine*vg.Length(len(titles)) + subtitleLine*vg.Length(len(below)) + headingBottom
	return f.under(height, func(canvas draw.Canvas) {
		at := vg.Point{X: canvas.Min.X + margin, Y: canvas.Max.Y - margin - headingLine/2}
		for _, line := range titles {
			writeBold(canvas, line, headingSize, at)
			at.Y -= headingLine
		}
		at.Y += (headingLine - subtitleLine) / 2
		for _, line := range below {
			write(canvas, line, subtitleSize, softInk, draw.XLeft, at)
			at.Y -= subtitleLine
		}
	})
}

// writeBold is write in bold letters, from the left.
func writeBold(canvas draw.Canvas, text string, size vg.Length, at vg.Point) {
	style := textStyle(size, ink, draw.XLeft, draw.YCenter)
	style.Font = font.From(boldSansSerif, size)
	canvas.FillText(style, at, letters(text))
}

// boldWidth is more than how much wider bold letters are than those that textWidth measures.
const boldWidth = 1.1

// halves breaks a text between words into two lines of about one length.
func halves(text string) []string {
	middle := len(text) / 2
	at := middle + strings.IndexByte(text[middle:]+" ", ' ')
	return []string{text[:at], strings.TrimSpace(text[at:])}
}

// wrapped breaks a text between words into lines no wider than a width.
func wrapped(text string, size, width vg.Length) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && textWidth(longer, size) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
