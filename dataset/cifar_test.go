package dataset

import (
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
	reader := fakeReader(t)
	images := testkit.Must(reader.read(t.Context(), reader.set.train, 0))(t)
	if got, want := images.Count(), len(reader.set.train)*testRecords; got != want {
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

func TestCIFARReadsOnlyWhatItNeeds(t *testing.T) {
	reader := fakeReader(t)
	testkit.NoError(t, os.Remove(filepath.Join(reader.folder, reader.set.train[2].name)))
	images, err := reader.read(t.Context(), reader.set.train, 2*testRecords)
	if err != nil {
		t.Fatalf("two files suffice for %d images: %v", 2*testRecords, err)
	}
	if got, want := images.Count(), 2*testRecords; got != want {
		t.Errorf("%d images, want %d", got, want)
	}
}

func TestCIFARErrors(t *testing.T) {
	const record = 1 + cifarImage
	sum := testkit.Must(sources.ByName("cifar10"))(t).Archives[0].MD5
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
			reader := fakeReader(t)
			test.damage(t, reader.folder)
			_, err := reader.read(t.Context(), reader.set.train, test.count)
			checkError(t, err, test.want...)
		})
	}
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
	reader := cifarReader{set: cifar100, folder: folder}
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

// The files are found in their folder or in the directory itself.
func TestCIFARIsFound(t *testing.T) {
	folder := fakeReader(t).folder
	for _, directory := range []string{folder, filepath.Dir(folder)} {
		if reader, err := cifar10.reader(directory); err != nil || reader.folder != folder {
			t.Errorf("in %s the reader is of %s (%v), want %s", directory, reader.folder, err,
				folder)
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
	reader := fakeReader(t)
	if _, err := reader.read(ctx, reader.set.test, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}
