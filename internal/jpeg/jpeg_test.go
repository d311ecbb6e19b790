package jpeg_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/jpeg"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

// decoded are files that Pillow wrote from pictures of ours, with the SHA-256 of the pixels to
// which Pillow decodes them.
var decoded = []struct {
	file          string
	height, width int
	sha256        string
}{
	{"grey.jpg", 64, 64, "0e45869bc76cee71e4f8178a7328b689b09624ddddc81226bc9c4da72f3ce2e4"},
	{"halved.jpg", 64, 64, "22ed80f5baf42ff373b39672518ee9fcd2f4e5d2a98de716b76d00e6bdb60e1f"},
	{"full.jpg", 24, 24, "eb5dfcc3ed8507ab6b5d29cd397d268571adc047a60fece5e6025b5c730b39e6"},
	{"wide.jpg", 16, 16, "e25f6b752e52be3a6b996c88f2b10328e9c5df717eea98d0fdbad505af1b3463"},
	{"odd.jpg", 17, 33, "8e3155a5764716abfc40d8e616d5b3a42242260751585462be798e1a3063364b"},
	{"narrow.jpg", 9, 3, "d480929353fb3292a647d1779d5a49cba2dbd47883483f216c2c8aa560d1d8ab"},
	{"pixel.jpg", 1, 1, "6202a8159b0162fa52c274ca1789c165d588d24652ae79729f2c08ded91a9bab"},
	{"grey_odd.jpg", 11, 19, "b345f0a32cd2150aab128504b1f4a0cd59a968c18f621f3c430330879a990bcc"},
	{"restart.jpg", 40, 48, "447953e5f31cc74eae1b7fe1ef8f86b0e596e68e86fe2d4343554628bf2a1be4"},
	{"optimised.jpg", 32, 32, "e736aba0197c88a3c23164fa8d078d9f37f61117b98868e1930f8b6d4ad194e7"},
	{"scans.jpg", 19, 35, "596f252d26138cfaf4ab6dd691d611f6ef4c43fff58866c391b67d0ffb2b70fa"},
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	return testkit.Must(os.ReadFile(filepath.Join(path...)))(t)
}

func TestDecodeEqualsLibjpeg(t *testing.T) {
	var decoder jpeg.Decoder // one for all, so that what it keeps is tested too
	for _, test := range decoded {
		file := read(t, "testdata", test.file)
		// Adobe's segment says that three channels are red, green and blue, but JFIF says that they
		// aren't.
		fromAdobe := slices.Insert(slices.Clone(file), 2,
			[]byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")...)
		for _, data := range [][]byte{file, fromAdobe} {
			decoded := testkit.Must(decoder.Decode(data))(t)
			sum := sha256.Sum256(colours(decoded))
			if got := hex.EncodeToString(sum[:]); decoded.Bounds() != image.Rect(0, 0, test.width,
				test.height) || got != test.sha256 {
				t.Errorf("%s has %v with sha256 %s, want %dx%d with %s", test.file,
					decoded.Bounds(), got, test.height, test.width, test.sha256)
			}
		}
	}
}

// colours returns the red, green and blue values of an image.
func colours(of image.Image) (values []byte) {
	all := image.NewRGBA(of.Bounds())
	draw.Draw(all, all.Rect, of, all.Rect.Min, draw.Src)
	for pixel := range slices.Chunk(all.Pix, 4) {
		values = append(values, pixel[:3]...)
	}
	return values
}

// Files as in Tiny-ImageNet-C, where the machine has them, decode to the reference's pixels.
func TestDecodeEqualsTheReference(t *testing.T) {
	folder := os.Getenv("NBBNN_GOLDEN")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "golden")
	}
	want, err := npy.ReadFile[uint8](filepath.Join(folder, "tinyc_decoded.npy"))
	if err != nil {
		t.Skip("no golden files here: set NBBNN_GOLDEN to their folder to compare with the " +
			"reference's decoder")
	}
	for i := range want.Shape[0] {
		decoded := testkit.Must(new(jpeg.Decoder).Decode(read(t, folder,
			fmt.Sprintf("tinyc_%d.jpg", i))))(t)
		if !bytes.Equal(colours(decoded), want.At(i).Values) {
			t.Errorf("tinyc_%d.jpg differs from the reference", i)
		}
	}
}

// The standard library reads other kinds. Its pixels of a progressive file are nearly those of the
// same picture without progression, since chroma is interpolated here, too.
func TestDecodeOtherKinds(t *testing.T) {
	decoded := testkit.Must(new(jpeg.Decoder).Decode(read(t, "testdata", "cmyk.jpg")))(t)
	if got := decoded.ColorModel(); got != color.CMYKModel {
		t.Errorf("CMYK is decoded to a %T", decoded)
	}
	got := colours(testkit.Must(new(jpeg.Decoder).Decode(read(t, "testdata", "passes.jpg")))(t))
	for i, want := range colours(
		testkit.Must(new(jpeg.Decoder).Decode(read(t, "testdata", "scans.jpg")))(t)) {
		if d := int(got[i]) - int(want); max(d, -d) > 2 {
			t.Fatalf("value %d of a progressive file is %d, want %d +- 2", i, got[i], want)
		}
	}
}

// A picture without one of its scans, or with one a second time in its place, is refused, be it
// progressive or not.
func TestScansAreCounted(t *testing.T) {
	for _, name := range []string{"scans.jpg", "passes.jpg"} {
		var parts [][]byte // the last marker's is the end
		rest := read(t, "testdata", name)
		for at := bytes.Index(rest, []byte{0xff, 0xda}); at >= 0; at = bytes.Index(rest,
			[]byte{0xff, 0xda}) {
			for at += 2; rest[at] != 0xff || rest[at+1] == 0; at++ {
			}
			parts, rest = append(parts, rest[:at]), rest[at:]
		}
		whole := slices.Concat(append(slices.Clone(parts), rest)...)
		testkit.Must(new(jpeg.Decoder).Decode(whole))(t)
		for i := 1; i < len(parts); i++ {
			other := slices.Clone(parts)
			other[i] = parts[i-1]
			for _, parts := range [][][]byte{slices.Delete(slices.Clone(parts), i, i+1), parts[:i],
				other[:min(i+1, len(other))]} {
				_, err := new(jpeg.Decoder).Decode(slices.Concat(append(slices.Clone(parts),
					rest)...))
				testkit.Error(t, name, err, "")
			}
		}
		_, err := new(jpeg.Decoder).Decode(slices.Concat(append(parts[:len(parts)-1:len(parts)-1],
			rest)...))
		testkit.Error(t, name+" without its last scan", err, "the picture is incomplete")
	}
	_, err := new(jpeg.Decoder).Decode(read(t, "testdata", "progressive_restart.jpg"))
	testkit.Error(t, "restart markers", err, "save it as PNG")
}

func TestDecodeLimitsPixels(t *testing.T) {
	data, other := read(t, "testdata", "odd.jpg"), read(t, "testdata", "cmyk.jpg")
	large := bytes.Clone(data)
	copy(large[bytes.Index(large, []byte{0xff, 0xc0})+5:], []byte{0x00, 0xff, 0x01, 0x00})
	for _, test := range []struct {
		name string
		data []byte
		max  int
		want string
	}{
		{"as many as allowed", data, 17 * 33, ""},
		{"one more", data, 17*33 - 1, "17x33 has more than the 560 pixels"},
		{"a lie", large, 64 * 64, "255x256 has more than the 4096 pixels"},
		{"of another kind", other, 9, "has more than the 9 pixels"},
	} {
		decoder := jpeg.Decoder{MaxPixels: test.max}
		_, err := decoder.Decode(test.data)
		if (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

func TestDecodeRefusesDamage(t *testing.T) {
	sound, passes := read(t, "testdata", "halved.jpg"), read(t, "testdata", "passes.jpg")
	frame := bytes.Index(sound, []byte{0xff, 0xc0})
	scan := bytes.Index(sound, []byte{0xff, 0xda})
	for _, test := range []struct {
		name   string
		change func(data []byte) []byte
		want   string
	}{
		{"nothing", func([]byte) []byte { return nil }, "EOF"},
		{"some passes", func([]byte) []byte {
			return passes[:len(passes)-100]
		}, "short Huffman data"},
		{"another format", func([]byte) []byte {
			return []byte("GIF89a, or so")
		}, "missing SOI marker"},
		{"only a beginning", func(d []byte) []byte { return d[:100] }, "EOF"},
		{"no picture", func(d []byte) []byte { return d[:scan] }, "EOF"},
		{"half a picture", func(d []byte) []byte { return d[:scan+200] }, "short Huffman data"},
		{"a picture larger than the file can hold", func(d []byte) []byte {
			copy(d[frame+5:], []byte{0xff, 0xff, 0xff, 0xff})
			return d
		}, "can't hold a picture of 65535x65535"},
		{"12 bits", func(d []byte) []byte { d[frame+4] = 12; return d }, "precision"},
		{"another table of steps", func(d []byte) []byte {
			d[frame+12] = 9
			return d
		}, "bad Tq value"},
		{"a table that isn't there", func(d []byte) []byte {
			d[scan+6] = 0x33
			return d
		}, "bad Td value"},
		{"a segment beyond the end", func(d []byte) []byte {
			d[4], d[5] = 0xff, 0xff
			return d
		}, "EOF"},
	} {
		_, err := new(jpeg.Decoder).Decode(test.change(bytes.Clone(sound)))
		testkit.Error(t, test.name, err, test.want)
	}
}

func ExampleDecoder_Decode() {
	data, err := os.ReadFile("testdata/odd.jpg")
	if err != nil {
		fmt.Println(err)
		return
	}
	var decoder jpeg.Decoder
	image, err := decoder.Decode(data)
	fmt.Println(image.Bounds(), err)
	// Output:
	// (0,0)-(33,17) <nil>
}
