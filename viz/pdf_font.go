package viz

import (
	"bytes"
	"sync"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
)

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
