package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// cifarReader reads the binary files of CIFAR-10 in a folder.
type cifarReader struct {
	folder  string
	records int // records in each file
}

// read returns the first count images of the files, or all of them when count is 0. It opens only the files that it needs.
func (r cifarReader) read(ctx context.Context, files []string, count int) (Images, error) {
	total := len(files) * r.records
	if count > total {
		return Images{}, fmt.Errorf("dataset: %s images of cifar10 asked for, %s holds %s: ask for fewer, or 0 for all",
			thousands(count), filepath.Base(r.folder), thousands(total))
	}
	if count == 0 {
		count = total
	}
	images := newImages(count, cifarSide, cifarSide)
	for i, from := 0, 0; from < count; i, from = i+1, from+r.records {
		if err := ctx.Err(); err != nil {
			return Images{}, fmt.Errorf("dataset: reading of cifar10 stopped: %w", err)
		}
		part := images.Slice(from, min(from+r.records, count))
		if err := r.readFile(filepath.Join(r.folder, files[i]), part); err != nil {
			return Images{}, err
		}
	}
	if count == total {
		return images, r.checkBalance(files, images.Labels)
	}
	return images, nil
}

// readFile fills images from the first records of a file.
func (r cifarReader) readFile(path string, images Images) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return missingCIFAR(path)
	}
	if err != nil {
		return fmt.Errorf("dataset: %w: check that the file may be read", err)
	}
	defer file.Close()
	if err := r.checkSize(path, file); err != nil {
		return err
	}
	bytes := make([]byte, images.Count()*cifarRecord)
	if _, err := io.ReadFull(file, bytes); err != nil {
		return fmt.Errorf("dataset: reading %s: %w: unpack %s again", path, err, cifarArchive)
	}
	for i := range images.Count() {
		record := bytes[i*cifarRecord : (i+1)*cifarRecord]
		if int(record[0]) >= len(cifarClasses) {
			return fmt.Errorf("dataset: %s has label %d in record %s, want 0 to %d: the file is damaged or not CIFAR-10; unpack the official %s (md5 %s) again",
				path, record[0], thousands(i), len(cifarClasses)-1, cifarArchive, cifarArchiveMD5)
		}
		images.Labels[i] = record[0]
		interleave(images.Slice(i, i+1).Pixels, record[1:])
	}
	return nil
}

// checkSize returns an error that tells a truncated file from one with other records.
func (r cifarReader) checkSize(path string, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("dataset: %w: check that the file may be read", err)
	}
	size, want := info.Size(), int64(r.records)*cifarRecord
	if size == want {
		return nil
	}
	problem := fmt.Sprintf("truncated after %s of %s records", thousands(int(size/cifarRecord)), thousands(r.records))
	if size > want || size > 0 && size%(cifarRecord+1) == 0 {
		problem = fmt.Sprintf("its records are not the %s bytes of CIFAR-10", thousands(cifarRecord))
	}
	return fmt.Errorf("dataset: %s has %s bytes, want %s: %s; unpack the official %s (%s bytes, md5 %s) again",
		path, thousands(int(size)), thousands(int(want)), problem, cifarArchive, thousands(cifarArchiveSize), cifarArchiveMD5)
}

// checkBalance returns an error unless every class has the same number of images, as it has in CIFAR-10.
func (r cifarReader) checkBalance(files []string, labels []uint8) error {
	counts := make([]int, len(cifarClasses))
	for _, label := range labels {
		counts[label]++
	}
	want := len(labels) / len(cifarClasses)
	for class, count := range counts {
		if count != want {
			return fmt.Errorf("dataset: %s in %s hold %s images of class %q, want %s: files are mixed up; unpack the official %s (md5 %s) again",
				files[0]+" to the last", r.folder, thousands(count), cifarClasses[class], thousands(want), cifarArchive, cifarArchiveMD5)
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

// thousands writes a number with commas between groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
