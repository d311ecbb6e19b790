package dataset

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/internal/testkit"
)

// fakeArrays writes a little CIFAR-10-C: three images of 2x2 pixels at each severity, whose values
// tell severity and image.
func fakeArrays(t *testing.T, corruptions ...string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "CIFAR-10-C")
	var pixels, labels []uint8
	for severity := range severities {
		for image := range 3 {
			pixels = append(pixels, slices.Repeat([]uint8{uint8(10*(severity+1) + image)},
				2*2*channels)...)
			labels = append(labels, uint8(image))
		}
	}
	putArray(t, labels, []int{15}, folder, labelsFile)
	for _, name := range corruptions {
		putArray(t, pixels, []int{15, 2, 2, 3}, folder, name+".npy")
	}
	return folder
}

func putArray[T npy.Number](t *testing.T, values []T, shape []int, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	testkit.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	testkit.NoError(t, npy.WriteFile(name, npy.Array[T]{Shape: shape, Values: values}))
}

func openFake(t *testing.T, folder string) *Corrupted {
	t.Helper()
	return testkit.Must(OpenCorrupted(folder, "", nil))(t)
}

func TestCorruptedArrays(t *testing.T) {
	corrupted := openFake(t, fakeArrays(t, "snow", "fog"))
	if got := corrupted.Corruptions(); !slices.Equal(got, []string{"fog", "snow"}) ||
		corrupted.Name != "CIFAR-10-C" {
		t.Errorf("%s holds %q, want fog and snow in CIFAR-10-C", corrupted.Name, got)
	}
	for _, test := range []struct {
		severity, count int
		want            []uint8
	}{{1, 0, []uint8{10, 11, 12}}, {5, 0, []uint8{50, 51, 52}}, {3, 2, []uint8{30, 31}}} {
		images := testkit.Must(corrupted.Images(t.Context(), "fog", test.severity, test.count))(t)
		if images.Height != 2 || images.Width != 2 || images.Count() != len(test.want) {
			t.Fatalf("%d images of %dx%d, want %d of 2x2", images.Count(), images.Height,
				images.Width, len(test.want))
		}
		for i, want := range test.want {
			if got := images.Slice(i, i+1); got.Pixels[0] != want || got.Pixels[11] != want ||
				got.Labels[0] != uint8(i) {
				t.Errorf("severity %d, image %d is %d with label %d, want %d with %d",
					test.severity, i, got.Pixels[0], got.Labels[0], want, i)
			}
		}
	}
	if published, err := corrupted.Published(t.Context(), "fog"); published || err != nil {
		t.Errorf("Published() = %v, %v for a file of ours", published, err)
	}
}

// TestPublishedTakesTheSumsOfOneSet puts files of one published set beside the labels of the other.
func TestPublishedTakesTheSumsOfOneSet(t *testing.T) {
	folder := fakeArrays(t, "fog", "snow")
	t.Cleanup(func() { published = sources.All })
	member := func(name string) sources.Member {
		content := testkit.Must(os.ReadFile(filepath.Join(folder, name)))(t)
		return sources.Member{Path: name, MD5: fmt.Sprintf("%x", md5.Sum(content))}
	}
	fog, labels := member("fog.npy"), member(labelsFile)
	otherFog, otherLabels := fog, labels
	otherFog.MD5, otherLabels.MD5 = "0", "0"
	type members = []sources.Member
	for _, test := range []struct {
		name         string
		ten, hundred members
		want         bool
	}{
		{"labels and file of CIFAR-10-C", members{fog, labels}, nil, true},
		{"labels and file of CIFAR-100-C", nil, members{fog, labels}, true},
		{"file of the other set", members{otherFog, labels}, members{fog, otherLabels}, false},
		{"labels of neither", members{fog, otherLabels}, nil, false},
		{"a file that wasn't published", members{member("snow.npy"), labels}, nil, false},
	} {
		published = func() []sources.Source {
			return []sources.Source{{Members: test.ten}, {Members: test.hundred}}
		}
		got, err := openFake(t, folder).Published(t.Context(), "fog")
		if got != test.want || err != nil {
			t.Errorf("%s: Published() = %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}

func TestCorruptedArraysWithWideLabels(t *testing.T) {
	folder := fakeArrays(t, "fog")
	var labels []int64
	for range severities {
		labels = append(labels, 7, 8, 9)
	}
	putArray(t, labels, []int{15}, folder, labelsFile)
	images, err := openFake(t, folder).Images(t.Context(), "fog", 2, 0)
	if err != nil || !slices.Equal(images.Labels, []uint8{7, 8, 9}) {
		t.Errorf("labels are %v, %v, want 7 8 9", images.Labels, err)
	}
}

func TestCorruptedArraysRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		want   string
	}{
		{"truncated", func(t *testing.T, folder string) {
			os.Truncate(filepath.Join(folder, "fog.npy"), 300)
		}, "it's truncated or has something behind its end"},
		{"too long", func(t *testing.T, folder string) {
			os.Truncate(filepath.Join(folder, "fog.npy"), 400)
		}, "something behind its end"},
		{"a lying header", func(t *testing.T, folder string) {
			var header bytes.Buffer
			testkit.NoError(t,
				npy.WriteHeader(&header, npy.Header{Type: "|u1", Shape: []int{15, 9999, 9999, 3}}))
			write(t, filepath.Join(folder, "fog.npy"), header.Bytes())
		}, "needs"},
		{"another shape", func(t *testing.T, folder string) {
			putArray(t, make([]uint8, 15*4), []int{15, 4}, folder, "fog.npy")
		}, "array [15 4]: want [15 any any 3]"},
		{"another number of images", func(t *testing.T, folder string) {
			putArray(t, make([]uint8, 10*12), []int{10, 2, 2, 3}, folder, "fog.npy")
		}, "array [10 2 2 3]: want [15 any any 3]"},
		{"floats", func(t *testing.T, folder string) {
			putArray(t, make([]float32, 15*12), []int{15, 2, 2, 3}, folder, "fog.npy")
		}, `element type "<f4"`},
		{"no file", func(t *testing.T, folder string) {
			os.Remove(filepath.Join(folder, "fog.npy"))
		}, "it has snow"},
		{"labels in another order at severity 4", func(t *testing.T, folder string) {
			putArray(t, []uint8{0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1, 2}, []int{15}, folder,
				labelsFile)
		}, "don't repeat the test images' 5 times"},
		{"16 labels", func(t *testing.T, folder string) {
			putArray(t, make([]uint8, 16), []int{16}, folder, labelsFile)
		}, "holds 16 labels"},
		{"no labels", func(t *testing.T, folder string) {
			putArray(t, []uint8{}, []int{0}, folder, labelsFile)
		}, "holds 0 labels"},
		{"labels out of range", func(t *testing.T, folder string) {
			putArray(t, []int64{300}, []int{1}, folder, labelsFile)
		}, "has label 300 in place 0"},
		{"labels of another kind", func(t *testing.T, folder string) {
			putArray(t, []float64{1}, []int{1}, folder, labelsFile)
		}, `element type "<f8"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := fakeArrays(t, "fog", "snow")
			test.damage(t, folder)
			corrupted, err := OpenCorrupted(folder, "", nil)
			if err == nil {
				_, err = corrupted.Images(t.Context(), "fog", 1, 0)
			}
			checkError(t, err, test.want)
		})
	}
}

func TestCorruptedArgumentsRefused(t *testing.T) {
	corrupted := openFake(t, fakeArrays(t, "fog"))
	for _, test := range []struct {
		corruption      string
		severity, count int
		want            string
	}{
		{"frog", 1, 0, `no corruption "frog"`}, {"fog", 0, 0, "severity 0"},
		{"fog", 6, 0, "severity 6"},
		{"fog", 1, -1, "-1 images"}, {"fog", 1, 4, "holds 3 at each severity"},
	} {
		_, err := corrupted.Images(t.Context(), test.corruption, test.severity, test.count)
		checkError(t, err, test.want)
	}
}

func TestOpenCorruptedRefuses(t *testing.T) {
	_, err := OpenCorrupted(filepath.Join(t.TempDir(), "nothing"), "", nil)
	checkError(t, err, "nothing", "give a folder in the layout of CIFAR-10-C")
	_, err = OpenCorrupted(t.TempDir(), "", nil)
	checkError(t, err, "holds neither .npy files with labels.npy nor folders")
	_, err = OpenCorrupted("cifar10-c", t.TempDir(), nil)
	checkError(t, err, "no folder CIFAR-10-C in", "`nbbnn data get cifar10-c`",
		"2,918,471,680 bytes")
}

func TestOpenCorruptedFindsASource(t *testing.T) {
	folder := fakeArrays(t, "fog")
	corrupted, err := OpenCorrupted("cifar10-c", filepath.Dir(folder), nil)
	if err != nil || corrupted.Name != "cifar10-c" || corrupted.Folder != folder {
		t.Errorf("got %+v, %v, want cifar10-c in %s", corrupted, err, folder)
	}
}

// fakePictures writes a little Tiny-ImageNet-C: of each class two pictures, the first grey and the
// second in colour.
func fakePictures(t *testing.T, corruptions ...string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "Tiny-ImageNet-C")
	for _, name := range corruptions {
		putPictures(t, filepath.Join(folder, name))
	}
	return folder
}

func putPictures(t *testing.T, folder string) {
	t.Helper()
	for severity := 1; severity <= severities; severity++ {
		for _, id := range tinyIDs {
			put(t, greyPicture(t), folder, strconv.Itoa(severity), id, "test_12.JPEG")
			put(t, colourPicture(t), folder, strconv.Itoa(severity), id, "test_7.JPEG")
		}
	}
}

func TestCorruptedPictures(t *testing.T) {
	folder := fakePictures(t, "fog")
	putPictures(t, filepath.Join(folder+"-extra", "spatter"))
	for _, test := range []struct {
		ids        []string
		corruption string
		count      int
		want       []uint8
	}{
		{tinyIDs, "fog", 0, []uint8{0, 1, 2, 0, 1, 2}},
		{tinyIDs, "spatter", 4, []uint8{0, 1, 2, 0}},
		{nil, "fog", 2, []uint8{0, 1}},
	} {
		corrupted := testkit.Must(OpenCorrupted(folder, "", test.ids))(t)
		if got := corrupted.Corruptions(); !slices.Equal(got, []string{"fog", "spatter"}) {
			t.Errorf("corruptions are %q, want fog and the extra spatter", got)
		}
		images := testkit.Must(corrupted.Images(t.Context(), test.corruption, 5, test.count))(t)
		if !slices.Equal(images.Labels, test.want) || !isGrey(images.Slice(0, 1)) {
			t.Errorf("%s: labels are %v, want %v, and the first picture grey", test.corruption,
				images.Labels, test.want)
		}
		if published, err := corrupted.Published(t.Context(), test.corruption); published ||
			err != nil {
			t.Errorf("Published() = %v, %v, want false", published, err)
		}
	}
}

func TestCorruptedPicturesRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		want   string
	}{
		{"more classes, as in the original frost", func(t *testing.T, folder string) {
			put(t, greyPicture(t), folder, "frost", "1", "n00000001", "a.JPEG")
		}, "has 4 classes, not the 3 of the data set: the original archive is wrong in frost, " +
			"`nbbnn data get tinyimagenet-c`"},
		{"a class missing", func(t *testing.T, folder string) {
			os.RemoveAll(filepath.Join(folder, "frost", "1", tinyIDs[0]))
		}, "has 2 classes"},
		{"a picture missing", func(t *testing.T, folder string) {
			os.Remove(filepath.Join(folder, "frost", "1", tinyIDs[1], "test_7.JPEG"))
		},
			"n01443537 holds 1 pictures"},
		{"a damaged picture", func(t *testing.T, folder string) {
			put(t, []byte("x"), folder, "frost", "1", tinyIDs[1], "test_7.JPEG")
		}, "it's damaged"},
		{"too many asked for", func(*testing.T, string) {}, "7 images asked for"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := fakePictures(t, "frost")
			test.damage(t, folder)
			corrupted, err := OpenCorrupted(folder, "", tinyIDs)
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			if test.name == "too many asked for" {
				count = 7
			}
			_, err = corrupted.Images(t.Context(), "frost", 1, count)
			checkError(t, err, test.want)
		})
	}
}
