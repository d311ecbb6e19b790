package dataset

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/nbbnn/workbench/internal/pickle"
	"github.com/nbbnn/workbench/internal/quantity"
)

// readPickle fills images from the first rows of a pickled batch: labels, and an array [records,
// 3072] of planes.
func (r cifarReader) readPickle(path string, file cifarFile, images Images) error {
	data, err := readAtMost(path, int64(file.records+1)*(cifarImage+1024), nil)
	if err != nil {
		return fmt.Errorf("dataset: %w: check that the file may be read", err)
	}
	return r.fillPickle(path, data, file, images)
}

// fillPickle is readPickle of a file's content.
func (r cifarReader) fillPickle(path string, data []byte, file cifarFile, images Images) error {
	planes, labels, err := parseBatch(data, r.version.labelKey)
	switch {
	case err != nil:
		return fmt.Errorf("dataset: %s: %w: %s", path, err, r.cure())
	case !slices.Equal(planes.Shape, []int{file.records, cifarImage}), len(labels) != file.records:
		return fmt.Errorf("dataset: %s has an array %v and %s labels, want [%d %d]: it's not %s; %s",
			path, planes.Shape, quantity.Thousands(float64(len(labels))), file.records, cifarImage, r.set.title, r.cure())
	}
	for i := range images.Count() {
		if err := r.checkLabel(path, i, labels[i]); err != nil {
			return err
		}
		images.Labels[i] = uint8(labels[i])
		interleave(images.Slice(i, i+1).Pixels, planes.Values[i*cifarImage:(i+1)*cifarImage])
	}
	return nil
}

// readAtMost reads a file that may not be larger than so many bytes, into the memory of a buffer
// where that suffices.
func readAtMost(path string, limit int64, buffer []byte) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %s bytes, at most %s are expected", path, quantity.Thousands(float64(info.Size())), quantity.Thousands(float64(limit)))
	}
	data := slices.Grow(buffer[:0], int(info.Size()))[:info.Size()]
	_, err = io.ReadFull(file, data)
	return data, err
}

// parseBatch takes the array and the labels out of a batch.
func parseBatch(data []byte, labelKey string) (*pickle.Array, []int, error) {
	value, err := pickle.Read(data)
	if err != nil {
		return nil, nil, err
	}
	batch, ok := value.(*pickle.Dictionary)
	if !ok {
		return nil, nil, fmt.Errorf("it holds a %T, not a dictionary", value)
	}
	planes, err := batch.Array("data")
	if err != nil {
		return nil, nil, err
	}
	labels, err := batch.Integers(labelKey)
	return planes, labels, err
}
