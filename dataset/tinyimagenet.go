package dataset

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
)

// Tiny ImageNet: 200 classes of 500 training images, and 10,000 validation images on which networks
// are tested, because the official test images have no labels.
const (
	tinySide     = 64
	tinyPerClass = 500
	tinyClasses  = 200
	tinyTest     = 10_000
)

// tinyReader reads the unpacked archive.
type tinyReader struct {
	folder   string
	classes  int // that there must be
	perClass int // training images of each
	test     int // annotated validation images
}

// openTinyImageNet reads as many of the pictures as the config needs (mean and deviation: METHOD.md
// 4).
func openTinyImageNet(ctx context.Context, config Config) (*Dataset, error) {
	folder, err := sources.Folder(TinyImageNet, config.Directory)
	if err != nil {
		return nil, err
	}
	return tinyReader{folder, tinyClasses, tinyPerClass, tinyTest}.open(ctx, config)
}

func (r tinyReader) open(ctx context.Context, config Config) (*Dataset, error) {
	ids, err := r.classIDs()
	if err != nil {
		return nil, err
	}
	names, err := r.classNames(ids)
	if err != nil {
		return nil, err
	}
	train, err := r.read(ctx, r.trainPictures(ids), config.TrainCount)
	if err != nil {
		return nil, err
	}
	annotated, err := r.testPictures(ids)
	if err != nil {
		return nil, err
	}
	test, err := r.read(ctx, annotated, config.TestCount)
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Name: TinyImageNet, Classes: names, ClassIDs: ids, Train: train, Test: test,
		Mean:   [channels]float64{122.4786 / 255, 114.2755 / 255, 101.3963 / 255},
		Std:    [channels]float64{70.4924 / 255, 68.5679 / 255, 71.8127 / 255},
		Source: "Tiny ImageNet, training and validation pictures (tiny-imagenet-200)",
	}, nil
}

// lines reads a small text file.
func (r tinyReader) lines(name string) ([]string, error) {
	data, err := readAtMost(filepath.Join(r.folder, filepath.FromSlash(name)), 16<<20, nil)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w: %s is incomplete; move it away and "+
			"`nbbnn data get tinyimagenet` fetches it again", err, r.folder)
	}
	return strings.FieldsFunc(string(data), func(c rune) bool {
		return c == '\n' || c == '\r'
	}), nil
}

// classIDs returns the WordNet identifiers of the classes in the order of the labels, as wnids.txt
// has them (METHOD.md 9.1, 25).
func (r tinyReader) classIDs() ([]string, error) {
	ids, err := r.lines("wnids.txt")
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if !isClassID(id) || slices.Contains(ids[:i], id) {
			return nil, fmt.Errorf("dataset: %s has %.20q in line %d, want another WordNet "+
				"identifier like n01443537: unpack the archive again",
				filepath.Join(r.folder, "wnids.txt"), id, i+1)
		}
	}
	if len(ids) != r.classes {
		return nil, fmt.Errorf("dataset: %s names %d classes, want %d: unpack the archive again",
			filepath.Join(r.folder, "wnids.txt"), len(ids), r.classes)
	}
	return ids, nil
}

// isClassID reports whether a text is n and eight digits, so that it can be a folder's name without
// harm.
func isClassID(text string) bool {
	return len(text) == 9 && text[0] == 'n' && strings.Trim(text[1:], "0123456789") == ""
}

// classNames returns the first of the names that words.txt gives to each identifier.
func (r tinyReader) classNames(ids []string) ([]string, error) {
	lines, err := r.lines("words.txt")
	if err != nil {
		return nil, err
	}
	words := map[string]string{}
	for _, line := range lines {
		id, name, _ := strings.Cut(line, "\t")
		words[id], _, _ = strings.Cut(name, ",")
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = words[id]
		if names[i] == "" || slices.Contains(names[:i], names[i]) {
			names[i] = strings.TrimSpace(words[id] + " " + id)
		}
	}
	return names, nil
}

// trainPictures lists the training images: the first of each class, then the second of each, so
// that any first part is as balanced as possible.
func (r tinyReader) trainPictures(ids []string) []picture {
	pictures := make([]picture, 0, len(ids)*r.perClass)
	for k := range r.perClass {
		for label, id := range ids {
			path := filepath.Join(r.folder, "train", id, "images", fmt.Sprintf("%s_%d.JPEG", id, k))
			pictures = append(pictures, picture{path, uint8(label)})
		}
	}
	return pictures
}

// testPictures lists the validation images in the order of their annotations: a file, a class and a
// box on each line.
func (r tinyReader) testPictures(ids []string) ([]picture, error) {
	lines, err := r.lines("val/val_annotations.txt")
	if err != nil {
		return nil, err
	}
	if len(lines) != r.test {
		return nil, fmt.Errorf("dataset: %s has %s lines, want %s: unpack the archive again",
			filepath.Join(r.folder, "val", "val_annotations.txt"), quantity.Thousands(len(lines)),
			quantity.Thousands(r.test))
	}
	pictures := make([]picture, len(lines))
	for i, line := range lines {
		fields := strings.Split(line, "\t")
		label := -1
		if len(fields) > 1 {
			label = slices.Index(ids, fields[1])
		}
		if label < 0 || filepath.Base(fields[0]) != fields[0] {
			return nil, fmt.Errorf("dataset: %s has %.60q in line %d, want a file and one of the "+
				"classes: unpack the archive again",
				filepath.Join(r.folder, "val", "val_annotations.txt"), line, i+1)
		}
		pictures[i] = picture{filepath.Join(r.folder, "val", "images", fields[0]), uint8(label)}
	}
	return pictures, nil
}

// read decodes the first count pictures, or all of them when count is 0.
func (r tinyReader) read(ctx context.Context, pictures []picture, count int) (Images, error) {
	return readPictures(ctx, pictures[:cmp.Or(count, len(pictures))], tinySide)
}
