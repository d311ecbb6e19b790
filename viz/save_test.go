package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/cmpimg"
	plotfont "gonum.org/v1/plot/font"

	"github.com/nbbnn/workbench/internal/testkit"
)

// smallFigure returns a grid of one image with its rows and columns named.
func smallFigure(t *testing.T, caption string) *Figure {
	t.Helper()
	figure, err := CorruptionGrid(ImageGrid{
		Rows: []string{caption}, Columns: []string{"clean"}, Height: 2, Width: 2,
		Pixels: [][][]uint8{{{255, 0, 0, 255, 255, 255, 0, 0, 255, 0, 0, 0}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return figure
}

func TestSaveEveryFormat(t *testing.T) {
	figure := smallFigure(t, "fog")
	for extension, start := range map[string]string{".png": "\x89PNG", ".svg": "<?xml",
		".pdf": "%PDF", ".PNG": "\x89PNG"} {
		path := filepath.Join(t.TempDir(), "figure"+extension)
		if err := figure.Save(path); err != nil {
			t.Errorf("%s: %v", extension, err)
			continue
		}
		if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte(start)) {
			t.Errorf("%s: file starts with %q (error %v), want %q", extension,
				data[:min(8, len(data))], err, start)
		}
	}
}

func TestSaveThatFails(t *testing.T) {
	directory := t.TempDir()
	for _, test := range []struct{ caption, path, want string }{
		{"fog", "figure.gif", "must end in .png, .svg or .pdf"},
		{"fog", "figure", "must end in .png, .svg or .pdf"},
		{"fog", filepath.Join("missing", "figure.png"), "no such file"},
		{"雪", "figure.pdf", `cannot hold "雪"`},
	} {
		err := smallFigure(t, test.caption).Save(filepath.Join(directory, test.path))
		checkError(t, test.path, nil, err, test.want)
	}
	if entries, _ := os.ReadDir(directory); len(entries) != 0 {
		t.Errorf("%d files left after failed saves, want none", len(entries))
	}
}

// Greek letters and a minus sign are in pictures of every format.
func TestLettersOfPictures(t *testing.T) {
	figure := smallFigure(t, "gamma = -4")
	if svg, err := figure.Encode("svg"); err != nil || !bytes.Contains(svg, []byte("γ = −4")) {
		t.Errorf("SVG lacks γ = −4 (error %v)", err)
	}
	if _, err := figure.Headed("gamma in bold").pdf(); err != nil {
		t.Errorf("PDF: %v", err)
	}
}

func TestPNGHasTwicePlainPixels(t *testing.T) {
	figure := smallFigure(t, "fog")
	data := testkit.Must(figure.Encode("png"))(t)
	config := testkit.Must(png.DecodeConfig(bytes.NewReader(data)))(t)
	width, height := figure.Size()
	if want := width * 192 / 72; float64(config.Width) < want-1e-6 ||
		float64(config.Width) > want+1 {
		t.Errorf("PNG is %d pixels wide for %g points, want %g", config.Width, width, want)
	}
	if want := height * 192 / 72; float64(config.Height) < want-1e-6 ||
		float64(config.Height) > want+1 {
		t.Errorf("PNG is %d pixels high for %g points, want %g", config.Height, height, want)
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	data := testkit.Must(smallFigure(t, "a < b & c\x00\x07\xff\uFFFE").Encode("svg"))(t)
	for decoder := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("SVG is not XML: %v", err)
		}
	}
	for _, want := range []string{"'Liberation Sans',Arial", "data:image/png", "a &lt; b &amp; c"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("SVG lacks %q", want)
		}
	}
}

func TestPDFCanBeRead(t *testing.T) {
	data := testkit.Must(smallFigure(t, "fog").pdf())(t)
	if _, err := cmpimg.Equal("pdf", data, data); err != nil {
		t.Errorf("PDF cannot be read: %v", err)
	}
	if most := 50_000; len(data) > most {
		t.Errorf("PDF has %d bytes, want at most %d: are fonts embedded whole?", len(data), most)
	}
}

// The font of a PDF has each letter of its code page as the whole font does: its outline and its
// width.
func TestPDFFontHasTheLettersOfTheWholeFont(t *testing.T) {
	whole := plotfont.DefaultCache.Lookup(plotfont.Font{Typeface: "Liberation", Variant: "Sans"},
		10)
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
	for _, letter := range "~ ¡±×ÿ–—“”…€" {
		if !strings.ContainsRune(pageLetters(), letter) {
			t.Errorf("the font of a PDF lacks %q", letter)
		}
	}
	for _, letter := range pageLetters() {
		if got, want := glyphOf(t, cut, letter), glyphOf(t, whole, letter); !reflect.DeepEqual(got,
			want) {
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
