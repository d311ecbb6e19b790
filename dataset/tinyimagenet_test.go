package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// tinyIDs are the classes of the little folders of these tests, not in alphabetical order.
var tinyIDs = []string{"n02124075", "n01443537", "n04067472"}

// colourPicture and greyPicture are 64x64 JPEG files.
func colourPicture(t *testing.T) []byte { return testPicture(t, "halved.jpg") }
func greyPicture(t *testing.T) []byte   { return testPicture(t, "grey.jpg") }

func testPicture(t *testing.T, name string) []byte {
	t.Helper()
	return testkit.Must(os.ReadFile(filepath.Join("..", "internal", "jpeg", "testdata", name)))(t)
}

// put writes a file and the folders that it's in.
func put(t *testing.T, data []byte, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	testkit.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	write(t, name, data)
}

// fakeTiny writes a little tiny-imagenet-200: three classes of two training images, and three to
// test on. The first class is in colour, the others are grey.
func fakeTiny(t *testing.T) tinyReader {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "tiny-imagenet-200")
	put(t, []byte(strings.Join(tinyIDs, "\n")+"\n"), folder, "wnids.txt")
	put(t, []byte("n01443537\tgoldfish, Carassius auratus\nn02124075\tEgyptian "+
		"cat\nn04067472\tgoldfish\n"), folder, "words.txt")
	for label, id := range tinyIDs {
		data := greyPicture(t)
		if label == 0 {
			data = colourPicture(t)
		}
		for k := range 2 {
			put(t, data, folder, "train", id, "images", fmt.Sprintf("%s_%d.JPEG", id, k))
		}
		put(t, data, folder, "val", "images", fmt.Sprintf("val_%d.JPEG", label))
	}
	put(t,
		[]byte(
			"val_2.JPEG\tn04067472\t0\t0\t1\t1\r\nval_0.JPEG\tn02124075\t0\t0\t1\t1\nval_1.JPEG\tn01443537\t0\t0\t1\t1\n"),
		folder, "val", "val_annotations.txt")
	return tinyReader{folder, 3, 2, 3}
}

func TestTinyImageNet(t *testing.T) {
	data := testkit.Must(fakeTiny(t).open(t.Context(), Config{}))(t)
	if !slices.Equal(data.Train.Labels, []uint8{0, 1, 2, 0, 1, 2}) ||
		!slices.Equal(data.Test.Labels, []uint8{2, 0, 1}) {
		t.Errorf("labels are %v and %v, want 0 1 2 0 1 2 and 2 0 1", data.Train.Labels,
			data.Test.Labels)
	}
	if want := []string{"Egyptian cat", "goldfish", "goldfish n04067472"}; !slices.Equal(
		data.Classes, want) || !slices.Equal(data.ClassIDs, tinyIDs) {
		t.Errorf("classes are %q with %q, want %q with %q", data.Classes, data.ClassIDs, want,
			tinyIDs)
	}
	if data.Train.Height != 64 || len(data.Train.Pixels) != 6*64*64*3 {
		t.Errorf("height is %d with %d values, want 64 with %d", data.Train.Height,
			len(data.Train.Pixels), 6*64*64*3)
	}
	if isGrey(data.Train.Slice(0, 1)) || !isGrey(data.Train.Slice(1, 2)) ||
		!isGrey(data.Test.Slice(0, 1)) || isGrey(data.Test.Slice(1, 2)) {
		t.Error("colour and grey pictures are mixed up")
	}
	if mean := data.Mean[0]; mean < 0.480 || mean > 0.481 {
		t.Errorf("mean of red is %g, want 122.4786/255", mean)
	}
}

// isGrey reports whether the three channels are equal.
func isGrey(images Images) bool {
	for i := 0; i < len(images.Pixels); i += channels {
		if images.Pixels[i] != images.Pixels[i+1] || images.Pixels[i] != images.Pixels[i+2] {
			return false
		}
	}
	return true
}

func TestTinyImageNetInPart(t *testing.T) {
	data := testkit.Must(fakeTiny(t).open(t.Context(), Config{TrainCount: 3, TestCount: 1}))(t)
	if !slices.Equal(data.Train.Labels, []uint8{0, 1, 2}) || data.Test.Count() != 1 {
		t.Errorf("labels are %v and %d test images, want one of each class and 1",
			data.Train.Labels, data.Test.Count())
	}
}

func TestTinyImageNetErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		config Config
		want   []string
	}{
		{"no list of classes", func(t *testing.T, folder string) {
			os.Remove(filepath.Join(folder, "wnids.txt"))
		},
			Config{}, []string{"wnids.txt", "`nbbnn data get tinyimagenet`"}},
		{"a class too few", func(t *testing.T, folder string) {
			put(t, []byte("n02124075\nn01443537\n"), folder, "wnids.txt")
		},
			Config{}, []string{"names 2 classes, want 3"}},
		{"a path for a class", func(t *testing.T, folder string) {
			put(t, []byte("n02124075\n../../etc\nn04067472"), folder, "wnids.txt")
		},
			Config{}, []string{`has "../../etc" in line 2`}},
		{"a class twice", func(t *testing.T, folder string) {
			put(t, []byte("n02124075\nn02124075\nn04067472"), folder, "wnids.txt")
		},
			Config{}, []string{`has "n02124075" in line 2`}},
		{"a picture missing", func(t *testing.T, folder string) {
			os.Remove(filepath.Join(folder, "train", tinyIDs[1], "images", tinyIDs[1]+"_1.JPEG"))
		}, Config{}, []string{"n01443537_1.JPEG", "unpack the archive again"}},
		{"a truncated picture", func(t *testing.T, folder string) {
			put(t, colourPicture(t)[:900], folder, "val", "images", "val_0.JPEG")
		}, Config{}, []string{"val_0.JPEG", "it's damaged"}},
		{"a picture of another size", func(t *testing.T, folder string) {
			put(t, testPicture(t, "odd.jpg"), folder, "val", "images", "val_0.JPEG")
		}, Config{}, []string{"val_0.JPEG has 17x33 pixels, want 64x64"}},
		{"a picture of one pixel", func(t *testing.T, folder string) {
			put(t, testPicture(t, "pixel.jpg"), folder, "val", "images", "val_0.JPEG")
		}, Config{}, []string{"has 1x1 pixels"}},
		{"a picture of a false size", func(t *testing.T, folder string) {
			data := testPicture(t, "grey.jpg")
			copy(data[bytes.Index(data, []byte{0xff, 0xc0})+5:], []byte{0x00, 0xff, 0x01, 0x00})
			put(t, data, folder, "val", "images", "val_0.JPEG")
		}, Config{}, []string{"a picture of 255x256 has more than the 4096 pixels"}},
		{"a progressive picture of another size", func(t *testing.T, folder string) {
			put(t, testPicture(t, "passes.jpg"), folder, "val", "images", "val_0.JPEG")
		}, Config{}, []string{"has 19x35 pixels"}},
		{"a picture too large", func(t *testing.T, folder string) {
			put(t, make([]byte, maxPictureBytes+1), folder, "val", "images", "val_0.JPEG")
		}, Config{}, []string{"at most 1,048,576 are expected"}},
		{"an annotation too few", func(t *testing.T, folder string) {
			put(t, []byte("val_2.JPEG\tn04067472\n"), folder, "val", "val_annotations.txt")
		}, Config{}, []string{"val_annotations.txt has 1 lines, want 3"}},
		{"an annotation of no class", func(t *testing.T, folder string) {
			put(t, []byte("val_2.JPEG\tn04067472\nval_0.JPEG\tn00000000\nval_1.JPEG\tn01443537\n"),
				folder, "val", "val_annotations.txt")
		}, Config{}, []string{`has "val_0.JPEG\tn00000000" in line 2`}},
		{"an annotation outside", func(t *testing.T, folder string) {
			put(t, []byte("../x.JPEG\tn04067472\nval_0.JPEG\tn02124075\nval_1.JPEG\tn01443537\n"),
				folder, "val", "val_annotations.txt")
		}, Config{}, []string{"in line 1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			reader := fakeTiny(t)
			test.damage(t, reader.folder)
			_, err := reader.open(t.Context(), test.config)
			checkError(t, err, test.want...)
		})
	}
}

func TestTinyImageNetMissingOrStopped(t *testing.T) {
	_, err := Open(t.Context(), Config{Name: TinyImageNet, Directory: t.TempDir()})
	checkError(t, err, "no folder tiny-imagenet-200 in", "md5 90528d7ca1a48142e341f4ef8d21d0de")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fakeTiny(t).open(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
