package dataset

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzCIFARBinary reads any file as one of three records.
func FuzzCIFARBinary(f *testing.F) {
	f.Add(make([]byte, 3*(1+cifarImage)), true)
	f.Add(make([]byte, 3*(2+cifarImage)), false)
	f.Add([]byte{9}, true)
	f.Fuzz(func(t *testing.T, data []byte, ten bool) {
		set := cifar100
		if ten {
			set = cifar10
		}
		fuzzCIFAR(t, set, set.versions[0], data)
	})
}

// FuzzCIFARPickle reads any file as a batch of two images.
func FuzzCIFARPickle(f *testing.F) {
	f.Add(pickledBatch("labels", []int{3, 9}, make([]byte, 2*cifarImage)))
	f.Add(pickledBatch("labels", []int{3, 10}, make([]byte, 2*cifarImage)))
	f.Add([]byte("cos\nsystem\n."))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzCIFAR(t, cifar10, cifar10.versions[1], data) })
}

// fuzzCIFAR wants an error or labels that have a class.
func fuzzCIFAR(t *testing.T, set cifarSet, version cifarVersion, data []byte) {
	folder := t.TempDir()
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
