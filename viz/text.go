package viz

import (
	"image/color"
	"regexp"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sansSerif is the face of all text: the Liberation Sans that the plotting library carries within
// it.
var sansSerif = font.Font{Typeface: "Liberation", Variant: "Sans"}

// boldSansSerif is the same face in bold, for headings.
var boldSansSerif = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightBold}

// greek are the names of letters that pictures show as letters.
var greek = regexp.MustCompile(`\b(beta|gamma|lambda|sigma)\b`)

var greekLetters = map[string]string{"beta": "β", "gamma": "γ", "lambda": "λ", "sigma": "σ"}

// minus matches a hyphen in front of a number.
var minus = regexp.MustCompile(`(^|[\s(\[=,:])-(\d)`)

// letters returns a text as pictures show it: with Greek letters for their names, and a minus sign
// for a hyphen in front of a number.
func letters(text string) string {
	text = greek.ReplaceAllStringFunc(text, func(name string) string { return greekLetters[name] })
	return minus.ReplaceAllString(text, "${1}−${2}")
}

// textStyle returns a style for text of the given size (points); x and y select the point of the
// text that is placed.
func textStyle(size vg.Length, colour color.Color, x draw.XAlignment,
	y draw.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color:   colour,
		Font:    font.From(sansSerif, size),
		XAlign:  x,
		YAlign:  y,
		Handler: plot.DefaultTextHandler,
	}
}

func textWidth(text string, size vg.Length) vg.Length {
	return textStyle(size, ink, draw.XLeft, draw.YBottom).Width(letters(text))
}

// write draws a line of text whose capitals are centred vertically on the given point.
func write(canvas draw.Canvas, text string, size vg.Length, colour color.Color,
	align draw.XAlignment, at vg.Point) {
	const capital = 0.72 // height of a capital, of the size
	style := textStyle(size, colour, align, draw.YBottom)
	// The library puts the baseline this far above the point that it's given.
	baseline := size - style.FontExtents().Ascent
	canvas.FillText(style, xy(at.X, at.Y-capital*size/2-baseline), letters(text))
}

// shorten returns text, or its beginning with an ellipsis if it would be wider than width.
func shorten(text string, size, width vg.Length) string {
	runes := []rune(letters(text))
	for len(runes) > 0 && textWidth(text, size) > width {
		runes = runes[:len(runes)-1]
		text = string(runes) + "..."
	}
	return text
}

// fitted returns the size, or the smaller one at which text is no wider than width.
func fitted(text string, size, width vg.Length) vg.Length {
	if needed := textWidth(text, size); needed > width {
		return size * width / needed
	}
	return size
}

// Sizes of a heading, in points.
const (
	headingSize   vg.Length = 15
	headingLine   vg.Length = 20
	subtitleLine  vg.Length = 15
	headingBottom vg.Length = 8 // between the heading and the figure
)

// Headed returns the figure with a heading above it, at its left edge: a bold title, which states a
// finding, and lines below it, for example the effect with its interval and what was measured. Long
// lines are broken between words.
func (f *Figure) Headed(title string, lines ...string) *Figure {
	width := f.width - 2*margin
	titles := wrapped(title, headingSize, width/boldWidth)
	var below []string
	for _, line := range lines {
		below = append(below, wrapped(line, tickSize, width)...)
	}
	height := margin + headingLine*vg.Length(len(titles)) + subtitleLine*vg.Length(len(below)) +
		headingBottom
	heading := func(canvas draw.Canvas) {
		at := xy(canvas.Min.X+margin, canvas.Max.Y-margin-headingLine/2)
		for _, line := range titles {
			writeBold(canvas, line, headingSize, at)
			at.Y -= headingLine
		}
		at.Y += (headingLine - subtitleLine) / 2
		for _, line := range below {
			write(canvas, line, tickSize, softInk, draw.XLeft, at)
			at.Y -= subtitleLine
		}
	}
	return f.changed(func(l layout) layout { return l.under(height, heading) })
}

func writeBold(canvas draw.Canvas, text string, size vg.Length, at vg.Point) {
	style := textStyle(size, ink, draw.XLeft, draw.YCenter)
	style.Font = font.From(boldSansSerif, size)
	canvas.FillText(style, at, letters(text))
}

// boldWidth is more than the ratio of bold letters' widths to textWidth's.
const boldWidth = 1.1

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
