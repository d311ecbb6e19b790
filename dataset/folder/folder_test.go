package folder_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/dataset/folder"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

// paint returns a picture in a base colour with a texture of its own.
func paint(width, height, hue, index int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{uint8(x*y + index), uint8((x + 3*index) * 5), uint8(y*7 + index), 255}
			switch hue {
			case 0:
				c.R = 230
			case 1:
				c.G = 230
			default:
				c.B = 230
			}
			p.SetNRGBA(x, y, c)
		}
	}
	return p
}

// save writes a picture as PNG or JPEG, as the ending says.
func save(t *testing.T, path string, p image.Image) {
	t.Helper()
	var data bytes.Buffer
	err := png.Encode(&data, p)
	if strings.HasSuffix(path, ".jpg") {
		data.Reset()
		err = jpeg.Encode(&data, p, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, data.Bytes())
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(t, os.WriteFile(path, data, 0o600))
}

var classes = []string{"red", "green", "blue"}

// paintClasses fills a folder with class folders of a number of pictures each, every other one a
// JPEG.
func paintClasses(t *testing.T, path string, side, count, shift int) {
	t.Helper()
	for hue, class := range classes {
		for i := range count {
			ending := []string{"png", "jpg"}[i%2]
			save(t, filepath.Join(path, class, fmt.Sprintf("%02d.%s",
				i, ending)), paint(side, side, hue, i+shift))
		}
	}
}

// open adds a folder and opens the set.
func open(t *testing.T, path string, options folder.Options) (*dataset.Dataset, []string) {
	t.Helper()
	options.Directory = t.TempDir()
	added := testkit.Must(folder.Add(t.Context(), "mine", path, options))(t)
	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: "mine",
		Directory: options.Directory}))(t)
	if data.Hash != added.Manifest.Hash {
		t.Errorf("the hash is %s, the manifest's %s", data.Hash, added.Manifest.Hash)
	}
	return data, added.Notes
}

func TestFolderWithShare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paint")
	paintClasses(t, path, 24, 10, 0)
	data, notes := open(t, path, folder.Options{TestShare: 0.3, Seed: 4})
	if !slices.Equal(data.Classes, []string{"blue", "green", "red"}) || len(notes) > 0 {
		t.Errorf("classes %v with notes %q, want blue, green and red without any", data.Classes,
			notes)
	}
	if data.Train.Count() != 21 || data.Test.Count() != 9 || data.Train.Width != 24 {
		t.Errorf("%d training and %d test images of %d pixels, want 21 and 9 of 24",
			data.Train.Count(), data.Test.Count(), data.Train.Width)
	}
	for from := 0; from < 9; from += 3 { // the first images hold each class as often
		part := slices.Clone(data.Test.Labels[from : from+3])
		if slices.Sort(part); !slices.Equal(part, []uint8{0, 1, 2}) {
			t.Errorf("test images %d to %d have labels %v, want each class once",
				from, from+2, data.Test.Labels[from:from+3])
		}
	}
	for i, label := range data.Train.Labels { // blue is channel 2, green 1, red 0
		if mean := channelMean(data.Train.Slice(i, i+1), 2-int(label)); mean < 200 {
			t.Errorf("image %d of class %s has a mean of %.0f in its channel, want over 200",
				i, data.Classes[label], mean)
		}
	}
	if want := "pictures of paint, 30 % of each class for testing (seed 4)"; data.Source != want {
		t.Errorf("source is %q, want %q", data.Source, want)
	}
}

func channelMean(images dataset.Images, channel int) float64 {
	sum := 0
	for i := channel; i < len(images.Pixels); i += 3 {
		sum += int(images.Pixels[i])
	}
	return float64(3*sum) / float64(len(images.Pixels))
}

// A PNG of the right size is taken bit by bit.
func TestPixelsOfAPNGStay(t *testing.T) {
	path := t.TempDir()
	for part, shift := range map[string]int{"train": 0, "test": 50} {
		for hue, class := range classes {
			save(t, filepath.Join(path, part, class, "a.png"), paint(16, 16, hue, shift))
		}
	}
	data, _ := open(t, path, folder.Options{})
	for i, hue := range []int{2, 1, 0} {
		want := paint(16, 16, hue, 50)
		got := data.Test.Slice(i, i+1).Pixels
		for k := range 16 * 16 {
			if !bytes.Equal(got[3*k:3*k+3], want.Pix[4*k:4*k+3]) {
				t.Fatalf("pixel %d of test image %d is %v, want %v", k, i, got[3*k:3*k+3],
					want.Pix[4*k:4*k+3])
			}
		}
	}
}

func TestSeedChoosesTestPictures(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, path, 16, 10, 0)
	first, _ := open(t, path, folder.Options{Seed: 1})
	again, _ := open(t, path, folder.Options{Seed: 1})
	other, _ := open(t, path, folder.Options{Seed: 2})
	if first.Hash != again.Hash || !bytes.Equal(first.Test.Pixels, again.Test.Pixels) {
		t.Error("the same seed chooses other test pictures")
	}
	if bytes.Equal(first.Test.Pixels, other.Test.Pixels) {
		t.Error("another seed chooses the same test pictures")
	}
}

// Pictures of any size and shape are cropped to their middle and scaled: what is beyond the shape
// of the images goes, and a constant colour stays.
func TestSizeCropsAndScales(t *testing.T) {
	for size, smaller := range map[image.Point]string{{30, 30}: "3.png", {60, 20}: "1.png"} {
		cropAndScale(t, size, smaller)
	}
}

// cropAndScale adds pictures of four sizes to images of one. A picture is the first in its class
// that is smaller.
func cropAndScale(t *testing.T, of image.Point, smaller string) {
	t.Helper()
	path := t.TempDir()
	for hue, class := range classes[:2] {
		for i, size := range []image.Point{{90, 30}, {30, 90}, {200, 200}, {9, 9}} {
			p := image.NewNRGBA(image.Rectangle{Max: size})
			for k := range size.X * size.Y {
				x, y := k%size.X, k/size.X
				c := color.NRGBA{255, 255, 255, 255} // the border that is cropped
				width, height := min(size.X, size.Y*of.X/of.Y), min(size.Y, size.X*of.Y/of.X)
				if inMiddle(x, size.X, width) && inMiddle(y, size.Y, height) {
					c = color.NRGBA{uint8(40 * (hue + 1)), 100, uint8(20 * i), 255}
				}
				p.SetNRGBA(x, y, c)
			}
			save(t, filepath.Join(path, class, fmt.Sprintf("%d.png", i)), p)
		}
	}
	data, notes := open(t, path, folder.Options{Height: of.Y, Width: of.X})
	for _, part := range []dataset.Images{data.Train, data.Test} {
		for i, label := range part.Labels {
			pixels := part.Slice(i, i+1).Pixels
			for k := 0; k < len(pixels); k += 3 {
				// green has label 0
				if want := 80 - 40*label; pixels[k] != want || pixels[k+1] != 100 {
					t.Fatalf("pixel %d of image %d is %v, want a red of %d and a green of 100",
						k/3, i, pixels[k:k+3], want)
				}
			}
		}
	}
	want := fmt.Sprintf("pictures are smaller than %dx%d pixels: enlarged (", of.Y, of.X)
	if len(notes) != 2 || notes[0] != "8 of 8 pictures are blank: all pixels have one colour" ||
		!strings.Contains(notes[1], want) || !strings.Contains(notes[1], smaller) {
		t.Errorf("notes are %q, want %q of %s", notes, want, smaller)
	}
}

// inMiddle reports whether a coordinate is in the central part of a length.
func inMiddle(x, length, part int) bool { return x >= (length-part)/2 && x < (length-part)/2+part }

func TestConversionsAreNoted(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, path, 16, 6, 0)
	grey, clear, deep := image.NewGray(image.Rect(0, 0, 16, 16)), paint(16, 16, 0, 80),
		image.NewNRGBA64(image.Rect(0, 0, 16, 16))
	for i := range grey.Pix {
		grey.Pix[i] = uint8(i)
	}
	clear.SetNRGBA(0, 0, color.NRGBA{0, 0, 0, 0})
	for i := range deep.Pix {
		deep.Pix[i] = 255
	}
	save(t, filepath.Join(path, "red", "grey.png"), grey)
	save(t, filepath.Join(path, "red", "clear.png"), clear)
	save(t, filepath.Join(path, "red", "deep.png"), deep)
	write(t, filepath.Join(path, "red", "cmyk.jpg"), cmykJPEG(t))
	write(t, filepath.Join(path, "blue", "read me.txt"), []byte("no picture"))
	write(t, filepath.Join(path, ".git", "config"), nil)
	data, notes := open(t, path, folder.Options{Height: 16, Width: 16})
	in := func(name string) string { return filepath.Join(path, "red", name) + ")" }
	want := []string{
		"1 file left out, not named like PNG, JPEG and WebP files: " + filepath.Join(path, "blue",
			"read me.txt"),
		"1 of 22 pictures are CMYK: converted to red, green and blue (" + in("cmyk.jpg"),
		"2 of 22 pictures are blank: all pixels have one colour (" + filepath.Join(path, "red",
			"cmyk.jpg") + ", " + in("deep.png"),
		"1 of 22 pictures are grey: red, green and blue are equal (" + in("grey.png"),
		"1 of 22 pictures are transparent: put on white (" + in("clear.png"),
		"1 of 22 pictures have 16 bits a channel: rounded to 8 (" + in("deep.png"),
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes are\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
	if !holdsImage(data, func(pixels []uint8) bool {
		return bytes.Equal(pixels[:6], []uint8{0, 0, 0, 1, 1, 1})
	}) {
		t.Error("no image has the three equal channels of the grey picture")
	}
	if !holdsImage(data, func(pixels []uint8) bool {
		return bytes.Equal(pixels[:3], []uint8{255, 255, 255}) && pixels[3] == 230
	}) {
		t.Error("no image has a white pixel where the picture is transparent")
	}
}

// Folders in a class's folder aren't read, whatever their names end in, and the note says so.
func TestFoldersInAClassAreNoted(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, path, 16, 4, 0)
	red := filepath.Join(path, "red")
	save(t, filepath.Join(red, "dark", "a.png"), paint(16, 16, 0, 80))
	save(t, filepath.Join(red, "old.png", "a.png"), paint(16, 16, 0, 81))
	write(t, filepath.Join(red, "notes.txt"), []byte("no picture"))
	save(t, filepath.Join(path, "loose.png"), paint(16, 16, 0, 82))
	_, notes := open(t, path, folder.Options{})
	want := []string{
		"1 picture left out, outside of class folders: " + filepath.Join(path, "loose.png") +
			"; move them into those",
		"1 file left out, not named like PNG, JPEG and WebP files: " +
			filepath.Join(red, "notes.txt"),
		"2 folders in folders of classes left out: " + filepath.Join(red, "dark") + ", " +
			filepath.Join(red, "old.png") +
			"; to have the pictures, move them up into the class's folder",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes are\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
}

// cmykJPEG returns a picture of 16x16 pixels with four channels of 128: the tables of a grey
// picture, a frame of four components, and blocks that only have a code for "no difference" (00)
// and one for the end of the block (1010).
func cmykJPEG(t *testing.T) []byte {
	t.Helper()
	var grey bytes.Buffer
	testkit.NoError(t, jpeg.Encode(&grey, image.NewGray(image.Rect(0, 0, 16, 16)), nil))
	file := []byte("\xff\xd8\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")
	for rest := grey.Bytes()[2:]; rest[1] != 0xda; { // segments up to the scan
		length := 2 + int(binary.BigEndian.Uint16(rest[2:]))
		if rest[1] == 0xc0 {
			file = append(file,
				"\xff\xc0\x00\x14\x08\x00\x10\x00\x10\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"...)
		} else {
			file = append(file, rest[:length]...)
		}
		rest = rest[length:]
	}
	file = append(file, "\xff\xda\x00\x0e\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00\x3f\x00"...)
	// 16 blocks of 6 bits
	file = append(file, bytes.Repeat([]byte{0b00101000, 0b10100010, 0b10001010}, 4)...)
	return append(file, 0xff, 0xd9)
}

func holdsImage(data *dataset.Dataset, is func(pixels []uint8) bool) bool {
	for _, part := range []dataset.Images{data.Train, data.Test} {
		for i := range part.Count() {
			if is(part.Slice(i, i+1).Pixels) {
				return true
			}
		}
	}
	return false
}

func TestSamePictureInBothPartsIsNoted(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, filepath.Join(path, "train"), 16, 3, 0)
	// test picture 0 is training picture 1, but a PNG
	paintClasses(t, filepath.Join(path, "test"), 16, 2, 1)
	save(t, filepath.Join(path, "test", "red", "00.png"), paint(16, 16, 0, 0))
	_, notes := open(t, path, folder.Options{})
	if len(notes) != 1 ||
		!strings.Contains(notes[0], "1 of 6 test images are training images, too") ||
		!strings.Contains(notes[0], filepath.Join("train", "red", "00.png")) {
		t.Errorf("notes are %q, want one about a test image that is trained on", notes)
	}
	_, notes = open(t, filepath.Join(path, "train"), folder.Options{
		TestFolder: filepath.Join(path, "train")})
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "the training images are the test images:") {
		t.Errorf("notes are %q, want one about a set to test on", notes)
	}
}

// Without a part called test the one called val is tested on; other parts are left out.
func TestValidationPart(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, filepath.Join(path, "train"), 16, 4, 0)
	paintClasses(t, filepath.Join(path, "valid"), 16, 2, 9)
	for _, test := range []struct {
		add     string
		options folder.Options
		tested  int
		note    string
	}{
		{"", folder.Options{}, 6, "valid is the test set, as there is no part called test"},
		{"", folder.Options{TestShare: 0.25}, 3, "valid left out"},
		{"", folder.Options{TestFolder: filepath.Join(path, "valid")}, 6, ""},
		{"test", folder.Options{}, 9, "valid left out"},
	} {
		if test.add != "" {
			paintClasses(t, filepath.Join(path, test.add), 16, 3, 15)
		}
		data, notes := open(t, path, test.options)
		if data.Test.Count() != test.tested || !strings.HasPrefix(strings.Join(notes, "\n"),
			test.note) || len(notes) > 1 {
			t.Errorf("%+v: %d test images with the notes %q, want %d and %q", test.options,
				data.Test.Count(), notes, test.tested, test.note)
		}
	}
	testkit.NoError(t, os.RemoveAll(filepath.Join(path, "test")))
	arrays := t.TempDir()
	for part, count := range map[string]int{"train_": 12, "val_": 4} {
		array(t, filepath.Join(arrays, part+"images.npy"), []int{count, 10, 10}, images(count, 100))
		array(t, filepath.Join(arrays, part+"labels.npy"), []int{count},
			[]int64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}[:count])
	}
	if data, notes := open(t, arrays, folder.Options{}); data.Test.Count() != 4 ||
		!strings.HasPrefix(notes[0], "val is the test set") {
		t.Errorf("%d test images with the notes %q, want 4 of val", data.Test.Count(), notes)
	}
}

func TestNumberedClassesAreInNumericalOrder(t *testing.T) {
	path := t.TempDir()
	for _, class := range []string{"10", "2", "1"} {
		for i := range 2 {
			save(t, filepath.Join(path, class, fmt.Sprintf("%d.png", i)), paint(8, 8, 0, i))
		}
	}
	if data, _ := open(t, path, folder.Options{}); !slices.Equal(data.Classes,
		[]string{"1", "2", "10"}) {
		t.Errorf("classes are %v, want 1, 2, 10", data.Classes)
	}
	if data, _ := open(t, path, folder.Options{Alphabetical: true}); !slices.Equal(data.Classes,
		[]string{"1", "10", "2"}) {
		t.Errorf("alphabetical classes are %v, want 1, 10, 2", data.Classes)
	}
}

// All broken files are named at once, or left out; a folder of which most is broken is refused.
func TestBrokenFiles(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, path, 16, 6, 0)
	write(t, filepath.Join(path, "blue", "00.png"), []byte("BM"))
	write(t, filepath.Join(path, "green", "03.jpg"), nil)
	testkit.NoError(t, os.Symlink("nowhere", filepath.Join(path, "red", "link.png")))
	_, err := folder.Add(t.Context(), "mine", path, folder.Options{Directory: t.TempDir()})
	for _, want := range []string{"3 of 19 pictures can't be read", "--skip-broken",
		"00.png: it's a BMP", "03.jpg: it's empty", "link.png: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
	data, notes := open(t, path, folder.Options{SkipBroken: true})
	if data.Train.Count()+data.Test.Count() != 16 || len(notes) != 1 ||
		!strings.HasPrefix(notes[0], "3 of 19 pictures are left out") {
		t.Errorf("%d images with the notes %q, want 16 and one of 3 that are left out",
			data.Train.Count()+data.Test.Count(), notes)
	}
	for i, label := range data.Train.Labels { // what was left out shifts no label
		if mean := channelMean(data.Train.Slice(i, i+1), 2-int(label)); mean < 200 {
			t.Errorf("image %d of %s has a mean of %.0f in its channel, want over 200", i,
				data.Classes[label], mean)
		}
	}
	for i := range 11 {
		write(t, filepath.Join(path, "red", fmt.Sprintf("x%d.png", i)), nil)
	}
	write(t, filepath.Join(path, "red", "y.tif"), nil)
	write(t, filepath.Join(path, "red", "z.tif"), nil)
	_, err = folder.Add(t.Context(), "mine", path, folder.Options{Directory: t.TempDir(),
		SkipBroken: true})
	if err != nil {
		t.Errorf("as many are read as left out: %v", err)
	}
	write(t, filepath.Join(path, "red", "z.gif"), nil)
	_, err = folder.Add(t.Context(), "mine", path, folder.Options{Directory: t.TempDir(),
		SkipBroken: true})
	testkit.Error(t, "most is broken", err, "only 16 pictures could be read, and 17 would be "+
		"left out")
}

// What looks wrong is counted: one picture in two classes, names that look alike, 12 bits in 16.
func TestSuspicionsAreNoted(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, path, 16, 6, 0)
	save(t, filepath.Join(path, "red", "copy.png"), paint(16, 16, 1, 0))
	deep := image.NewGray16(image.Rect(0, 0, 16, 16))
	deep.SetGray16(3, 4, color.Gray16{0x0fff})
	save(t, filepath.Join(path, "red", "deep.png"), deep)
	_, err := folder.Add(t.Context(), "break", "/tmp/two\nlines", folder.Options{})
	testkit.Error(t, "a line break", err,
		`the path "/tmp/two\nlines" has a line break or another control character: rename the folder`)
	for i, class := range []string{"caf\u00e9", "cafe\u0301"} {
		for k := range 2 {
			save(t, filepath.Join(path, class, fmt.Sprint(k, ".png")), paint(16, 16, i, 60+k))
		}
	}
	_, notes := open(t, path, folder.Options{Seed: 1})
	for _, want := range []string{
		"1 of 24 images are in two classes (",
		`the classes "cafe\u0301" and "caf\u00e9" look alike`,
		"the largest value of the pictures with 16 bits is 4095 of 65535",
	} {
		if !slices.ContainsFunc(notes, func(note string) bool {
			return strings.HasPrefix(note, want)
		}) {
			t.Errorf("notes are %q, want one that begins with %q", notes, want)
		}
	}
}

func TestWebPIsRead(t *testing.T) {
	path := t.TempDir()
	paintClasses(t, path, 16, 3, 0)
	write(t, filepath.Join(path, "red", "a.webp"),
		testkit.Must(os.ReadFile("../../internal/picture/testdata/lossless.webp"))(t))
	if data, _ := open(t, path, folder.Options{Height: 16, Width: 16}); data.Train.Count()+
		data.Test.Count() != 10 {
		t.Errorf("%d images, want 10", data.Train.Count()+data.Test.Count())
	}
}

// array writes a .npy file of bytes.
func array[T npy.Number](t *testing.T, path string, shape []int, values []T) {
	t.Helper()
	testkit.NoError(t, npy.WriteFile(path, npy.Array[T]{Shape: shape, Values: values}))
}

// images returns the values of count images whose bytes say which image they're of.
func images(count, size int) []uint8 {
	values := make([]uint8, count*size)
	for i := range values {
		values[i] = uint8(10*(i/size) + i%7)
	}
	return values
}

func TestArrays(t *testing.T) {
	path := t.TempDir()
	array(t, filepath.Join(path, "images.npy"), []int{6, 8, 8, 3}, images(6, 192))
	array(t, filepath.Join(path, "labels.npy"), []int{6}, []int64{0, 1, 0, 1, 0, 1})
	write(t, filepath.Join(path, "classes.txt"), []byte("\ufeffeven\r\nodd\r\n"))
	data, _ := open(t, path, folder.Options{TestShare: 0.4})
	if !slices.Equal(data.Classes, []string{"even", "odd"}) || data.Train.Count() != 4 ||
		data.Test.Count() != 2 {
		t.Errorf("%d training and %d test images of %v, want 4 and 2 of even and odd",
			data.Train.Count(), data.Test.Count(), data.Classes)
	}
	for i, label := range data.Train.Labels {
		if index := data.Train.Slice(i, i+1).Pixels[0] / 10; index%2 != label {
			t.Errorf("image %d of the array has label %d", index, label)
		}
	}
}

func TestArraysOfBothPartsGreyAndScaled(t *testing.T) {
	path := t.TempDir()
	array(t, filepath.Join(path, "train_images.npy"), []int{4, 10, 12}, images(4, 120))
	array(t, filepath.Join(path, "train_labels.npy"), []int{4}, []uint8{0, 1, 2, 0})
	array(t, filepath.Join(path, "test_images.npy"), []int{2, 10, 12}, images(6, 120)[4*120:])
	array(t, filepath.Join(path, "test_labels.npy"), []int{2}, []int32{2, 1})
	data, notes := open(t, path, folder.Options{Height: 9, Width: 9})
	if !slices.Equal(data.Classes, []string{"0", "1", "2"}) || data.Test.Count() != 2 ||
		data.Test.Width != 9 {
		t.Errorf("got %v with %d test images of %d pixels, want 0, 1, 2 with 2 of 9",
			data.Classes, data.Test.Count(), data.Test.Width)
	}
	if !slices.Contains(notes, "6 of 6 pictures are grey: red, green and blue are equal") {
		t.Errorf("notes are %q, want one on grey pictures", notes)
	}
}

// A .npz file, by its name or alone in a folder, is read as the folder of its arrays.
func TestArraysOfAnArchive(t *testing.T) {
	path := t.TempDir()
	parts := t.TempDir()
	array(t, filepath.Join(parts, "train_images.npy"), []int{4, 10, 10}, images(4, 100))
	array(t, filepath.Join(parts, "train_labels.npy"), []int{4, 1}, []uint8{0, 1, 2, 0})
	array(t, filepath.Join(parts, "val_images.npy"), []int{1, 10, 10}, images(1, 100))
	array(t, filepath.Join(parts, "test_images.npy"), []int{2, 10, 10, 1}, images(6, 100)[4*100:])
	array(t, filepath.Join(parts, "test_labels.npy"), []int{2, 1}, []uint8{2, 1})
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	testkit.NoError(t, errors.Join(archive.AddFS(os.DirFS(parts)), archive.Close()))
	write(t, filepath.Join(path, "data.npz"), file.Bytes())
	write(t, filepath.Join(path, "classes.txt"), []byte("a\nb\nc\n"))
	want, _ := open(t, parts, folder.Options{})
	for _, from := range []string{path, filepath.Join(path, "data.npz")} {
		data, notes := open(t, from, folder.Options{})
		if !slices.Equal(data.Classes, []string{"a", "b", "c"}) ||
			!bytes.Equal(data.Train.Pixels, want.Train.Pixels) ||
			!bytes.Equal(data.Test.Labels, want.Test.Labels) {
			t.Errorf("%s: classes %v, %d and %d images, want those of the folder", from,
				data.Classes, data.Train.Count(), data.Test.Count())
		}
		if !slices.ContainsFunc(notes, func(note string) bool {
			return strings.HasPrefix(note, "val left out")
		}) {
			t.Errorf("notes are %q, want one of val", notes)
		}
	}
}

func TestAddStopsWhenCancelled(t *testing.T) {
	path, directory := t.TempDir(), t.TempDir()
	paintClasses(t, path, 16, 4, 0)
	ctx, cancel := context.WithCancel(t.Context())
	progress := func(step, _ string, done, total int64) {
		if step == dataset.Reading && done == 3 && total == 12 {
			cancel()
		}
	}
	_, err := folder.Add(ctx, "mine", path, folder.Options{Directory: directory,
		Progress: progress})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
	if sets, err := dataset.Added(directory); err != nil || len(sets) > 0 {
		t.Errorf("sets are %v, error %v, want none", sets, err)
	}
}

// labelled writes two images and their labels.
func labelled[T npy.Number](shape []int, labels []T) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		array(t, filepath.Join(path, "images.npy"), []int{2, 8, 8, 3}, make([]uint8, 384))
		array(t, filepath.Join(path, "labels.npy"), shape, labels)
	}
}

func TestAddRefuses(t *testing.T) {
	for _, test := range []struct {
		name    string
		options folder.Options
		build   func(t *testing.T, path string)
		want    []string
	}{
		{"an empty folder", folder.Options{}, func(*testing.T, string) {},
			[]string{"folder: two classes or more are needed", "0 class folders", "2 to 256"}},
		{"one class", folder.Options{}, func(t *testing.T, path string) {
			save(t, filepath.Join(path, "red", "a.png"), paint(8, 8, 0, 0))
		}, []string{"folder: two classes or more are needed",
			"1 class folder and 0 pictures outside"}},
		{"pictures without class folders", folder.Options{}, func(t *testing.T, path string) {
			save(t, filepath.Join(path, "a.png"), paint(8, 8, 0, 0))
		}, []string{"0 class folders and 1 picture outside of class folders",
			"into a folder named after it"}},
		{"too many classes", folder.Options{}, func(t *testing.T, path string) {
			for i := range 257 {
				testkit.NoError(t, os.Mkdir(filepath.Join(path, fmt.Sprint(i)), 0o755))
			}
		}, []string{"256 classes are the most", "257 class folders", "2 to 256"}},
		{"a class of one picture", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 3, 0)
			save(t, filepath.Join(path, "pink", "a.png"), paint(16, 16, 0, 0))
		}, []string{`class "pink" has 1 picture`, "remove the class"}},
		{"an empty class", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 3, 0)
			write(t, filepath.Join(path, "pink", "notes.txt"), nil)
		}, []string{"pink has no PNG, JPEG or WebP file", "remove the folder"}},
		{"a class of folders", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 3, 0)
			save(t, filepath.Join(path, "pink", "pale", "a.png"), paint(16, 16, 0, 0))
		}, []string{"pink has no PNG, JPEG or WebP file", filepath.Join("pink", "pale"),
			"move their pictures up"}},
		{"several sizes", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 3, 0)
			save(t, filepath.Join(path, "red", "b.png"), paint(20, 18, 0, 0))
		}, []string{"b.png has 18x20 pixels", "has 16x16", "--size 16x16"}},
		{"narrow pictures", folder.Options{}, func(t *testing.T, path string) {
			for _, class := range classes {
				save(t, filepath.Join(path, class, "a.png"), paint(20, 6, 0, 0))
				save(t, filepath.Join(path, class, "b.png"), paint(20, 6, 0, 1))
			}
		}, []string{"6x20 pixels", "--size 48", "8 to 512"}},
		{"an order of arrays", folder.Options{Alphabetical: true},
			labelled([]int{2}, []int64{0, 1}), []string{"images.npy has labels", "leave it out"}},
		{"a broken JPEG", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 4, 0)
			whole := testkit.Must(os.ReadFile(filepath.Join(path, "green", "03.jpg")))(t)
			write(t, filepath.Join(path, "green", "03.jpg"), whole[:len(whole)-40])
		}, []string{filepath.Join("green", "03.jpg"), "unexpected EOF", "replace the file"}},
		{"a picture of another kind", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 4, 0)
			write(t, filepath.Join(path, "blue", "02.png"), []byte("GIF89a"))
		}, []string{filepath.Join("blue", "02.png"), "a GIF picture", "PNG, JPEG and WebP",
			"--skip-broken"}},
		{"a class of HEIC", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 3, 0)
			write(t, filepath.Join(path, "pink", "a.HEIC"), nil)
		}, []string{"pink has no PNG, JPEG or WebP file", "a.HEIC", "convert them to PNG"}},
		{"more BMP than PNG", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, path, 16, 2, 0)
			for i := range 7 {
				write(t, filepath.Join(path, "red", fmt.Sprint(i, ".bmp")), []byte("BM"))
			}
		}, []string{"only 6 pictures could be read, and 7 would be left out", "convert"}},
		{"an unknown test class", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, filepath.Join(path, "train"), 16, 2, 0)
			paintClasses(t, filepath.Join(path, "test"), 16, 2, 0)
			save(t, filepath.Join(path, "test", "pink", "a.png"), paint(16, 16, 0, 0))
		}, []string{`a class "pink" that has no training pictures`, "blue, green, red"}},
		{"a folder around the classes", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, filepath.Join(path, "birds"), 16, 2, 0)
		}, []string{"the class folders are in ", "birds: give that folder"}},
		{"train without test", folder.Options{}, func(t *testing.T, path string) {
			paintClasses(t, filepath.Join(path, "train"), 16, 2, 0)
		}, []string{"has no test pictures", "part test or val", "--test 0.2"}},
		{"a share and test pictures", folder.Options{TestShare: 0.5},
			func(t *testing.T, path string) {
				paintClasses(t, filepath.Join(path, "train"), 16, 2, 0)
				paintClasses(t, filepath.Join(path, "test"), 16, 2, 0)
			}, []string{"leave the test share of 0.5 out"}},
		{"a share of 1", folder.Options{TestShare: 1}, nil, []string{"share of 1", "below 1"}},
		{"arrays of numbers", folder.Options{}, func(t *testing.T, path string) {
			array(t, filepath.Join(path, "images.npy"), []int{2, 8, 8, 3}, make([]int32, 384))
		}, []string{`"<i4"`, "images.npy", "astype(numpy.float32)"}},
		{"arrays of another shape", folder.Options{}, func(t *testing.T, path string) {
			array(t, filepath.Join(path, "images.npy"), []int{2, 3, 8, 8}, make([]uint8, 384))
		}, []string{"shape [2 3 8 8]", "[count height width 3]", "images.transpose(0, 2, 3, 1)"}},
		{"labels of numbers", folder.Options{}, labelled([]int{2}, []float64{0, 1}),
			[]string{`"<f8"`, "labels.npy", "astype(numpy.int64)"}},
		{"too few labels", folder.Options{}, labelled([]int{1}, []int64{0}),
			[]string{"2 images", "1 labels"}},
		{"labels outside", folder.Options{}, labelled([]int{2}, []int64{-1, 0}),
			[]string{"labels", "are [-1 0]: want 0 to", "numpy.unique"}},
		{"labels with gaps", folder.Options{}, labelled([]int{2}, []int64{0, 5}),
			[]string{"are [0 5]: want 0 to"}},
		{"labels of 30,000 classes", folder.Options{}, labelled([]int{2}, []int64{0, 29_999}),
			[]string{"[0 29999]", "2 to 256"}},
		{"labels from 1", folder.Options{}, labelled([]int{2}, []int64{1, 2}),
			[]string{"begin at 1", "save labels - 1"}},
		{"labels in columns", folder.Options{}, labelled([]int{2, 2}, []int64{1, 0, 0, 1}),
			[]string{"shape [2 2]", "labels.argmax(axis=1)"}},
		{"floats in columns", folder.Options{}, labelled([]int{2, 2}, []float32{1, 0, 0, 1}),
			[]string{"shape [2 2]", "labels.argmax(axis=1)"}},
		{"labels in three dimensions", folder.Options{}, labelled([]int{2, 1, 1}, []float64{1, 0}),
			[]string{"shape [2 1 1]", "want [count]"}},
		{"no labels", folder.Options{}, func(t *testing.T, path string) {
			array(t, filepath.Join(path, "images.npy"), []int{2, 8, 8}, make([]uint8, 128))
		}, []string{"labels.npy", "save a label for each image"}},
		{"flat arrays", folder.Options{}, func(t *testing.T, path string) {
			array(t, filepath.Join(path, "images.npy"), []int{2, 192}, make([]uint8, 384))
		}, []string{"shape [2 192]", "images.reshape(-1, height, width)"}},
		{"transparency in front", folder.Options{}, func(t *testing.T, path string) {
			array(t, filepath.Join(path, "images.npy"), []int{2, 4, 8, 6}, make([]uint8, 384))
		}, []string{"images[:, :3].transpose(0, 2, 3, 1)"}},
		{"classes in UTF-16", folder.Options{}, func(t *testing.T, path string) {
			labelled([]int{2}, []int64{1, 0})(t, path)
			write(t, filepath.Join(path, "classes.txt"), []byte("\xff\xfea\x00\n\x00b\x00"))
		}, []string{"classes.txt isn't UTF-8"}},
		{"a damaged archive", folder.Options{}, func(t *testing.T, path string) {
			write(t, filepath.Join(path, "data.npz"), []byte("PK"))
		}, []string{"data.npz is damaged", "numpy.savez"}},
		{"an archive of other names", folder.Options{}, func(t *testing.T, path string) {
			var file bytes.Buffer
			archive := zip.NewWriter(&file)
			testkit.Must(archive.Create("x_train.npy"))(t)
			testkit.NoError(t, archive.Close())
			write(t, filepath.Join(path, "mnist.npz"), file.Bytes())
		}, []string{"mnist.npz has no images.npy, but x_train.npy: ",
			"save the arrays as images and labels"}},
		{"two archives", folder.Options{}, func(t *testing.T, path string) {
			write(t, filepath.Join(path, "a.npz"), nil)
			write(t, filepath.Join(path, "b.npz"), nil)
		}, []string{"a.npz, ", "name the one to read"}},
		{"a lying header", folder.Options{}, func(t *testing.T, path string) {
			header := "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000, 512, 512, 3), }"
			write(t, filepath.Join(path, "images.npy"),
				append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"),
					uint16(len(header))), header...))
		}, []string{"truncated"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, directory := t.TempDir(), t.TempDir()
			if test.build != nil {
				test.build(t, path)
			}
			test.options.Directory = directory
			_, err := folder.Add(t.Context(), "mine", path, test.options)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(test.want, "folder: ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error is\n  %v\nwhich lacks %q", err, want)
				}
			}
			if sets, _ := dataset.Added(directory); len(sets) > 0 ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("sets %v were added, or the error has several lines: %v", sets, err)
			}
		})
	}
}

func TestAddOfNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.png")
	save(t, file, paint(8, 8, 0, 0))
	for path, want := range map[string]string{file: "is a file", file + "x": "no such file"} {
		if _, err := folder.Add(t.Context(), "mine", path, folder.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
	_, err := folder.Add(t.Context(), "shapes10", filepath.Dir(file), folder.Options{})
	testkit.Error(t, "a built-in name", err, "built-in")
	_, err = folder.Add(t.Context(), "mine", filepath.Dir(file),
		folder.Options{Height: 48, Width: 1000})
	testkit.Error(t, "a large size", err, "images of 48x1000 pixels: give 8 to 512")
}

// A class may be called train or test, as among vehicles, if it holds pictures and other classes
// are next to it.
func TestClassCalledTrain(t *testing.T) {
	path := t.TempDir()
	for hue, class := range []string{"bus", "train", "tram"} {
		for i := range 2 {
			save(t, filepath.Join(path, class, fmt.Sprintf("%d.png", i)), paint(16, 16, hue, i))
		}
	}
	data, _ := open(t, path, folder.Options{})
	if want := []string{"bus", "train", "tram"}; !slices.Equal(data.Classes, want) ||
		data.Train.Count() != 3 || data.Test.Count() != 3 {
		t.Errorf("classes %v, %d training and %d test images, want %v, 3 and 3",
			data.Classes, data.Train.Count(), data.Test.Count(), want)
	}

	for _, name := range []func(string) string{strings.ToLower, strings.ToUpper} {
		parts := t.TempDir() // with a folder that belongs to neither part
		paintClasses(t, filepath.Join(parts, name("train")), 16, 2, 0)
		paintClasses(t, filepath.Join(parts, name("test")), 16, 1, 5)
		paintClasses(t, filepath.Join(parts, name("validation")), 16, 1, 9)
		data, _ = open(t, parts, folder.Options{})
		if !slices.Equal(data.Classes, []string{"blue", "green", "red"}) ||
			data.Train.Count() != 6 || data.Test.Count() != 3 {
			t.Errorf("%s: classes %v, %d training and %d test images, want three colours, 6 and 3",
				name("train"), data.Classes, data.Train.Count(), data.Test.Count())
		}
	}
}

// A crop that leaves an odd number of columns or rows out takes the larger half from the right and
// the bottom.
func TestOddCrop(t *testing.T) {
	for _, size := range []image.Point{{11, 8}, {8, 11}} {
		path, ramp := t.TempDir(), image.NewNRGBA(image.Rectangle{Max: size})
		for i := range ramp.Pix {
			at := i / 4
			ramp.Pix[i] = [4]uint8{uint8(at % size.X), uint8(at / size.X), 200, 255}[i%4]
		}
		for _, name := range []string{"a/0.png", "a/1.png", "b/0.png", "b/1.png"} {
			save(t, filepath.Join(path, name), ramp)
		}
		data, _ := open(t, path, folder.Options{Height: 8, Width: 8})
		want := [2]uint8{uint8((size.X - 8) / 2), uint8((size.Y - 8) / 2)}
		if got := [2]uint8(data.Train.Pixels[:2]); got != want {
			t.Errorf("the crop of %v begins at %v, want %v", size, got, want)
		}
	}
}
