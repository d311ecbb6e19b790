package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzCIFARBinary reads any file as one of three records. The file repeats a few bytes up to a
// length, because the fuzzer spends its time on shortening long inputs.
func FuzzCIFARBinary(f *testing.F) {
	f.Add([]byte{0}, 3*(1+cifarImage), true)
	f.Add([]byte{0}, 3*(2+cifarImage), false)
	f.Add([]byte{9, 200}, 3*(1+cifarImage), true)
	f.Add([]byte{9}, 1, true)
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, pattern []byte, length int, ten bool) {
		if len(pattern) == 0 || length < 0 || length > 4*(2+cifarImage) {
			return
		}
		data := bytes.Repeat(pattern, length/len(pattern)+1)[:length]
		set := cifar100
		if ten {
			set = cifar10
		}
		fuzzCIFAR(t, folder, set, set.versions[0], data)
	})
}

// FuzzCIFARPickle reads any file as a batch of two images. A short mark replaces their pixels,
// because the fuzzer spends its time on shortening long inputs.
func FuzzCIFARPickle(f *testing.F) {
	pixels, mark := make([]byte, 2*cifarImage), []byte("<pixels>")
	for _, label := range []int{9, 10} {
		f.Add(bytes.Replace(pickledBatch("labels", []int{3, label}, pixels), pixels, mark, 1))
	}
	f.Add([]byte("cos\nsystem\n."))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzCIFAR(t, folder, cifar10, cifar10.versions[1], bytes.Replace(data, mark, pixels, 1))
	})
}

// fuzzCIFAR wants an error or labels that have a class. It writes the file to a folder.
func fuzzCIFAR(t *testing.T, folder string, set cifarSet, version cifarVersion, data []byte) {
	if err := os.WriteFile(filepath.Join(folder, "batch"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	records := 3
	if version.labelBytes == 0 {
		records = 2
	}
	source, err := SourceByName(version.source)
	if err != nil {
		t.Fatal(err)
	}
	reader := cifarReader{set, version, source, folder}
	images := newImages(records, cifarSide, cifarSide)
	if err := reader.readFile(cifarFile{"batch", records}, images); err != nil {
		return
	}
	for i, label := range images.Labels {
		if int(label) >= len(set.classes) {
			t.Errorf("image %d has label %d of %d classes", i, label, len(set.classes))
		}
	}
}
