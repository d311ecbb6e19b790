package folder_test

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/dataset/folder"
	"github.com/nbbnn/workbench/internal/testkit"
)

// exif is EXIF data of an orientation, as a segment of a JPEG file.
func exif(orientation byte) []byte {
	return []byte(
		"\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" +
			string(rune(orientation)) + "\x00\x00\x00\x00\x00\x00")
}

// Photos are red at the top as they were seen, however the camera was held, also oblong ones that
// are scaled. Endings of JPEG files in any case are read; junk of a system is no class.
func TestPhotosAreTurnedUpright(t *testing.T) {
	path := t.TempDir()
	sides := map[byte]image.Rectangle{3: image.Rect(0, 5, 24, 12), 6: image.Rect(0, 0, 6, 32),
		8: image.Rect(6, 0, 12, 32), 4: image.Rect(0, 6, 32, 12)}
	size := map[byte]image.Point{3: {24, 12}, 6: {12, 32}, 8: {12, 32}, 4: {32, 12}}
	for _, class := range []string{"a", "b"} {
		i := 0
		for orientation, name := range map[byte]string{3: "0.jpg", 6: "1.jfif", 8: "2.JPE",
			4: "3.JPEG"} {
			p := image.NewNRGBA(image.Rectangle{Max: size[orientation]})
			for at := range p.Bounds().Dx() * p.Bounds().Dy() {
				x, y := at%p.Bounds().Dx(), at/p.Bounds().Dx()
				p.SetNRGBA(x, y, color.NRGBA{B: 255, G: uint8(10 * i), A: 255})
				if image.Pt(x, y).In(sides[orientation]) {
					p.SetNRGBA(x, y, color.NRGBA{R: 255, G: uint8(10 * i), A: 255})
				}
			}
			file := filepath.Join(path, class, "stored.jpg")
			save(t, file, p)
			data := testkit.Must(os.ReadFile(file))(t)
			write(t, filepath.Join(path, class, name), slices.Concat(data[:2], exif(orientation),
				data[2:]))
			testkit.NoError(t, os.Remove(file))
			i++
		}
	}
	write(t, filepath.Join(path, "__MACOSX", "a", "._0.png"), []byte("\x00\x05\x16\x07"))
	data, notes := open(t, path, folder.Options{Height: 8, Width: 16})
	if data.Train.Count() != 6 || data.Test.Count() != 2 || len(data.Classes) != 2 {
		t.Fatalf("%d and %d images in %v, want 6 and 2 in a and b", data.Train.Count(),
			data.Test.Count(), data.Classes)
	}
	for _, part := range []dataset.Images{data.Train, data.Test} {
		for i := range part.Count() {
			pixels := part.Slice(i, i+1).Pixels
			top, bottom := pixels[3*(16+8):], pixels[3*(6*16+8):]
			if top[0] < 200 || top[2] > 50 || bottom[0] > 50 || bottom[2] < 200 {
				t.Errorf("an image has %v at the top and %v at the bottom, want red and blue",
					top[:3], bottom[:3])
			}
		}
	}
	if !slices.ContainsFunc(notes, func(note string) bool {
		return strings.HasPrefix(note, "8 of 8 pictures are turned upright")
	}) {
		t.Errorf("notes are %q, want one of 8 turned pictures", notes)
	}
}
