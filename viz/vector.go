package viz

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"math"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// repairSVG changes an SVG file as the plotting library writes it.
func repairSVG(data []byte) []byte {
	for _, change := range [][2]string{
		// Arial and Helvetica have the widths of Liberation Sans, which not every reader has.
		{"font-family:Liberation Sans;", "font-family:'Liberation " +
			"Sans',Arial,Helvetica,sans-serif;"},
		{"data:image/jpg;base64,", "data:image/png;base64,"}, // the images are PNGs
	} {
		data = bytes.ReplaceAll(data, []byte(change[0]), []byte(change[1]))
	}
	return bytes.Map(allowedInXML, bytes.ToValidUTF8(data, []byte("\uFFFD")))
}

// allowedInXML replaces letters that an XML file can't have, for example control characters in a
// name.
func allowedInXML(letter rune) rune {
	if letter < ' ' && letter != '\t' && letter != '\n' && letter != '\r' || letter == 0xFFFE ||
		letter == 0xFFFF {
		return '\uFFFD'
	}
	return letter
}

// pdfCanvas corrects the faults of the plotting library's PDF canvas: it draws images upside down
// and see-through colours too dark, and it takes the bytes of a text for letters of Western
// Europe's code page.
type pdfCanvas struct {
	*vgpdf.Canvas
	refused string // first text that the face can't set; "": none
}

// FillString draws text; letters outside of the code page (Greek, for example) and bold type as
// shapes, because the plotting library can embed one font only.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	if western, err := charmap.Windows1252.NewEncoder().String(text); err == nil &&
		face.Font.Weight == xfont.WeightNormal {
		c.Canvas.FillString(pdfFace(face), at, western)
		return
	}
	if !c.fillOutlines(face, at, text) && c.refused == "" {
		c.refused = text
	}
}

// fillOutlines draws the outlines of letters. It returns false if the face lacks one of them.
func (c *pdfCanvas) fillOutlines(face font.Face, at vg.Point, text string) bool {
	var buffer sfnt.Buffer // of the outline
	size := fixed.Int26_6(math.Round(64 * face.Font.Size.Points()))
	for _, letter := range text {
		glyph, unknown := face.Face.GlyphIndex(nil, letter)
		outline, broken := face.Face.LoadGlyph(&buffer, glyph, size, nil)
		advance, endless := face.Face.GlyphAdvance(nil, glyph, size, xfont.HintingNone)
		if glyph == 0 || cmp.Or(unknown, broken, endless) != nil {
			return false
		}
		c.Fill(outlinePath(outline, at))
		at.X += points(advance)
	}
	return true
}

// outlinePath returns the path of a glyph whose origin is at a point.
func outlinePath(outline sfnt.Segments, at vg.Point) (path vg.Path) {
	place := func(p fixed.Point26_6) vg.Point {
		return xy(at.X+points(p.X), at.Y-points(p.Y))
	}
	for _, segment := range outline {
		args := segment.Args
		switch segment.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(place(args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(place(args[0]), place(args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(args[0]), place(args[1]), place(args[2]))
		}
	}
	path.Close()
	return path
}

// points returns a length of the font library in points.
func points(length fixed.Int26_6) vg.Length { return vg.Length(length) / 64 }

// SetColor sets the colour for drawing. The PDF canvas takes components not multiplied by the
// opacity.
func (c *pdfCanvas) SetColor(colour color.Color) {
	if see, ok := colour.(color.NRGBA); ok {
		colour = color.RGBA(see)
	}
	c.Canvas.SetColor(colour)
}

// DrawImage draws a picture the right way up.
func (c *pdfCanvas) DrawImage(place vg.Rectangle, picture image.Image) {
	c.Push()
	defer c.Pop()
	c.Translate(xy(0, place.Min.Y+place.Max.Y))
	c.Scale(1, -1)
	c.Canvas.DrawImage(place, picture)
}

// pdfFonts are the fonts of PDF files by the fonts that they are cut from. Liberation Sans has
// 2,600 letters, of which a PDF needs its code page's. They are cut once for the process, and not
// for each figure, because the plotting library keeps every font that it has written.
var pdfFonts sync.Map // of *opentype.Font to *opentype.Font

// pdfFace returns a face with only the letters of the code page, or the same face if it can't be
// cut.
func pdfFace(face font.Face) font.Face {
	cut, found := pdfFonts.Load(face.Face)
	if !found {
		cut, _ = pdfFonts.LoadOrStore(face.Face, cutFont(face.Face))
	}
	face.Face = cut.(*opentype.Font)
	return face
}

// cutFont returns a font with only the letters of the code page, or the same font if it can't be
// cut.
func cutFont(whole *opentype.Font) *opentype.Font {
	var source bytes.Buffer
	if _, err := whole.WriteSourceTo(nil, &source); err != nil {
		return whole
	}
	cut, err := opentype.Parse(fpdf.UTF8CutFont(source.Bytes(), pageLetters()))
	if err != nil {
		return whole
	}
	return cut
}

// pageLetters returns the letters of the code page.
func pageLetters() string {
	var letters []rune
	for code := int(' '); code <= 0xff; code++ {
		if letter := charmap.Windows1252.DecodeByte(byte(code)); letter != utf8.RuneError &&
			!unicode.IsControl(letter) {
			letters = append(letters, letter)
		}
	}
	return string(letters)
}
