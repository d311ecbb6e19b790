package dataset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/pickle"
	"github.com/nbbnn/workbench/internal/quantity"
)

// cifarReader reads one version of a set in a folder.
type cifarReader struct {
	set     cifarSet
	version cifarVersion
	source  Source
	folder  string
}

// read returns the first count images of the files, or all of them when count is 0. It opens only
// the files that it needs.
func (r cifarReader) read(ctx context.Context, files []cifarFile, count int) (Images, error) {
	total := records(files)
	count = cmp.Or(count, total)
	images := newImages(count, cifarSide, cifarSide)
	for from, next := 0, files; from < count; from, next = from+next[0].records, next[1:] {
		if err := ctx.Err(); err != nil {
			return Images{}, fmt.Errorf("dataset: reading of %s stopped: %w", r.set.name, err)
		}
		if err := r.readFile(next[0], images.Slice(from, min(from+next[0].records, count))); err != nil {
			return Images{}, err
		}
	}
	if count == total {
		return images, r.checkBalance(files, images.Labels)
	}
	return images, nil
}

// readFile fills images from the first records of a file.
func (r cifarReader) readFile(file cifarFile, images Images) error {
	path := filepath.Join(r.folder, file.name)
	var err error
	if r.version.labelBytes > 0 {
		err = r.readBinary(path, file, images)
	} else {
		err = r.readPickle(path, file, images)
	}
	if isMissing(err) {
		return fmt.Errorf("dataset: %s: %w: %s isn't whole; %s", path, fs.ErrNotExist, r.folder, r.cure())
	}
	return err
}

// checkLabel returns an error for a label that no class has.
func (r cifarReader) checkLabel(path string, record, label int) error {
	if label >= 0 && label < len(r.set.classes) {
		return nil
	}
	return fmt.Errorf("dataset: %s has label %d in record %s, want 0 to %d: the file is damaged or not %s; %s",
		path, label, quantity.Thousands(record), len(r.set.classes)-1, r.set.title, r.cure())
}

// cure says where a sound file comes from.
func (r cifarReader) cure() string {
	return fmt.Sprintf("move the folder away and `nbbnn data get %s` brings it anew, or unpack %s", r.source.Name, r.source.Archives[0])
}

// checkBalance returns an error unless every class has the same number of images, as it has in both
// sets.
func (r cifarReader) checkBalance(files []cifarFile, labels []uint8) error {
	counts := countLabels(labels, len(r.set.classes))
	want := len(labels) / len(counts)
	for class, count := range counts {
		if count != want {
			return fmt.Errorf("dataset: %s to the last in %s hold %s images of class %q, want %s: files are mixed up; %s",
				files[0].name, r.folder, quantity.Thousands(count), r.set.classes[class], quantity.Thousands(want), r.cure())
		}
	}
	return nil
}

// interleave turns three planes, [3, height*width], into pixels, [height*width, 3].
func interleave(pixels, planes []uint8) {
	size := len(planes) / channels
	red, green, blue := planes[:size], planes[size:2*size], planes[2*size:]
	for i := range size {
		pixels[channels*i], pixels[channels*i+1], pixels[channels*i+2] = red[i], green[i], blue[i]
	}
}

// readBinary fills images from the first records of a binary file: one or two labels, and then the
// planes of the image.
func (r cifarReader) readBinary(path string, file cifarFile, images Images) error {
	opened, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("dataset: %w: check that the file may be read", err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return fmt.Errorf("dataset: %w: check that the file may be read", err)
	}
	return r.fillBinary(path, opened, info.Size(), file, images)
}

// fillBinary is readBinary of an opened file of a size in bytes.
func (r cifarReader) fillBinary(path string, opened io.Reader, fileSize int64, file cifarFile, images Images) error {
	if err := r.checkSize(path, file, fileSize); err != nil {
		return err
	}
	labels := r.version.labelBytes
	size := labels + cifarImage
	bytes := make([]byte, images.Count()*size)
	if _, err := io.ReadFull(opened, bytes); err != nil {
		return fmt.Errorf("dataset: reading %s: %w: %s", path, err, r.cure())
	}
	for i := range images.Count() {
		record := bytes[i*size : (i+1)*size]
		if err := r.checkLabel(path, i, int(record[labels-1])); err != nil {
			return err
		}
		images.Labels[i] = record[labels-1]
		interleave(images.Slice(i, i+1).Pixels, record[labels:])
	}
	return nil
}

// checkSize returns an error that tells a truncated file from one with other records.
func (r cifarReader) checkSize(path string, file cifarFile, size int64) error {
	record := int64(r.version.labelBytes + cifarImage)
	other := int64(3 - r.version.labelBytes + cifarImage) // of the other set
	want := int64(file.records) * record
	if size == want {
		return nil
	}
	problem := fmt.Sprintf("truncated after %s of %s records", quantity.Thousands(size/record), quantity.Thousands(file.records))
	if size > want || size > 0 && size%other == 0 {
		problem = fmt.Sprintf("its records are not the %s bytes of %s", quantity.Thousands(record), r.set.title)
	}
	return fmt.Errorf("dataset: %s has %s bytes, want %s: %s; %s", path, quantity.Thousands(size), quantity.Thousands(want), problem, r.cure())
}

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
			path, planes.Shape, quantity.Thousands(len(labels)), file.records, cifarImage, r.set.title, r.cure())
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
		return nil, fmt.Errorf("%s has %s bytes, at most %s are expected", path, quantity.Thousands(info.Size()), quantity.Thousands(limit))
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
	batch, ok := value.(pickle.Dictionary)
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
