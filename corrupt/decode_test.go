package corrupt

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// encoded is a picture as a PNG file.
func encoded(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	testkit.NoError(t, png.Encode(&file, picture))
	return file.Bytes()
}

// painted sets the pixels of a picture that is two wide and one high.
func painted(picture interface {
	image.Image
	Set(x, y int, c color.Color)
}) image.Image {
	picture.Set(0, 0, color.NRGBA64{R: 0x80ff, G: 0x40ff, B: 0x2080, A: 0xffff})
	picture.Set(1, 0, color.White)
	return picture
}

func TestDecodeGivesBytesOfThreeChannels(t *testing.T) {
	rectangle := image.Rect(0, 0, 2, 1)
	paletted := image.NewPaletted(rectangle,
		color.Palette{color.Black, color.NRGBA{10, 20, 30, 255}})
	paletted.SetColorIndex(1, 0, 1)
	transparent := image.NewNRGBA(rectangle)
	transparent.SetNRGBA(0, 0, color.NRGBA{90, 80, 70, 60})
	tests := []struct {
		name    string
		picture image.Image
		want    []uint8
	}{
		{"8 bits", painted(image.NewNRGBA(rectangle)), []uint8{0x80, 0x40, 0x20, 255, 255, 255}},
		{"16 bits", painted(image.NewNRGBA64(rectangle)), []uint8{0x80, 0x41, 0x20, 255, 255, 255}},
		{"grey", painted(image.NewGray(rectangle)), []uint8{80, 80, 80, 255, 255, 255}},
		{"16-bit grey", painted(image.NewGray16(rectangle)), []uint8{80, 80, 80, 255, 255, 255}},
		{"palette", paletted, []uint8{0, 0, 0, 10, 20, 30}},
		{"transparent, on white", transparent, []uint8{216, 214, 211, 255, 255, 255}},
		{"one pixel", image.NewGray(image.Rect(0, 0, 1, 1)), []uint8{0, 0, 0}},
	}
	for _, test := range tests {
		size, pixels, err := Decode(bytes.NewReader(encoded(t, test.picture)))
		if err != nil || !slices.Equal(pixels, test.want) || size.Values() != len(test.want) {
			t.Errorf("%s: got %v %v, %v, want %v", test.name, size, pixels, err, test.want)
		}
	}
}

func TestDecodeReadsJPEG(t *testing.T) {
	var file bytes.Buffer
	testkit.NoError(t, jpeg.Encode(&file, image.NewGray(image.Rect(0, 0, 5, 3)), nil))
	size, pixels, err := Decode(&file)
	if want := make([]uint8, 45); err != nil || size != (Size{3, 5}) ||
		!slices.Equal(pixels, want) {
		t.Errorf("got %v %v, %v, want 3x5 black", size, pixels, err)
	}
}

// lyingPNG is a file of a few bytes whose header claims a size.
func lyingPNG(width, height uint32) []byte {
	chunk := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"),
		width), height), 16, 6, 0, 0, 0)
	file := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(file, chunk...), crc32.ChecksumIEEE(chunk))
}

func TestDecodeRefuses(t *testing.T) {
	whole := encoded(t, image.NewNRGBA(image.Rect(0, 0, 40, 40)))
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "give a sound picture"},
		{"text", []byte("not a picture"), "give a sound picture"},
		{"cut off", whole[:len(whole)-20], "the file is damaged"},
		{"more than its bytes can hold", lyingPNG(5000, 5000),
			"claims 5000x5000 pixels in 33 bytes"},
		{"too many pixels", lyingPNG(16000, 16000), "at most 33554432 in all"},
		{"too wide", lyingPNG(1<<20, 1), "want 1 to 16384 a side"},
	}
	for _, test := range tests {
		if _, _, err := Decode(bytes.NewReader(test.file)); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestShrink(t *testing.T) {
	size, pixels, err := Shrink(Size{2, 4}, []uint8{
		0, 0, 0, 10, 10, 10, 100, 0, 0, 100, 0, 0,
		0, 0, 0, 30, 30, 30, 100, 0, 0, 100, 0, 0,
	}, 2)
	if want := []uint8{10, 10, 10, 100, 0, 0}; err != nil || size != (Size{1, 2}) ||
		!slices.Equal(pixels, want) {
		t.Errorf("got %v %v, %v, want 1x2 %v", size, pixels, err, want)
	}
	if size, _, err := Shrink(Size{1, 1}, []uint8{1, 2, 3}, 5); err != nil || size != (Size{1, 1}) {
		t.Errorf("a small image became %v, %v", size, err)
	}
	if _, _, err := Shrink(Size{2, 2}, []uint8{1}, 5); err == nil {
		t.Error("1 byte of a 2x2 image was shrunk, want an error")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, painted(image.NewNRGBA64(image.Rect(0, 0, 2, 1)))))
	f.Add(encoded(f, image.NewGray16(image.Rect(0, 0, 3, 3))))
	var file bytes.Buffer
	testkit.NoError(f, jpeg.Encode(&file, image.NewGray(image.Rect(0, 0, 9, 9)), nil))
	f.Add(file.Bytes())
	f.Add(lyingPNG(5000, 5000))
	f.Fuzz(func(t *testing.T, data []byte) {
		if size, pixels, err := Decode(bytes.NewReader(data)); err == nil &&
			(len(pixels) == 0 || len(pixels) != size.Values()) {
			t.Errorf("%d bytes of pixels for a %v picture", len(pixels), size)
		}
	})
}

// A photo whose top is stored at the left is turned, as EXIF says.
func TestDecodeTurnsPhotos(t *testing.T) {
	var file bytes.Buffer
	testkit.NoError(t, jpeg.Encode(&file, image.NewGray(image.Rect(0, 0, 8, 16)), nil))
	exif :=
		"\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"
	data := slices.Concat(file.Bytes()[:2], []byte(exif), file.Bytes()[2:])
	size, _, err := Decode(bytes.NewReader(data))
	if want := (Size{Height: 8, Width: 16}); err != nil || size != want {
		t.Errorf("a turned photo has %v (%v), want %v", size, err, want)
	}
}
