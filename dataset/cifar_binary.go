package dataset

import (
	"fmt"
	"io"
	"os"

	"github.com/nbbnn/workbench/internal/quantity"
)

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
	problem := fmt.Sprintf("truncated after %s of %s records", quantity.Thousands(float64(size/record)), quantity.Thousands(float64(file.records)))
	if size > want || size > 0 && size%other == 0 {
		problem = fmt.Sprintf("its records are not the %s bytes of %s", quantity.Thousands(float64(record)), r.set.title)
	}
	return fmt.Errorf("dataset: %s has %s bytes, want %s: %s; %s", path, quantity.Thousands(float64(size)), quantity.Thousands(float64(want)), problem, r.cure())
}
