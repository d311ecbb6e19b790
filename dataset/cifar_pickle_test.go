package dataset

import (
	"path/filepath"
	"slices"
	"testing"
)

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
