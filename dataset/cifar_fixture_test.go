package dataset

import (
	"encoding/binary"
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

// fakeReader writes little files of a version of CIFAR-10, with the labels 0 to 9 in turn, and
// returns a reader of them.
func fakeReader(t *testing.T, version int) cifarReader {
	t.Helper()
	v := cifar10.versions[version]
	source := testkit.Must(sources.ByName(v.source))(t)
	folder := filepath.Join(t.TempDir(), source.Folder)
	testkit.NoError(t, os.Mkdir(folder, 0o755))
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
	var labels, planes, records []byte
	for i := range testRecords {
		labels = append(labels, byte(i%10))
		planes = append(planes, fakePlanes(file, i)...)
		records = append(append(records, byte(i%10)), fakePlanes(file, i)...)
	}
	if v.labelBytes == 0 {
		records = pickledBatch(v.labelKey, labels, planes)
	}
	write(t, path, records)
}

// pickledBatch is what Python 2 wrote; up to a thousand labels are appended at once.
func pickledBatch(key string, labels, planes []byte) []byte {
	out := []byte("\x80\x02}q\x01(U" + string(rune(len(key))) + key + "q\x02]q\x03")
	for part := range slices.Chunk(labels, 1000) {
		out = append(out, '(')
		for _, label := range part {
			out = append(out, 'K', label)
		}
		out = append(out, 'e')
	}
	out = append(out,
		"U\x04dataq\x04cnumpy.core.multiarray\n_reconstruct\nq\x05cnumpy\nndarray\nq\x06K\x00\x85U\x01b\x87R(K\x01"...)
	out = binary.LittleEndian.AppendUint32(append(out, 'J'), uint32(len(planes)/cifarImage))
	out = append(out,
		"M\x00\x0c\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(planes)))
	return append(append(out, planes...), "tbu."...)
}
