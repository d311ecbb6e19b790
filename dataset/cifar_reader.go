package dataset

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

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
	if count > total {
		return Images{}, fmt.Errorf("dataset: %s images of %s asked for, %s holds %s: ask for fewer, or 0 for all",
			quantity.Thousands(float64(count)), r.set.name, filepath.Base(r.folder), quantity.Thousands(float64(total)))
	}
	if count == 0 {
		count = total
	}
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
		path, label, quantity.Thousands(float64(record)), len(r.set.classes)-1, r.set.title, r.cure())
}

// cure says where a sound file comes from.
func (r cifarReader) cure() string {
	return fmt.Sprintf("move the folder away and `nbbnn data get %s` brings it anew, or unpack %s", r.source.Name, r.source.Archives[0])
}

// checkBalance returns an error unless every class has the same number of images, as it has in both
// sets.
func (r cifarReader) checkBalance(files []cifarFile, labels []uint8) error {
	counts := make([]int, len(r.set.classes))
	for _, label := range labels {
		counts[label]++
	}
	want := len(labels) / len(counts)
	for class, count := range counts {
		if count != want {
			return fmt.Errorf("dataset: %s to the last in %s hold %s images of class %q, want %s: files are mixed up; %s",
				files[0].name, r.folder, quantity.Thousands(float64(count)), r.set.classes[class], quantity.Thousands(float64(want)), r.cure())
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
