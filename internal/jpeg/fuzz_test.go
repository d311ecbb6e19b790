package jpeg_test

import (
	"testing"

	"github.com/nbbnn/workbench/internal/jpeg"
)

func FuzzDecode(f *testing.F) {
	for _, name := range []string{
		"pixel.jpg", "narrow.jpg", "grey_odd.jpg", "odd.jpg", "full.jpg", "restart.jpg",
		"optimised.jpg",
		"progressive_restart.jpg", "passes.jpg", "scans.jpg",
	} {
		f.Add(read(f, "testdata", name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		decoder := jpeg.Decoder{MaxPixels: 1 << 20}
		image, err := decoder.Decode(data)
		if err == nil && image.Bounds().Dx()*image.Bounds().Dy() > decoder.MaxPixels {
			t.Errorf("a picture of %v is decoded", image.Bounds())
		}
	})
}
