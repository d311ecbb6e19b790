package dataset

import (
	"context"
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

// fakeRecord returns record i of a file: label i mod 10, and planes in which every byte tells its channel and place.
func fakeRecord(file, i int) []byte {
	record := make([]byte, cifarRecord)
	record[0] = byte(i % 10)
	for j := range channels * cifarPlane {
		record[1+j] = fakeValue(file, i, j/cifarPlane, j%cifarPlane)
	}
	return record
}

// fakeValue is the value of one channel at one place of image i of a file.
func fakeValue(file, i, channel, place int) byte {
	return byte(100*file + 31*i + 7*channel + place)
}

// fakeFolder writes little batch files and returns a reader of them.
func fakeFolder(t *testing.T) cifarReader {
	t.Helper()
	folder := filepath.Join(t.TempDir(), cifarFolder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, name := range slices.Concat(cifarTrainFiles, cifarTestFiles) {
		var bytes []byte
		for i := range testRecords {
			bytes = append(bytes, fakeRecord(file, i)...)
		}
		write(t, filepath.Join(folder, name), bytes)
	}
	return cifarReader{folder: folder, records: testRecords}
}

func write(t *testing.T, path string, bytes []byte) {
	t.Helper()
	if err := os.WriteFile(path, bytes, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCIFARPlanesBecomePixels(t *testing.T) {
	reader := fakeFolder(t)
	images, err := reader.read(context.Background(), cifarTrainFiles, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := images.Count(), len(cifarTrainFiles)*testRecords; got != want {
		t.Fatalf("%d images, want %d", got, want)
	}
	for _, at := range []struct{ image, row, column, channel int }{
		{0, 0, 0, 0}, {0, 0, 0, 2}, {19, 31, 31, 1}, {20, 5, 9, 0}, {99, 31, 0, 2},
	} {
		got := images.Pixels[((at.image*cifarSide+at.row)*cifarSide+at.column)*channels+at.channel]
		want := fakeValue(at.image/testRecords, at.image%testRecords, at.channel, at.row*cifarSide+at.column)
		if got != want {
			t.Errorf("image %d, row %d, column %d, channel %d is %d, want %d", at.image, at.row, at.column, at.channel, got, want)
		}
	}
	if got, want := images.Labels[47], uint8(7); got != want {
		t.Errorf("label of image 47 is %d, want %d", got, want)
	}
}

func TestCIFARReadsOnlyWhatItNeeds(t *testing.T) {
	reader := fakeFolder(t)
	if err := os.Remove(filepath.Join(reader.folder, "data_batch_3.bin")); err != nil {
		t.Fatal(err)
	}
	images, err := reader.read(context.Background(), cifarTrainFiles, 2*testRecords)
	if err != nil {
		t.Fatalf("two files suffice for %d images: %v", 2*testRecords, err)
	}
	if got, want := images.Count(), 2*testRecords; got != want {
		t.Errorf("%d images, want %d", got, want)
	}
}

func TestCIFARErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		count  int
		want   []string
	}{
		{"missing", func(t *testing.T, folder string) { os.Remove(filepath.Join(folder, "data_batch_3.bin")) },
			0, []string{"data_batch_3.bin: file does not exist", "170,052,171 bytes", cifarArchiveMD5, "NBBNN_DATA"}},
		{"truncated", func(t *testing.T, folder string) { os.Truncate(filepath.Join(folder, "data_batch_2.bin"), 61459) },
			0, []string{"data_batch_2.bin has 61,459 bytes, want 61,460", "truncated after 19 of 20 records", cifarArchiveMD5}},
		{"empty", func(t *testing.T, folder string) { os.Truncate(filepath.Join(folder, "data_batch_1.bin"), 0) },
			0, []string{"data_batch_1.bin has 0 bytes", "truncated after 0 of 20 records"}},
		{"two labels a record", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"), make([]byte, 20*(cifarRecord+1)))
		}, 0, []string{"has 61,480 bytes", "its records are not the 3,073 bytes of CIFAR-10"}},
		{"fewer records with two labels", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"), make([]byte, 10*(cifarRecord+1)))
		}, 0, []string{"has 30,740 bytes", "its records are not the 3,073 bytes of CIFAR-10"}},
		{"label out of range", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_1.bin"), slices.Concat(make([]byte, 19*cifarRecord), []byte{10}, make([]byte, 3072)))
		}, 0, []string{"data_batch_1.bin has label 10 in record 19, want 0 to 9"}},
		{"unbalanced", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "data_batch_5.bin"), make([]byte, 20*cifarRecord))
		}, 0, []string{"28 images of class \"airplane\", want 10"}},
		{"too many", func(*testing.T, string) {}, 101, []string{"101 images of cifar10", "holds 100"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			reader := fakeFolder(t)
			test.damage(t, reader.folder)
			_, err := reader.read(context.Background(), cifarTrainFiles, test.count)
			checkError(t, err, test.want...)
		})
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
	folder := fakeFolder(t).folder
	for _, directory := range []string{folder, filepath.Dir(folder)} {
		if got := cifarFolderIn(directory); got != folder {
			t.Errorf("cifarFolderIn(%q) = %q, want %q", directory, got, folder)
		}
	}
}

func TestOpenCIFAR10Missing(t *testing.T) {
	_, err := Open(context.Background(), Config{Name: CIFAR10, Directory: t.TempDir()})
	checkError(t, err, "data_batch_1.bin", "unpack cifar-10-binary.tar.gz")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("errors.Is(err, fs.ErrNotExist) is false for %v", err)
	}
}

func TestCIFARStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := fakeFolder(t).read(ctx, cifarTestFiles, 0); !errors.Is(err, context.Canceled) {
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
