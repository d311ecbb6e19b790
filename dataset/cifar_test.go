package dataset

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testRecords is the number of records in the little files of these tests.
const testRecords = 20

// fakePlanes are the planes of record i of a file, in which every byte tells its channel and place.
func fakePlanes(file, i int) []byte {
	planes := make([]byte, cifarImage)
	for j := range planes {
		planes[j] = fakeValue(file, i, j/cifarPlane, j%cifarPlane)
	}
	return planes
}

// fakeValue is the value of one channel at one place of image i of a file.
func fakeValue(file, i, channel, place int) byte {
	return byte(100*file + 31*i + 7*channel + place)
}

// fakeReader writes little files of a version of CIFAR-10, with the labels 0 to 9 in turn, and returns a reader of them.
func fakeReader(t *testing.T, version int) cifarReader {
	t.Helper()
	v := cifar10.versions[version]
	source, err := SourceByName(v.source)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), source.Folder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	v.train, v.test = slices.Clone(v.train), slices.Clone(v.test)
	for file := range v.train {
		v.train[file].records = testRecords
		writeBatch(t, filepath.Join(folder, v.train[file].name), v, file)
	}
	v.test[0].records = testRecords
	writeBatch(t, filepath.Join(folder, v.test[0].name), v, len(v.train))
	return cifarReader{cifar10, v, source, folder}
}

// writeBatch writes a binary file or a pickle.
func writeBatch(t *testing.T, path string, v cifarVersion, file int) {
	t.Helper()
	var labels []int
	var planes, records []byte
	for i := range testRecords {
		labels = append(labels, i%10)
		planes = append(planes, fakePlanes(file, i)...)
		records = append(append(records, byte(i%10)), fakePlanes(file, i)...)
	}
	if v.labelBytes == 0 {
		records = pickledBatch(v.labelKey, labels, planes)
	}
	write(t, path, records)
}

// pickledBatch is what Python 2 wrote.
func pickledBatch(key string, labels []int, planes []byte) []byte {
	out := []byte("\x80\x02}q\x00(U" + string(rune(len(key))) + key + "]q\x01(")
	for _, label := range labels {
		out = append(out, 'J')
		out = binary.LittleEndian.AppendUint32(out, uint32(int32(label)))
	}
	out = append(out, "eU\x04datacnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01"...)
	out = binary.LittleEndian.AppendUint32(append(out, 'J'), uint32(len(planes)/cifarImage))
	out = append(out, "M\x00\x0c\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(planes)))
	return append(append(out, planes...), "tbu."...)
}

func write(t *testing.T, path string, bytes []byte) {
	t.Helper()
	if err := os.WriteFile(path, bytes, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCIFARPlanesBecomePixels(t *testing.T) {
	for version := range cifar10.versions {
		reader := fakeReader(t, version)
		images, err := reader.read(t.Context(), reader.version.train, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := images.Count(), len(reader.version.train)*testRecords; got != want {
			t.Fatalf("%d images, want %d", got, want)
		}
		for _, at := range []struct{ image, row, column, channel int }{
			{0, 0, 0, 0}, {0, 0, 0, 2}, {19, 31, 31, 1}, {20, 5, 9, 0}, {99, 31, 0, 2},
		} {
			got := images.Pixels[((at.image*cifarSide+at.row)*cifarSide+at.column)*channels+at.channel]
			want := fakeValue(at.image/testRecords, at.image%testRecords, at.channel, at.row*cifarSide+at.column)
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
		if err := os.Remove(filepath.Join(reader.folder, reader.version.train[2].name)); err != nil {
			t.Fatal(err)
		}
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
		{"missing", func(t *testing.T, folder string) { os.Remove(filepath.Join(folder, "data_batch_3.bin")) },
			0, []string{"data_batch_3.bin: file does not exist", "`nbbnn data get cifar10`", "170,052,171 bytes", sum}},
		{"truncated", func(t *testing.T, folder string) { os.Truncate(filepath.Join(folder, "data_batch_2.bin"), 61459) },
			0, []string{"data_batch_2.bin has 61,459 bytes, want 61,460", "truncated after 19 of 20 records", sum}},
		{"empty", func(t *testing.T, folder string) { os.Truncate(filepath.Join(folder, "data_batch_1.bin"), 0) },
			0, []string{"data_batch_1.bin has 0 bytes", "truncated after 0 of 20 records"}},
		{"two labels a record", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"), make([]byte, 20*(record+1)))
		}, 0, []string{"has 61,480 bytes", "its records are not the 3,073 bytes of CIFAR-10"}},
		{"fewer records with two labels", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"), make([]byte, 10*(record+1)))
		}, 0, []string{"has 30,740 bytes", "its records are not the 3,073 bytes of CIFAR-10"}},
		{"label out of range", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"), slices.Concat(make([]byte, 19*record), []byte{10}, make([]byte, 3072)))
		}, 0, []string{"data_batch_1.bin has label 10 in record 19, want 0 to 9"}},
		{"unbalanced", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_5.bin"), make([]byte, 20*record))
		}, 0, []string{"28 images of class \"airplane\", want 10"}},
		{"too many", func(*testing.T, string) {}, 101, []string{"101 images of cifar10", "holds 100"}},
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
func (s cifarSet) sourceOf(t *testing.T, version int) Source {
	t.Helper()
	source, err := SourceByName(s.versions[version].source)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func TestCIFARPickleErrors(t *testing.T) {
	labels := make([]int, testRecords)
	planes := make([]byte, testRecords*cifarImage)
	for _, test := range []struct {
		name  string
		batch []byte
		want  string
	}{
		{"no pickle", []byte("<html>"), "isn't one that the CIFAR files have"},
		{"a command", []byte("cos\nsystem\n."), "asks for os.system"},
		{"truncated", pickledBatch("labels", labels, planes)[:50_000], "it ends early"},
		{"labels of CIFAR-100", pickledBatch("fine_labels", labels, planes), `no list is called "labels"`},
		{"a label too few", pickledBatch("labels", labels[1:], planes), "19 labels"},
		{"an image too few", pickledBatch("labels", labels, planes[cifarImage:]), "an array [19 3072]"},
		{"a negative label", pickledBatch("labels", append(slices.Clone(labels[1:]), -1), planes), "label -1 in record 19, want 0 to 9"},
		{"a label of CIFAR-100", pickledBatch("labels", append(slices.Clone(labels[1:]), 300), planes), "label 300 in record 19"},
		{"a list", []byte("]."), "not a dictionary"},
		{"a file without end", make([]byte, 21*(cifarImage+1024)+1), "at most 86,016 are expected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			reader := fakeReader(t, 1)
			write(t, filepath.Join(reader.folder, "data_batch_1"), test.batch)
			_, err := reader.read(t.Context(), reader.version.train, 0)
			checkError(t, err, "data_batch_1", test.want)
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
	reader := cifarReader{cifar100, cifar100.versions[0], cifar100.sourceOf(t, 0), folder}
	images, err := reader.read(t.Context(), []cifarFile{{"train.bin", 100}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := images.Labels[30], uint8(69); got != want {
		t.Errorf("label of image 30 is %d, want the fine one, %d", got, want)
	}
	if got, want := images.Pixels[30*cifarImage], fakeValue(0, 30, 0, 0); got != want {
		t.Errorf("first value of image 30 is %d, want %d", got, want)
	}
}

// checkError wants a one-line error of this package that holds every one of the texts.
func checkError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", want)
	}
	for _, part := range append(want, "dataset: ") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error is\n  %v\nwhich lacks %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error has several lines: %q", err)
	}
}

func TestCIFARDirectory(t *testing.T) {
	t.Setenv("NBBNN_DATA", "/from/environment")
	if got, err := Directory("/given"); got != "/given" || err != nil {
		t.Errorf("Directory(/given) = %q, %v", got, err)
	}
	if got, err := Directory(""); got != "/from/environment" || err != nil {
		t.Errorf("with NBBNN_DATA set, Directory is %q, %v", got, err)
	}
	t.Setenv("NBBNN_DATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if got, err := Directory(""); filepath.Base(got) != "nbbnn" || err != nil {
		t.Errorf("without NBBNN_DATA, Directory is %q, %v", got, err)
	}
}

// The binary version is preferred, either is found in its folder or in the directory itself.
func TestCIFARFindsItsVersion(t *testing.T) {
	for version := range cifar10.versions {
		folder := fakeReader(t, version).folder
		for _, directory := range []string{folder, filepath.Dir(folder)} {
			reader, err := cifar10.reader(directory)
			if err != nil || reader.folder != folder || reader.version.source != cifar10.versions[version].source {
				t.Errorf("in %s the reader is of %s in %s (%v), want %s in %s",
					directory, reader.version.source, reader.folder, err, cifar10.versions[version].source, folder)
			}
		}
	}
}

func TestOpenCIFAR10Missing(t *testing.T) {
	_, err := Open(context.Background(), Config{Name: CIFAR10, Directory: t.TempDir()})
	checkError(t, err, "no folder cifar-10-batches-bin in", "`nbbnn data get cifar10`", "unpack cifar-10-binary.tar.gz from https://",
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

// The real files, where the machine has them: balanced classes and the published mean and deviation.
func TestRealCIFAR10(t *testing.T) {
	data, err := Open(context.Background(), Config{Name: CIFAR10})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no CIFAR-10 here: set NBBNN_DATA to the directory of cifar-10-batches-bin to check the real files")
	}
	if err != nil {
		t.Fatal(err)
	}
	if data.Train.Count() != 50_000 || data.Test.Count() != 10_000 {
		t.Errorf("%d training and %d test images, want 50000 and 10000", data.Train.Count(), data.Test.Count())
	}
	checkMoments(t, data, 1e-4)
	t.Run("labels", func(t *testing.T) {
		want, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", "c10_labels.u8"))
		if err != nil {
			t.Skip("no list of the labels here to compare with")
		}
		if got := slices.Concat(data.Train.Labels, data.Test.Labels); !slices.Equal(got, want) {
			t.Error("the labels differ from the list of all 60,000")
		}
	})
}

// checkMoments compares the data set's mean and standard deviation with those of its training images.
func checkMoments(t *testing.T, data *Dataset, tolerance float64) {
	t.Helper()
	mean, std := moments(data.Train)
	for channel := range channels {
		if d := math.Abs(mean[channel] - data.Mean[channel]); d > tolerance {
			t.Errorf("mean of channel %d is %.5f, want %.5f: difference %.1e, tolerance %.1e", channel, mean[channel], data.Mean[channel], d, tolerance)
		}
		if d := math.Abs(std[channel] - data.Std[channel]); d > tolerance {
			t.Errorf("deviation of channel %d is %.5f, want %.5f: difference %.1e, tolerance %.1e", channel, std[channel], data.Std[channel], d, tolerance)
		}
	}
}

// moments returns the mean and standard deviation of each channel of values in 0..1, exact up to the last rounding.
func moments(images Images) (mean, std [channels]float64) {
	var sum, squares [channels]uint64
	for i, value := range images.Pixels {
		sum[i%channels] += uint64(value)
		squares[i%channels] += uint64(value) * uint64(value)
	}
	count := float64(len(images.Pixels) / channels)
	for channel := range channels {
		average := float64(sum[channel]) / count
		mean[channel] = average / 255
		std[channel] = math.Sqrt(float64(squares[channel])/count-average*average) / 255
	}
	return mean, std
}
