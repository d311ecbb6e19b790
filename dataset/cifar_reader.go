package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
)

// cifarReader reads one version of a set in a folder.
type cifarReader struct {
	set     cifarSet
	version cifarVersion
	source  sources.Source
	folder  string
}

// read returns the first count images of the files, or all of them when count is 0. It opens only
// the files that it needs.
func (r cifarReader) read(ctx context.Context, files []cifarFile, count int) (Images, error) {
	total := records(files)
	count = cmp.Or(count, total)
	images := newImages(count, cifarSide, cifarSide)
	for from, next := 0, files; from < count; from, next = from+next[0].records, next[1:] {
		if err := stopped(ctx, r.set.name); err != nil {
			return Images{}, err
		}
		if err := r.readFile(next[0],
			images.Slice(from, min(from+next[0].records, count))); err != nil {
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
	opened, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dataset: %s: %w: %s is incomplete; %s", path, fs.ErrNotExist, r.folder,
			r.cure())
	}
	if err != nil {
		return fmt.Errorf("dataset: %w: check that the file may be read", err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return fmt.Errorf("dataset: %w: check that the file may be read", err)
	}
	if err := r.checkSize(path, file, info.Size()); err != nil {
		return err
	}
	size := info.Size()
	if r.version.labelBytes > 0 {
		size = int64(images.Count() * (r.version.labelBytes + cifarImage))
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(opened, data); err != nil {
		return fmt.Errorf("dataset: reading %s: %w: %s", path, err, r.cure())
	}
	return r.fill(path, data, file.records, images)
}

// fill fills images from the first records of a binary file, each one or two labels and the planes,
// or from a pickle of a number of records.
func (r cifarReader) fill(path string, data []byte, records int, images Images) error {
	if labels := r.version.labelBytes; labels > 0 {
		size := labels + cifarImage
		for i := range images.Count() {
			record := data[i*size : (i+1)*size]
			if err := r.fillImage(path, i, record[labels-1], record[labels:], images); err != nil {
				return err
			}
		}
		return nil
	}
	labels, planes, err := parseBatch(data, r.version.labelKey, records)
	if err != nil {
		return fmt.Errorf("dataset: %s: %w: it's damaged or not %s; %s", path, err, r.set.title,
			r.cure())
	}
	for i := range images.Count() {
		if err := r.fillImage(path, i, labels[i], planes[i*cifarImage:(i+1)*cifarImage],
			images); err != nil {
			return err
		}
	}
	return nil
}

// fillImage fills an image from its label and its planes, [3, height*width].
func (r cifarReader) fillImage(path string, i int, label uint8, planes []uint8,
	images Images) error {
	if int(label) >= len(r.set.classes) {
		return fmt.Errorf("dataset: %s has label %d in record %s, want 0 to %d: the file is "+
			"damaged or not %s; %s",
			path, label, quantity.Thousands(i), len(r.set.classes)-1, r.set.title, r.cure())
	}
	images.Labels[i] = label
	pixels := images.Slice(i, i+1).Pixels
	red, green, blue := planes[:cifarPlane], planes[cifarPlane:2*cifarPlane], planes[2*cifarPlane:]
	for i := range cifarPlane {
		pixels[channels*i], pixels[channels*i+1], pixels[channels*i+2] = red[i], green[i], blue[i]
	}
	return nil
}

// parseBatch reads labels and planes from a batch of the official Python versions, which Python 2
// pickled. A pickle is a program, but none of it runs here: the list at key must hold bytes, and
// the planes are the text of their length.
func parseBatch(data []byte, key string, records int) (labels, planes []byte, err error) {
	_, list, more := bytes.Cut(data, fmt.Appendf(nil, "U%c%s", len(key), key))
	for more && len(list) >= 5 {
		length := 1
		switch list[0] { // opcodes of Python's pickletools
		case 'K': // a number
			labels, length = append(labels, list[1]), 2
		case 'q': // puts the list aside
			length = 2
		case 'r':
			length = 5
		case ']', '(', 'e', 'a': // a list begins; more is appended
		default:
			more = false
		}
		list = list[length:]
	}
	if len(labels) != records {
		return nil, nil, fmt.Errorf("it has %s labels called %q, want %s",
			quantity.Thousands(len(labels)), key, quantity.Thousands(records))
	}
	size := records * cifarImage
	before, planes, _ := bytes.Cut(data, binary.LittleEndian.AppendUint32([]byte("T"),
		uint32(size)))
	if rowByRow := bytes.HasSuffix(before, []byte("\x89")) ||
		bytes.HasSuffix(before, []byte("I00\n")); !rowByRow || len(planes) < size {
		return nil, nil, fmt.Errorf("it has no array of %s x %d bytes", quantity.Thousands(records),
			cifarImage)
	}
	return labels, planes[:size], nil
}

// cure describes where to get an intact file.
func (r cifarReader) cure() string {
	return fmt.Sprintf("move the folder away and `nbbnn data get %s` fetches it again, or unpack "+
		"%s", r.source.Name, r.source.Archives[0])
}

// checkBalance returns an error unless every class has the same number of images, as it has in both
// sets.
func (r cifarReader) checkBalance(files []cifarFile, labels []uint8) error {
	counts := countLabels(labels, len(r.set.classes))
	want := len(labels) / len(counts)
	for class, count := range counts {
		if count != want {
			return fmt.Errorf("dataset: %s to the last in %s hold %s images of class %q, want "+
				"%s: files are mixed up; %s",
				files[0].name, r.folder, quantity.Thousands(count), r.set.classes[class],
				quantity.Thousands(want), r.cure())
		}
	}
	return nil
}

// checkSize refuses a file that can't hold just its records. A pickle may hold up to 1 kB more for
// each record than its planes.
func (r cifarReader) checkSize(path string, file cifarFile, size int64) error {
	want, most := int64(file.records*(r.version.labelBytes+cifarImage)), ""
	if r.version.labelBytes == 0 {
		want, most = int64(file.records+1)*(cifarImage+1024), "at most "
	}
	if size > want || size < want && most == "" {
		return fmt.Errorf("dataset: %s has %s bytes, want %s%s for %s of %s: %s", path,
			quantity.Thousands(size), most, quantity.Thousands(want), quantity.Count(file.records,
				"record"), r.set.title, r.cure())
	}
	return nil
}

// readAtMost reads a file of at most limit bytes, into a buffer's memory if that suffices.
func readAtMost(path string, limit int64, buffer []byte) ([]byte, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %s bytes, at most %s are expected", path,
			quantity.Thousands(info.Size()), quantity.Thousands(limit))
	}
	data := slices.Grow(buffer[:0], int(info.Size()))[:info.Size()]
	_, err = io.ReadFull(file, data)
	return data, err
}
