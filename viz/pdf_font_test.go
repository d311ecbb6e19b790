package viz

import (
	"reflect"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
)

// The font of a PDF has each letter of Latin-1 as the whole font does: its outline and its width.
func TestPDFFontHasTheLettersOfTheWholeFont(t *testing.T) {
	whole := plotfont.DefaultCache.Lookup(plotfont.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
	cut := pdfFace(whole)
	if cut.Face == whole.Face {
		t.Fatal("the font isn't cut")
	}
	if again := pdfFace(whole); again.Face != cut.Face {
		t.Error("the font is cut a second time")
	}
	if count := cut.Face.NumGlyphs(); count > 256 || whole.Face.NumGlyphs() < 10*count {
		t.Errorf("the cut font has %d glyphs, the whole one %d", count, whole.Face.NumGlyphs())
	}
	if letters := []rune(latin1()); len(letters) != 95+96 {
		t.Errorf("%d letters, want those of ASCII and of Latin-1", len(letters))
	}
	for _, letter := range latin1() {
		if got, want := glyphOf(t, cut, letter), glyphOf(t, whole, letter); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is drawn differently", letter)
		}
	}
}

// glyph is how a font draws a letter.
type glyph struct {
	outline sfnt.Segments
	advance fixed.Int26_6
}

func glyphOf(t *testing.T, face plotfont.Face, letter rune) (g glyph) {
	t.Helper()
	var buffer sfnt.Buffer
	size := fixed.I(1000)
	index, err := face.Face.GlyphIndex(&buffer, letter)
	if err != nil || index == 0 {
		t.Fatalf("no glyph for %q: %v", letter, err)
	}
	if g.outline, err = face.Face.LoadGlyph(&buffer, index, size, nil); err != nil {
		t.Fatal(err)
	}
	if g.advance, err = face.Face.GlyphAdvance(&buffer, index, size, font.HintingNone); err != nil {
		t.Fatal(err)
	}
	g.outline = append(sfnt.Segments{}, g.outline...)
	return g
}
