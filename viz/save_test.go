package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"
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
	for extension, start := range map[string]string{".png": "\x89PNG", ".svg": "<?xml", ".pdf": "%PDF", ".PNG": "\x89PNG"} {
		path := filepath.Join(t.TempDir(), "figure"+extension)
		if err := figure.Save(path); err != nil {
			t.Errorf("%s: %v", extension, err)
			continue
		}
		if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte(start)) {
			t.Errorf("%s: file starts with %q (error %v), want %q", extension, data[:min(8, len(data))], err, start)
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
	if svg, err := figure.SVG(); err != nil || !bytes.Contains(svg, []byte("γ = −4")) {
		t.Errorf("SVG lacks γ = −4 (error %v)", err)
	}
	if _, err := figure.PDF(); err != nil {
		t.Errorf("PDF: %v", err)
	}
}

func TestPNGHasTwicePlainPixels(t *testing.T) {
	figure := smallFigure(t, "fog")
	data, err := figure.PNG()
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	width, height := figure.Size()
	if want := width * 192 / 72; float64(config.Width) < want-1e-6 || float64(config.Width) > want+1 {
		t.Errorf("PNG is %d pixels wide for %g points, want %g", config.Width, width, want)
	}
	if want := height * 192 / 72; float64(config.Height) < want-1e-6 || float64(config.Height) > want+1 {
		t.Errorf("PNG is %d pixels high for %g points, want %g", config.Height, height, want)
	}
}

func TestPNGIsTheSameTwice(t *testing.T) {
	first, err := smallFigure(t, "fog").PNG()
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := smallFigure(t, "fog").PNG(); !bytes.Equal(first, second) {
		t.Error("the same figure gave two PNG files that differ")
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	data, err := smallFigure(t, "a < b & c\x00\x07\xff\uFFFE").SVG()
	if err != nil {
		t.Fatal(err)
	}
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
	data, err := smallFigure(t, "fog").PDF()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmpimg.Equal("pdf", data, data); err != nil {
		t.Errorf("PDF cannot be read: %v", err)
	}
	if most := 50_000; len(data) > most {
		t.Errorf("PDF has %d bytes, want at most %d: are fonts embedded whole?", len(data), most)
	}
}

func TestRowThatCannotBeDrawn(t *testing.T) {
	figure, err := Row()
	checkError(t, "empty", figure, err, "0 figures")
	figure, err = Row(smallFigure(t, "fog"), nil)
	checkError(t, "nil", figure, err, "figure 2 of the row is nil")
}
