package jpeg_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/nbbnn/workbench/internal/jpeg"
)

// The fuzzer spends its time on shortening long inputs. So marks replace the usual tables of a file
// in what is fuzzed, and a scan is cut after its beginning.

// Markers of segments.
const (
	quantisation = 0xdb
	huffman      = 0xc4
	scan         = 0xda
	application  = 0xe0
)

// segment returns the marker of the segment that begins at a place, and where it ends.
func segment(data []byte, at int) (marker byte, end int) {
	return data[at+1], at + 2 + int(binary.BigEndian.Uint16(data[at+2:]))
}

// tableMarks are the tables of pixel.jpg, which most files have, and their marks.
func tableMarks(t testing.TB) (replacements []struct{ mark, table []byte }) {
	data := read(t, "testdata", "pixel.jpg")
	for at := 2; ; {
		marker, end := segment(data, at)
		switch marker {
		case quantisation, huffman:
			mark := fmt.Appendf(nil, "<%d>", len(replacements))
			replacements = append(replacements, struct{ mark, table []byte }{mark, data[at:end]})
		case scan:
			return replacements
		}
		at = end
	}
}

// shortened returns a file without its application segment and with at most 80 bytes of its scan.
func shortened(data []byte) []byte {
	const longest = 80
	short := bytes.Clone(data[:2])
	for at := 2; ; {
		marker, end := segment(data, at)
		if marker == scan {
			return append(short, data[at:min(end+longest, len(data))]...)
		}
		if marker != application {
			short = append(short, data[at:end]...)
		}
		at = end
	}
}

// fuzzSeeds are short files, most of which are sound. The others end within their scan.
func fuzzSeeds(t testing.TB) (seeds [][]byte) {
	for _, name := range []string{
		"pixel.jpg", "narrow.jpg", "grey_odd.jpg", "odd.jpg", "full.jpg", "restart.jpg", "optimised.jpg", "progressive.jpg",
	} {
		seed := shortened(read(t, "testdata", name))
		for _, r := range tableMarks(t) {
			seed = bytes.Replace(seed, r.table, r.mark, 1)
		}
		seeds = append(seeds, seed)
	}
	return seeds
}

func FuzzDecode(f *testing.F) {
	for _, seed := range fuzzSeeds(f) {
		f.Add(seed)
	}
	marks := tableMarks(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range marks {
			data = bytes.Replace(data, r.mark, r.table, 1)
		}
		decoder := jpeg.Decoder{MaxPixels: 1 << 20}
		image, err := decoder.Decode(data)
		if err == nil && image.Bounds().Dx()*image.Bounds().Dy() > decoder.MaxPixels {
			t.Errorf("a picture of %v is decoded", image.Bounds())
		}
	})
}
