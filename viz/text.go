package viz

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sansSerif is the face of all text: the Liberation Sans that the plotting library carries within it.
var sansSerif = font.Font{Typeface: "Liberation", Variant: "Sans"}

// textStyle returns a style for text of the given size (points); x and y say which point of the text is placed.
func textStyle(size vg.Length, colour color.Color, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color:   colour,
		Font:    font.From(sansSerif, size),
		XAlign:  x,
		YAlign:  y,
		Handler: plot.DefaultTextHandler,
	}
}

// textWidth returns the width of a line of text.
func textWidth(text string, size vg.Length) vg.Length {
	return textStyle(size, ink, draw.XLeft, draw.YBottom).Width(text)
}

// write draws a line of text whose capitals are centred vertically on the given point.
func write(canvas draw.Canvas, text string, size vg.Length, colour color.Color, align draw.XAlignment, at vg.Point) {
	const capital = 0.72 // height of a capital, of the size
	style := textStyle(size, colour, align, draw.YBottom)
	// The library puts the baseline this far above the point that it's given.
	baseline := size - style.FontExtents().Ascent
	canvas.FillText(style, vg.Point{X: at.X, Y: at.Y - capital*size/2 - baseline}, text)
}

// shorten returns text, or its beginning with an ellipsis where it would be wider than width.
func shorten(text string, size, width vg.Length) string {
	letters := []rune(text)
	for len(letters) > 0 && textWidth(text, size) > width {
		letters = letters[:len(letters)-1]
		text = string(letters) + "..."
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
