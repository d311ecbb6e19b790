package viz

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strings"
	"sync"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nbbnn/workbench/internal/files"
)

// pixelsPerInch is the resolution of PNG files: twice that of a plain screen, sharp on a dense one
// and in print.
const pixelsPerInch = 192

// Save writes the figure to a file, as PNG (192 pixels per inch), SVG or PDF by the path's
// extension. The file is replaced whole or not at all.
func (f *Figure) Save(path string) error {
	extension := strings.ToLower(filepath.Ext(path))
	encode, ok := map[string]func() ([]byte, error){".png": f.PNG, ".svg": f.SVG, ".pdf": f.PDF}[extension]
	if !ok {
		return fmt.Errorf("viz: cannot save %q: the name must end in .png, .svg or .pdf", path)
	}
	data, err := encode()
	if err != nil {
		return err
	}
	if err := files.WriteBytes(path, data); err != nil {
		return fmt.Errorf("viz: cannot save the figure: %w", err)
	}
	return nil
}

// PNG returns the figure as a PNG file of 192 pixels per inch. The same figure gives the same
// bytes.
func (f *Figure) PNG() ([]byte, error) {
	width, height := f.size()
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pixelsPerInch))
	return f.encode(vgimg.PngCanvas{Canvas: canvas})
}

// SVG returns the figure as an SVG file. Its text is text, set in Liberation Sans or in a face of
// the same widths, so that the file stays small and can be edited.
func (f *Figure) SVG() ([]byte, error) {
	data, err := f.encode(vgsvg.New(f.size()))
	if err != nil {
		return nil, err
	}
	return repairSVG(data), nil
}

// PDF returns the figure as a PDF file of one page with its fonts embedded. Texts with letters
// outside of Latin-1, such as Greek ones, are drawn as shapes; one with a letter that the face
// lacks is refused.
func (f *Figure) PDF() ([]byte, error) {
	canvas := &pdfCanvas{Canvas: vgpdf.New(f.size())}
	data, err := f.encode(canvas)
	if canvas.refused != "" {
		return nil, fmt.Errorf("viz: a PDF cannot hold %q: use Latin or Greek letters, or save as .svg or .png", canvas.refused)
	}
	return data, err
}

// size returns the width and height of the figure, rounded up to whole pixels of the PNG.
func (f *Figure) size() (width, height vg.Length) {
	return wholePixels(f.width), wholePixels(f.header + f.body)
}

// encode draws the figure on white and returns the canvas as a file.
func (f *Figure) encode(target vg.CanvasWriterTo) ([]byte, error) {
	canvas := draw.New(target)
	fill(canvas, canvas.Rectangle, color.White)
	f.paint(canvas, f.header)
	var file bytes.Buffer
	if _, err := target.WriteTo(&file); err != nil {
		return nil, fmt.Errorf("viz: cannot encode the figure: %w", err)
	}
	return file.Bytes(), nil
}

// pixel is the side of one pixel of a PNG, in points.
const pixel = vg.Inch / pixelsPerInch

// wholePixels rounds a length up to whole pixels, forgiving rounding errors of the arithmetic
// before.
func wholePixels(length vg.Length) vg.Length {
	return pixel * vg.Length(math.Ceil(float64(length/pixel)-1e-6))
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
