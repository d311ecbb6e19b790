package viz

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"sync"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// repairSVG changes an SVG file as the plotting library writes it.
func repairSVG(data []byte) []byte {
	for _, change := range [][2]string{
		// Arial and Helvetica have the widths of Liberation Sans, which not every reader has.
		{"font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"},
		{"data:image/jpg;base64,", "data:image/png;base64,"}, // the images are PNGs
	} {
		data = bytes.ReplaceAll(data, []byte(change[0]), []byte(change[1]))
	}
	return bytes.Map(allowedInXML, bytes.ToValidUTF8(data, []byte("\uFFFD")))
}

// allowedInXML replaces letters that an XML file can't have, such as control characters in a name.
func allowedInXML(letter rune) rune {
	if letter < ' ' && letter != '\t' && letter != '\n' && letter != '\r' || letter == 0xFFFE || letter == 0xFFFF {
		return '\uFFFD'
	}
	return letter
}

// pdfCanvas is a PDF canvas that corrects what the plotting library's own gets wrong: it draws
// images upside down and see-through colours too dark, and it takes the bytes of a text for letters
// of Western Europe's code page.
type pdfCanvas struct {
	*vgpdf.Canvas
	refused string // first text that the face can't set; "": none
}

// FillString draws text. Letters outside of Latin-1, such as Greek ones, are drawn as shapes.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	if western, ok := westernLetters(text); ok {
		c.Canvas.FillString(pdfFace(face), at, western)
		return
	}
	if !c.fillOutlines(face, at, text) && c.refused == "" {
		c.refused = text
	}
}

// fillOutlines draws the outlines of letters. It returns false if the face lacks one of them.
func (c *pdfCanvas) fillOutlines(face font.Face, at vg.Point, text string) bool {
	var buffer sfnt.Buffer
	size := fixed.Int26_6(math.Round(64 * face.Font.Size.Points()))
	for _, letter := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, letter)
		if err != nil || glyph == 0 {
			return false
		}
		outline, err := face.Face.LoadGlyph(&buffer, glyph, size, nil)
		if err != nil {
			return false
		}
		c.Fill(outlinePath(outline, at))
		advance, err := face.Face.GlyphAdvance(&buffer, glyph, size, xfont.HintingNone)
		if err != nil {
			return false
		}
		at.X += points(advance)
	}
	return true
}

// outlinePath returns the path of a glyph whose origin is at a point.
func outlinePath(outline sfnt.Segments, at vg.Point) (path vg.Path) {
	place := func(p fixed.Point26_6) vg.Point { return vg.Point{X: at.X + points(p.X), Y: at.Y - points(p.Y)} }
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

// westernLetters returns text with one byte for each letter, in code page 1252, and whether all of
// them are there: the letters of ASCII and of Latin-1, such as ±.
func westernLetters(text string) (letters string, ok bool) {
	var bytes []byte
	for _, letter := range text {
		if letter > 0xff || letter > '~' && letter < 0xa0 {
			return text, false
		}
		bytes = append(bytes, byte(letter))
	}
	return string(bytes), true
}

// SetColor sets the colour of what is drawn next.
func (c *pdfCanvas) SetColor(colour color.Color) {
	if see, ok := colour.(color.NRGBA); ok {
		colour = straight(see)
	}
	c.Canvas.SetColor(colour)
}

// DrawImage draws a picture the right way up.
func (c *pdfCanvas) DrawImage(place vg.Rectangle, picture image.Image) {
	c.Canvas.DrawImage(place, upsideDown(picture))
}

// straight is a colour whose components aren't multiplied by its opacity, as the PDF canvas takes
// them to be.
type straight color.NRGBA

// RGBA returns the components as they are.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

// upsideDown returns a picture with its lines in reverse order.
func upsideDown(picture image.Image) image.Image {
	bounds := picture.Bounds()
	result := image.NewNRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			result.Set(x, y, picture.At(bounds.Min.X+x, bounds.Max.Y-1-y))
		}
	}
	return result
}

// pdfFonts are the fonts of PDF files by the fonts that they are cut from. Liberation Sans has
// 2,600 letters, of which a PDF needs those that westernLetters passes. They are cut once for the
// process, and not for each figure, because the plotting library keeps every font that it has
// written.
var pdfFonts sync.Map // of *opentype.Font to *opentype.Font

// pdfFace returns a face with the letters of Latin-1 alone, or the same face if it can't be cut.
func pdfFace(face font.Face) font.Face {
	cut, found := pdfFonts.Load(face.Face)
	if !found {
		cut, _ = pdfFonts.LoadOrStore(face.Face, cutFont(face.Face))
	}
	face.Face = cut.(*opentype.Font)
	return face
}

// cutFont returns a font with the letters of Latin-1 alone, or the same font if it can't be cut.
func cutFont(whole *opentype.Font) *opentype.Font {
	var source bytes.Buffer
	if _, err := whole.WriteSourceTo(nil, &source); err != nil {
		return whole
	}
	cut, err := opentype.Parse(fpdf.UTF8CutFont(source.Bytes(), latin1()))
	if err != nil {
		return whole
	}
	return cut
}

// latin1 returns the letters that westernLetters passes.
func latin1() string {
	var letters []rune
	for letter := ' '; letter <= 0xff; letter++ {
		if _, ok := westernLetters(string(letter)); ok {
			letters = append(letters, letter)
		}
	}
	return string(letters)
}
