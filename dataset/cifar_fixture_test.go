package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/internal/testkit"
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

// fakeReader writes little files of CIFAR-10, with the labels 0 to 9 in turn, and returns a reader
// of them.
func fakeReader(t *testing.T) cifarReader {
	t.Helper()
	set, source := cifar10, testkit.Must(sources.ByName("cifar10"))(t)
	folder := filepath.Join(t.TempDir(), source.Folder)
	testkit.NoError(t, os.Mkdir(folder, 0o755))
	set.train, set.test = slices.Clone(set.train), slices.Clone(set.test)
	for file := range set.train {
		set.train[file].records = testRecords
		writeBatch(t, filepath.Join(folder, set.train[file].name), file)
	}
	set.test[0].records = testRecords
	writeBatch(t, filepath.Join(folder, set.test[0].name), len(set.train))
	return cifarReader{set, source, folder}
}

// writeBatch writes a binary file.
func writeBatch(t *testing.T, path string, file int) {
	t.Helper()
	var records []byte
	for i := range testRecords {
		records = append(append(records, byte(i%10)), fakePlanes(file, i)...)
	}
	write(t, path, records)
}
