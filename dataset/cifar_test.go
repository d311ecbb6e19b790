package dataset

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestCIFARPlanesBecomePixels(t *testing.T) {
	for version := range cifar10.versions {
		reader := fakeReader(t, version)
		images := testkit.Must(reader.read(t.Context(), reader.version.train, 0))(t)
		if got, want := images.Count(), len(reader.version.train)*testRecords; got != want {
			t.Fatalf("%d images, want %d", got, want)
		}
		for _, at := range []struct{ image, row, column, channel int }{
			{0, 0, 0, 0}, {0, 0, 0, 2}, {19, 31, 31, 1}, {20, 5, 9, 0}, {99, 31, 0, 2},
		} {
			got := images.Pixels[((at.image*cifarSide+at.row)*cifarSide+at.column)*channels+
				at.channel]
			want := fakeValue(at.image/testRecords, at.image%testRecords, at.channel,
				at.row*cifarSide+at.column)
			if got != want {
				t.Errorf("%s: image %d, row %d, column %d, channel %d is %d, want %d",
					reader.source.Name, at.image, at.row, at.column, at.channel, got, want)
			}
		}
		if got, want := images.Labels[47], uint8(7); got != want {
			t.Errorf("%s: label of image 47 is %d, want %d", reader.source.Name, got, want)
		}
	}
}

func TestCIFARReadsOnlyWhatItNeeds(t *testing.T) {
	for version := range cifar10.versions {
		reader := fakeReader(t, version)
		testkit.NoError(t, os.Remove(filepath.Join(reader.folder, reader.version.train[2].name)))
		images, err := reader.read(t.Context(), reader.version.train, 2*testRecords)
		if err != nil {
			t.Fatalf("two files suffice for %d images: %v", 2*testRecords, err)
		}
		if got, want := images.Count(), 2*testRecords; got != want {
			t.Errorf("%d images, want %d", got, want)
		}
	}
}

func TestCIFARErrors(t *testing.T) {
	const record = 1 + cifarImage
	sum := cifar10.sourceOf(t, 0).Archives[0].MD5
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		count  int
		want   []string
	}{
		{"missing", func(t *testing.T, folder string) {
			os.Remove(filepath.Join(folder, "data_batch_3.bin"))
		},
			0, []string{"data_batch_3.bin: file does not exist", "`nbbnn data get cifar10`",
				"170,052,171 bytes", sum}},
		{"truncated", func(t *testing.T, folder string) {
			os.Truncate(filepath.Join(folder, "data_batch_2.bin"), 61459)
		},
			0, []string{"data_batch_2.bin has 61,459 bytes, want 61,460 for 20 records of CIFAR-10",
				sum}},
		{"empty", func(t *testing.T, folder string) {
			os.Truncate(filepath.Join(folder, "data_batch_1.bin"), 0)
		},
			0, []string{"data_batch_1.bin has 0 bytes"}},
		{"two labels a record", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"), make([]byte, 20*(record+1)))
		}, 0, []string{"has 61,480 bytes, want 61,460"}},
		{"label out of range", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"),
				slices.Concat(make([]byte, 19*record), []byte{10}, make([]byte, 3072)))
		}, 0, []string{"data_batch_1.bin has label 10 in record 19, want 0 to 9"}},
		{"unbalanced", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_5.bin"), make([]byte, 20*record))
		}, 0, []string{"28 images of class \"airplane\", want 10"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			reader := fakeReader(t, 0)
			test.damage(t, reader.folder)
			_, err := reader.read(t.Context(), reader.version.train, test.count)
			checkError(t, err, test.want...)
		})
	}
}

// sourceOf is the source of a version.
func (s cifarSet) sourceOf(t *testing.T, version int) sources.Source {
	t.Helper()
	return testkit.Must(sources.ByName(s.versions[version].source))(t)
}

// CIFAR-100 has two labels a record, of which the second one counts.
func TestCIFAR100(t *testing.T) {
	if got := len(cifar100.classes); got != 100 {
		t.Fatalf("%d classes, want 100", got)
	}
	folder := t.TempDir()
	var bytes []byte
	for i := range 100 {
		bytes = append(append(bytes, byte(i%20), byte(99-i)), fakePlanes(0, i)...)
	}
	write(t, filepath.Join(folder, "train.bin"), bytes)
	reader := cifarReader{cifar100, cifar100.versions[0], cifar100.sourceOf(t, 0), folder}
	images := testkit.Must(reader.read(t.Context(), []cifarFile{{"train.bin", 100}}, 0))(t)
	if got, want := images.Labels[30], uint8(69); got != want {
		t.Errorf("label of image 30 is %d, want the fine one, %d", got, want)
	}
	if got, want := images.Pixels[30*cifarImage], fakeValue(0, 30, 0, 0); got != want {
		t.Errorf("first value of image 30 is %d, want %d", got, want)
	}
}

func TestCIFARDirectory(t *testing.T) {
	t.Setenv("NBBNN_DATA", "/from/environment")
	if got, err := sources.Directory("/given"); got != "/given" || err != nil {
		t.Errorf("Directory(/given) = %q, %v", got, err)
	}
	if got, err := sources.Directory(""); got != "/from/environment" || err != nil {
		t.Errorf("with NBBNN_DATA set, Directory is %q, %v", got, err)
	}
	t.Setenv("NBBNN_DATA", "/from\nenvironment")
	_, err := sources.Directory("")
	testkit.Error(t, "a line break", err,
		`the path "/from\nenvironment" has a line break or another control character: rename the folder`)
	t.Setenv("NBBNN_DATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if got, err := sources.Directory(""); filepath.Base(got) != "nbbnn" || err != nil {
		t.Errorf("without NBBNN_DATA, Directory is %q, %v", got, err)
	}
}

// The binary version is preferred, either is found in its folder or in the directory itself.
func TestCIFARFindsItsVersion(t *testing.T) {
	for version := range cifar10.versions {
		folder := fakeReader(t, version).folder
		for _, directory := range []string{folder, filepath.Dir(folder)} {
			reader, err := cifar10.reader(directory)
			if err != nil || reader.folder != folder ||
				reader.version.source != cifar10.versions[version].source {
				t.Errorf("in %s the reader is of %s in %s (%v), want %s in %s",
					directory, reader.version.source, reader.folder, err,
					cifar10.versions[version].source, folder)
			}
		}
	}
}

func TestOpenCIFAR10Missing(t *testing.T) {
	_, err := Open(context.Background(), Config{Name: CIFAR10, Directory: t.TempDir()})
	checkError(t, err, "no folder cifar-10-batches-bin in", "`nbbnn data get cifar10`",
		"unpack cifar-10-binary.tar.gz from https://",
		"170,052,171 bytes", "NBBNN_DATA")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("errors.Is(err, fs.ErrNotExist) is false for %v", err)
	}
}

func TestCIFARStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	reader := fakeReader(t, 0)
	if _, err := reader.read(ctx, reader.version.test, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}

func TestCIFARPickleErrors(t *testing.T) {
	labels, planes := make([]byte, testRecords), make([]byte, testRecords*cifarImage)
	for _, test := range []struct {
		name  string
		batch []byte
		want  string
	}{
		{"no pickle", []byte("<html>"),
			`0 labels called "labels", want 20: it's damaged or not CIFAR-10; move the folder away`},
		{"nothing", nil, "0 labels"},
		{"labels of CIFAR-100", pickledBatch("fine_labels", labels, planes),
			`0 labels called "labels"`},
		{"a label too few", pickledBatch("labels", labels[1:], planes), "19 labels"},
		{"a label of two bytes", bytes.Replace(pickledBatch("labels", labels, planes),
			[]byte("K\x00e"), []byte("M\x00\x01e"), 1), "19 labels"},
		{"a label of CIFAR-100", pickledBatch("labels", append(labels[1:], 99), planes),
			"label 99 in record 19, want 0 to 9"},
		{"truncated labels", pickledBatch("labels", labels, planes)[:50], "labels"},
		{"truncated planes", pickledBatch("labels", labels, planes)[:50_000],
			"no array of 20 x 3072 bytes"},
		{"an image too few", pickledBatch("labels", labels, planes[cifarImage:]),
			"no array of 20 x 3072 bytes"},
		{"column by column", bytes.Replace(pickledBatch("labels", labels, planes), []byte("\x89T"),
			[]byte("\x88T"), 1), "no array"},
		{"a file without end", make([]byte, 21*(cifarImage+1024)+1),
			"want at most 86,016 for 20 records of CIFAR-10"},
	} {
		t.Run(test.name, func(t *testing.T) {
			reader := fakeReader(t, 1)
			write(t, filepath.Join(reader.folder, "data_batch_1"), test.batch)
			_, err := reader.read(t.Context(), reader.version.train, 0)
			checkError(t, err, "data_batch_1", test.want)
		})
	}
}

// The files of testdata hold made-up images in the form that Python 2 gave the official ones.
func TestCIFARPickles(t *testing.T) {
	for _, test := range []struct {
		file, key string
		labels    []byte
	}{
		{"cifar10_protocol1.pickle", "labels", []byte{3, 0, 9}}, {"cifar10_protocol2.pickle",
			"labels", []byte{3, 0, 9}},
		{"cifar100.pickle", "fine_labels", []byte{99}},
	} {
		data := testkit.Must(os.ReadFile(filepath.Join("testdata", test.file)))(t)
		labels, planes, err := parseBatch(data, test.key, len(test.labels))
		if err != nil || !bytes.Equal(labels, test.labels) {
			t.Errorf("%s: labels are %v (%v), want %v", test.file, labels, err, test.labels)
		}
		for i, got := range planes {
			if want := byte((i*7 + i/cifarImage*11) % 251); got != want {
				t.Fatalf("%s: value %d is %d, want %d", test.file, i, got, want)
			}
		}
	}
}
