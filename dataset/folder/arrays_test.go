package folder_test

import (
	"bytes"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset/folder"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

// Floats are the bytes that they came from, whether their values are 0 to 1 or 0 to 255.
func TestFloatArraysAreRounded(t *testing.T) {
	shape, pixels := []int{12, 8, 8}, images(12, 64)
	labels := []int64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	write := func(values func(path string)) string {
		path := t.TempDir()
		values(filepath.Join(path, "images.npy"))
		array(t, filepath.Join(path, "labels.npy"), []int{12}, labels)
		return path
	}
	want, _ := open(t, write(func(path string) { array(t, path, shape, pixels) }), folder.Options{})
	const unit, byteRange = "the values of images.npy are 0 to 1: multiplied",
		"the values of images.npy are 0 to 255: rounded"
	for _, test := range []struct {
		name   string
		values func(path string)
		note   string
	}{
		{"single, 0 to 1", func(path string) {
			array(t, path, shape, scaled[float32](pixels, 1./255, 0))
		}, unit},
		{"single, 0 to 255", func(path string) {
			array(t, path, shape, scaled[float32](pixels, 1, 0.3))
		}, byteRange},
		{"double, 0 to 1", func(path string) {
			array(t, path, shape, scaled[float64](pixels, 1./255, 0))
		}, unit},
		{"half, 0 to 255", func(path string) {
			halves := make([]npy.Half, len(pixels))
			// whole numbers up to 255: the exponent is that of the highest bit
			for i, value := range pixels {
				if value > 0 {
					exponent := bits.Len8(value) - 1
					halves[i] = npy.Half((15+exponent)<<10 | int(value)<<(10-exponent)&1023)
				}
			}
			array(t, path, shape, halves)
		}, byteRange},
	} {
		data, notes := open(t, write(test.values), folder.Options{})
		if !slices.Equal(data.Train.Pixels, want.Train.Pixels) ||
			!slices.Equal(data.Test.Pixels, want.Test.Pixels) {
			t.Errorf("%s: the pixels aren't those of the bytes", test.name)
		}
		if !slices.ContainsFunc(notes, func(note string) bool {
			return strings.HasPrefix(note, test.note)
		}) {
			t.Errorf("%s: notes are %q, want %q", test.name, notes, test.note)
		}
	}
}

// scaled returns numbers that are a factor times bytes and a shift.
func scaled[T float32 | float64](pixels []uint8, factor, shift float64) []T {
	values := make([]T, len(pixels))
	for i, value := range pixels {
		values[i] = T(float64(value)*factor + shift)
	}
	return values
}

// The cure is that of the fault, and no other.
func TestArraysAreRefusedWithTheirCure(t *testing.T) {
	shape, pixels := []int{12, 8, 8}, images(12, 64)
	for _, test := range []struct {
		name  string
		write func(path string)
		cure  string
	}{
		{"normalised", func(path string) {
			array(t, path, shape, scaled[float32](pixels, 1./64, -1))
		}, "undo their normalisation"},
		{"interpolated beyond", func(path string) {
			array(t, path, shape, scaled[float32](pixels, 1./250, -0.01))
		}, "numpy.clip(images, 0, 1)"},
		{"no number", func(path string) {
			array(t, path, shape, scaled[float64](pixels, math.NaN(), 0))
		}, "numpy.nan_to_num(images"},
		{"infinite", func(path string) {
			array(t, path, shape, scaled[float32](pixels, math.Inf(1), 0))
		}, "numpy.nan_to_num(images"},
		{"16 bits", func(path string) {
			array(t, path, shape, make([]uint16, len(pixels)))
		}, "with (images / 65535).astype(numpy.float32)"},
		{"16 bits as floats", func(path string) {
			array(t, path, shape, scaled[float32](pixels, 257, 0))
		}, "65535 for 16 bits"},
		{"objects", func(path string) {
			array(t, path, shape, pixels)
			retype(t, path, "'|u1'", "'|O' ")
		}, "numpy.stack(images)"},
		{"something behind", func(path string) {
			array(t, path, shape, pixels)
			write(t, path, append(testkit.Must(os.ReadFile(path))(t), 0))
		}, "write the file again with numpy.save"},
	} {
		path := t.TempDir()
		test.write(filepath.Join(path, "images.npy"))
		array(t, filepath.Join(path, "labels.npy"), []int{12}, []int64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
			0, 1})
		_, err := folder.Add(t.Context(), "mine", path, folder.Options{Directory: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), test.cure) ||
			strings.Count(err.Error(), "numpy.") > 1 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want the cure %q alone", test.name, err, test.cure)
		}
	}
}

// retype changes the element type in the header of an array.
func retype(t *testing.T, path, from, to string) {
	t.Helper()
	write(t, path, bytes.Replace(testkit.Must(os.ReadFile(path))(t), []byte(from), []byte(to), 1))
}

// Labels that are text become numbers.
func TestTextLabelsAreRefusedWithTheirCure(t *testing.T) {
	path := t.TempDir()
	array(t, filepath.Join(path, "images.npy"), []int{12, 8, 8}, images(12, 64))
	labels := filepath.Join(path, "labels.npy")
	array(t, labels, []int{12}, make([]int32, 12))
	retype(t, labels, "<i4", "<U1")
	_, err := folder.Add(t.Context(), "mine", path, folder.Options{Directory: t.TempDir()})
	testkit.Error(t, "text", err, "numpy.unique(labels, return_inverse=True)[1]")
	for _, second := range []int64{1001, 1 << 50} { // large ones, too
		first := second - 1
		array(t, labels, []int{12}, []int64{first, second, first, second, first, second, first,
			second, first, second, first, second})
		_, err := folder.Add(t.Context(), "mine", path, folder.Options{Directory: t.TempDir()})
		testkit.Error(t, "large labels", err, "numpy.unique(labels, return_inverse=True)[1]")
	}
}

// Floats in 0..1 that were cut to bytes are black.
func TestDarkPicturesAreNoted(t *testing.T) {
	path := t.TempDir()
	values := make([]uint8, 12*64)
	for i := range values {
		values[i] = uint8((i + i/64) % 16)
	}
	array(t, filepath.Join(path, "images.npy"), []int{12, 8, 8}, values)
	array(t, filepath.Join(path, "labels.npy"), []int{12}, []int64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0,
		1})
	_, notes := open(t, path, folder.Options{})
	dark := func(note string) bool {
		return strings.HasPrefix(note, "the largest value of all pictures is 15 of 255")
	}
	if !slices.ContainsFunc(notes, dark) {
		t.Errorf("notes are %q, want one of nearly black pictures", notes)
	}
	testkit.NoError(t, os.Remove(filepath.Join(path, "images.npy")))
	array(t, filepath.Join(path, "images.npy"), []int{12, 8, 8}, images(12, 64))
	if _, notes = open(t, path, folder.Options{}); slices.ContainsFunc(notes, dark) {
		t.Errorf("notes of bright pictures are %q", notes)
	}
}
