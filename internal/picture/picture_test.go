package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// encoded returns a picture of one format.
func encoded(t *testing.T, format string) []byte {
	t.Helper()
	var file bytes.Buffer
	picture, err := image.NewGray(image.Rect(0, 0, 3, 2)), error(nil)
	switch format {
	case "png":
		err = png.Encode(&file, picture)
	case "gif":
		err = gif.Encode(&file, picture, nil)
	default:
		err = jpeg.Encode(&file, picture, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// The package image/gif is linked here, as viz links it, and a GIF is refused all the same.
func TestOtherKindsAreTold(t *testing.T) {
	for _, format := range []string{"png", "jpeg"} {
		config, err := Config(encoded(t, format))
		if err != nil || config.Width != 3 || config.Height != 2 {
			t.Errorf("%s has %dx%d (%v), want 3x2", format, config.Width, config.Height, err)
		}
		if _, err := Decode(encoded(t, format)); err != nil {
			t.Error(err)
		}
	}
	for data, want := range map[string]string{
		string(encoded(t, "gif")): "a GIF picture, and only PNG, JPEG and WebP " +
			"are read",
		"II*\x00\x08\x00\x00\x00":  "a TIFF",
		"MM\x00*\x00\x00\x00\x08":  "a TIFF",
		"\x00\x00\x00\x18ftypheic": "a HEIC",
		"\x00\x00\x00\x18ftypavif": "an AVIF",
		"BM\x00\x00":               "a BMP",
		"RIFF    WEBPVP8X\n\x00\x00\x00\x02\x00": "an animated WebP picture: save one of its " +
			"frames",
		"<!doctype html>": `none of PNG, JPEG and WebP: it begins with "<!doctype html>"`,
		"":                "it's empty",
	} {
		_, err := Decode([]byte(data))
		if _, configErr := Config([]byte(data)); err == nil || configErr == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
}

// The wanted pixels are those that Pillow 13 gives for the files of testdata.
func TestPixelsAreThoseOfPillow(t *testing.T) {
	for name, tolerance := range map[string]int{
		"444.jpg": 0, "422.jpg": 0, "420.jpg": 0, "440.jpg": 0, "narrow.jpg": 0, "grey.jpg": 0,
		"progressive.jpg": 2,
		"lossy.webp":      0, "lossless.webp": 0, "alpha.webp": 0,
	} {
		got, want := pixelsOf(t, name), pixelsOf(t, name+".png")
		if got.Rect != want.Rect {
			t.Errorf("%s has %v, want %v", name, got.Rect, want.Rect)
			continue
		}
		most := 0
		for i := range want.Pix {
			if want.Pix[i|3] > 0 { // the colour of transparent pixels doesn't matter
				most = max(most, int(got.Pix[i])-int(want.Pix[i]), int(want.Pix[i])-int(got.Pix[i]))
			}
		}
		if most > tolerance {
			t.Errorf("%s differs by %d levels from Pillow's, want at most %d", name, most,
				tolerance)
		}
	}
}

// pixelsOf decodes a file of testdata.
func pixelsOf(t *testing.T, name string) *image.NRGBA {
	t.Helper()
	data := testkit.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	decoded := testkit.Must(Decode(data))(t)
	pixels := image.NewNRGBA(decoded.Bounds())
	draw.Draw(pixels, pixels.Rect, decoded, decoded.Bounds().Min, draw.Src)
	return pixels
}

// Values of 16 bits are rounded: 0x12ff is 18.92 of 255.
func TestEightBits(t *testing.T) {
	for _, p := range []draw.Image{
		image.NewGray16(image.Rect(2, 3, 4, 4)), image.NewRGBA64(image.Rect(2, 3, 4, 4)),
		image.NewNRGBA64(image.Rect(2, 3, 4, 4)),
	} {
		draw.Draw(p, p.Bounds(), image.NewUniform(color.NRGBA64{0x12ff, 0x12ff, 0x12ff, 0xffff}),
			image.Point{}, draw.Src)
		to, largest := EightBits(p)
		if r, g, b, _ := to.At(0, 0).RGBA(); r>>8 != 0x13 || g != r || b != r || largest != 0x12ff {
			t.Errorf("%T gives %x %x %x with the largest value %x, want 13 and 12ff", p, r>>8, g>>8,
				b>>8, largest)
		}
	}
	for _, c := range []struct {
		of   color.Color
		want uint8
		most int
	}{{color.NRGBA64{0x12ff, 0x12ff, 0x12ff, 0x4000}, 196, 0x12ff}, {color.NRGBA{90, 90, 90, 60},
		216, 0}, {color.NRGBA{70, 70, 70, 60}, 211, 0}} {
		p := image.NewPaletted(image.Rect(2, 3, 4, 4), color.Palette{c.of})
		to, largest := EightBits(p)
		if want := (color.RGBA{c.want, c.want, c.want, 255}); to.At(1, 0) != want ||
			largest != c.most {
			t.Errorf("%v is put on white as %v with the largest value %x, want %v and %x", c.of,
				to.At(1, 0), largest, want, c.most)
		}
	}
	if eight := image.NewGray(image.Rect(0, 0, 1, 1)); eight != firstOf(EightBits(eight)) {
		t.Error("a picture of 8 bits is changed")
	}
}

func firstOf(p image.Image, _ int) image.Image { return p }

// An orientation is found wherever Pillow's exif_transpose finds it: 200 such files agreed.
func TestOrientationIsFound(t *testing.T) {
	exif :=
		"MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	without := "MM\x00*\x00\x00\x00\x08\x00\x00"
	xmp := `<rdf:Description tiff:Orientation="6"/>`
	app := func(body string) string {
		return "\xff\xe1" + string(binary.BigEndian.AppendUint16(nil, uint16(2+len(body)))) + body
	}
	chunk := func(name, body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + name + body + "CRC."
	}
	packed := func(text string) string {
		var buffer bytes.Buffer
		w := zlib.NewWriter(&buffer)
		w.Write([]byte(text))
		w.Close()
		return buffer.String()
	}
	raw := "\nexif\n      32\n" + hex.EncodeToString([]byte(exifMark+exif)) + "\n"
	const element = "<tiff:Orientation>6</tiff:Orientation>"
	for name, file := range map[string]string{
		"fill bytes":             jpegMagic + "\xff\xff" + app(exifMark+exif),
		"junk before":            jpegMagic + "abc\xff\x00" + app(exifMark+exif),
		"another segment before": jpegMagic + "\xff\xfe\x00\x04ab" + app(exifMark+exif),
		"a split segment":        jpegMagic + app(exifMark+exif[:20]) + app(exifMark+exif[20:]),
		"XMP in JPEG":            jpegMagic + app(xmpMark+xmp),
		"EXIF without it":        jpegMagic + app(exifMark+without) + app(xmpMark+element),
		"EXIF before XMP": jpegMagic + app(xmpMark+`tiff:Orientation="3"`) +
			app(exifMark+exif),
		"PNG":                  pngMagic + chunk("tEXt", "a") + chunk("eXIf", exif),
		"PNG with EXIF's mark": pngMagic + chunk("eXIf", exifMark+exif),
		"PNG of ImageMagick":   pngMagic + chunk("tEXt", "Raw profile type exif\x00"+raw),
		"the same, packed": pngMagic + chunk("zTXt", "Raw profile type exif\x00\x00"+
			packed(raw)),
		"XMP in PNG": pngMagic + chunk("iTXt",
			"XML:com.adobe.xmp\x00\x00\x00en\x00key\x00"+element),
		"the same, packed XMP": pngMagic + chunk("iTXt", "XML:com.adobe.xmp\x00\x01\x00\x00\x00"+
			packed(xmp)),
		"WebP": "RIFF....WEBP" + "VP8 \x01\x00\x00\x00a\x00" +
			"EXIF\x1a\x00\x00\x00" + exif,
		"WebP that repeats EXIF": "RIFF....WEBP" + "EXIF\x20\x00\x00\x00" + exifMark + exif,
		"XMP in WebP":            "RIFF....WEBP" + "XMP \x27\x00\x00\x00" + xmp,
	} {
		if got := OrientationOf([]byte(file)); got != 6 {
			t.Errorf("%s has orientation %d, want 6", name, got)
		}
	}
	for name, file := range map[string]string{
		"behind the pixels": jpegMagic + "\xff\xda\x00\x04ab" + app(exifMark+exif),
		"no orientation":    jpegMagic + app(exifMark+without),
		"a value of none":   jpegMagic + app(xmpMark+`tiff:Orientation="9"`),
		"EXIF of none": jpegMagic + app(exifMark+strings.Replace(exif, "\x00\x06", "\x00\x09",
			1)) + app(xmpMark+xmp),
	} {
		if got := OrientationOf([]byte(file)); got != 1 {
			t.Errorf("%s: orientation %d, want 1", name, got)
		}
	}
}

// withOrientation puts EXIF data behind the first two bytes of a JPEG file.
func withOrientation(file []byte, order binary.AppendByteOrder, mark string,
	orientation uint16) []byte {
	exif := order.AppendUint16([]byte("Exif\x00\x00"+mark), 42)
	exif = order.AppendUint32(exif, 8)
	exif = order.AppendUint16(exif, 1)
	exif = order.AppendUint32(order.AppendUint16(order.AppendUint16(exif, 0x112), 3), 1)
	exif = order.AppendUint16(order.AppendUint16(exif, orientation), 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return slices.Concat(file[:2], segment, exif, file[2:])
}

// The values are derived by hand from the EXIF standard of [[1, 2, 3], [4, 5, 6]].
func TestUpright(t *testing.T) {
	for orientation, want := range [][]uint8{
		1: {1, 2, 3, 4, 5, 6}, 2: {3, 2, 1, 6, 5, 4}, 3: {6, 5, 4, 3, 2, 1}, 4: {4, 5, 6, 1, 2, 3},
		5: {1, 4, 2, 5, 3, 6}, 6: {4, 1, 5, 2, 6, 3}, 7: {6, 3, 5, 2, 4, 1}, 8: {3, 6, 2, 5, 1, 4},
	} {
		if orientation == 0 {
			continue
		}
		for mark, order := range map[string]binary.AppendByteOrder{"II": binary.LittleEndian,
			"MM": binary.BigEndian} {
			file := withOrientation(encoded(t, "jpeg"), order, mark, uint16(orientation))
			if got := OrientationOf(file); got != Orientation(orientation) {
				t.Errorf("orientation %d is read as %d", orientation, got)
			}
			number := byte(orientation)
			// LONG
			file = bytes.Replace(file, []byte{0, 3, 0, 0, 0, 1, 0, number, 0, 0},
				[]byte{0, 4, 0, 0, 0, 1, 0, 0, 0, number}, 1)
			if got := OrientationOf(file); got != Orientation(orientation) {
				t.Errorf("orientation %d of four bytes is read as %d", orientation, got)
			}
		}
		got, height, _ := Orientation(orientation).Upright([]uint8{1, 2, 3, 4, 5, 6}, 2, 3, 1)
		if !slices.Equal(got, want) || (height == 3) != (orientation >= 5) {
			t.Errorf("orientation %d gives %v of height %d, want %v", orientation, got, height,
				want)
		}
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\xff\xff\xff\xff"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x02\xff\xe1\x00\x00"))
	f.Add([]byte(pngMagic + "\xff\xff\xff\xffeXIf...."))
	f.Add([]byte(pngMagic + "\x00\x00\x00\x17iTXtXML:com.adobe.xmp\x00\x01\x00\x00\x00\x00CRC."))
	f.Add([]byte("RIFF....WEBPEXIF\xff\xff\xff\xff...."))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := OrientationOf(data); got < 1 || got > 8 {
			t.Errorf("orientation %d", got)
		}
	})
}
