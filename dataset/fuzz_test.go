package dataset

import (
	"bytes"
	"testing"

	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/internal/testkit"
)

// binarySeeds are files of CIFAR in which a few bytes are repeated up to a length. The fuzzer
// spends its time on shortening long inputs, so it gets short ones.
var binarySeeds = []struct {
	pattern []byte
	length  int
	ten     bool // CIFAR-10, not CIFAR-100
}{
	{[]byte{0}, 3 * (1 + cifarImage), true},
	{[]byte{0}, 3 * (2 + cifarImage), false},
	{[]byte{9, 200}, 3 * (1 + cifarImage), true},
	{[]byte{9}, 1, true},
}

// FuzzCIFARBinary reads any file as one of three records.
func FuzzCIFARBinary(f *testing.F) {
	for _, seed := range binarySeeds {
		f.Add(seed.pattern, seed.length, seed.ten)
	}
	readers := map[bool]cifarReader{true: fuzzedReader(f, cifar10, 0),
		false: fuzzedReader(f, cifar100, 0)}
	f.Fuzz(func(t *testing.T, pattern []byte, length int, ten bool) {
		if len(pattern) == 0 || length < 0 || length > 4*(2+cifarImage) {
			return
		}
		data := bytes.Repeat(pattern, length/len(pattern)+1)[:length]
		images, reader, file := newImages(3, cifarSide, cifarSide), readers[ten],
			cifarFile{"batch", 3}
		err := reader.checkSize("batch", file, int64(len(data)))
		if err == nil {
			err = reader.fill("batch", data, 3, images)
		}
		checkFuzzedLabels(t, err, images, reader.set)
	})
}

// fuzzedReader reads files of a version of a set that are in memory.
func fuzzedReader(f *testing.F, set cifarSet, version int) cifarReader {
	source := testkit.Must(sources.ByName(set.versions[version].source))(f)
	return cifarReader{set: set, version: set.versions[version], source: source}
}

// pixelMark replaces the pixels of fuzzed pickles, to keep them short.
var pixelMark = []byte("<pixels>")

// FuzzCIFARPickle reads any file as a batch of two images.
func FuzzCIFARPickle(f *testing.F) {
	pixels := make([]byte, 2*cifarImage)
	for _, label := range []byte{9, 10} {
		f.Add(bytes.Replace(pickledBatch("labels", []byte{3, label}, pixels), pixels, pixelMark, 1))
	}
	reader := fuzzedReader(f, cifar10, 1)
	f.Fuzz(func(t *testing.T, data []byte) {
		images := newImages(2, cifarSide, cifarSide)
		err := reader.fill("batch", bytes.Replace(data, pixelMark, pixels, 1), 2, images)
		checkFuzzedLabels(t, err, images, cifar10)
	})
}

// checkFuzzedLabels wants an error or labels that have a class.
func checkFuzzedLabels(t *testing.T, err error, images Images, set cifarSet) {
	if err != nil {
		return
	}
	for i, label := range images.Labels {
		if int(label) >= len(set.classes) {
			t.Errorf("image %d has label %d of %d classes", i, label, len(set.classes))
		}
	}
}
