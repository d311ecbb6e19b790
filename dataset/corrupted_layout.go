package dataset

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/quantity"
)

// labelsFile holds the labels of all severities of CIFAR-10-C and CIFAR-100-C.
const labelsFile = "labels.npy"

// arrayLayout reads the layout of CIFAR-10-C: for each corruption an array [5*images, height,
// width, 3], the test images in their order at severity 1, then at severity 2, and so on
// (CORRUPT.md B).
type arrayLayout struct {
	folder string
	labels []uint8 // of one severity
}

func newArrayLayout(folder string) (*arrayLayout, error) {
	path := filepath.Join(folder, labelsFile)
	all, err := readLabels(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w: get the folder again", err)
	}
	count := len(all) / severities
	sound := count > 0 && len(all)%severities == 0
	for severity := range severities {
		sound = sound && slices.Equal(all[severity*count:(severity+1)*count], all[:count])
	}
	if !sound {
		return nil, fmt.Errorf("dataset: %s holds %s labels that don't repeat the test images' "+
			"%d times: get the folder again",
			path, quantity.Thousands(len(all)), severities)
	}
	return &arrayLayout{folder, all[:count]}, nil
}

// readLabels reads a list of labels. Published labels are bytes; other people's are often eight
// bytes each.
func readLabels(path string) ([]uint8, error) {
	array, err := npy.ReadIntegers(path)
	if err != nil {
		return nil, err
	}
	labels := make([]uint8, len(array.Values))
	for i, label := range array.Values {
		if label < 0 || label > 255 || len(array.Shape) != 1 {
			return nil, fmt.Errorf("%s has label %d in place %d of %v: want 0 to 255 in one row",
				path, label, i, array.Shape)
		}
		labels[i] = uint8(label)
	}
	return labels, nil
}

func (l *arrayLayout) corruptions() []string {
	var names []string
	for _, file := range namesIn(l.folder, ".npy") {
		if file != labelsFile {
			names = append(names, strings.TrimSuffix(file, ".npy"))
		}
	}
	return names
}

// read reads the rows of one severity and no others.
func (l *arrayLayout) read(_ context.Context, corruption string, severity, count int) (Images,
	error) {
	path := filepath.Join(l.folder, corruption+".npy")
	total := len(l.labels)
	count = cmp.Or(count, total)
	if count > total {
		return Images{}, fmt.Errorf("dataset: %s images asked for, %s holds %s at each severity: "+
			"ask for fewer, or 0 for all",
			quantity.Thousands(count), path, quantity.Thousands(total))
	}
	first := (severity - 1) * total
	rows, err := npy.ReadRows[uint8](path, first, first+count, severities*total, -1, -1, channels)
	if err != nil {
		return Images{}, fmt.Errorf("dataset: %w: get the folder again", err)
	}
	return Images{Height: rows.Shape[1], Width: rows.Shape[2], Pixels: rows.Values,
		Labels: slices.Clone(l.labels[:count])}, nil
}

// pictureLayout reads the layout of Tiny-ImageNet-C: CORRUPTION/SEVERITY/CLASS/NAME.JPEG, with the
// same number of pictures in each class (CORRUPT.md B).
type pictureLayout struct {
	folders  []string // that are read together
	classIDs []string // by label; nil for alphabetical order
}

// newPictureLayout reads a folder and, if present next to it, the folder of the extra corruptions.
func newPictureLayout(folder string, classIDs []string) *pictureLayout {
	l := &pictureLayout{folders: []string{folder}, classIDs: slices.Clone(classIDs)}
	if extra := filepath.Clean(folder) + "-extra"; isThere(extra) {
		l.folders = append(l.folders, extra)
	}
	return l
}

func (l *pictureLayout) corruptions() []string {
	var names []string
	for _, folder := range l.folders {
		for _, name := range namesIn(folder, "") {
			if isThere(filepath.Join(folder, name, "1")) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// read decodes pictures class by class in turn: the first of each class, then the second of each,
// so that a part of them is balanced.
func (l *pictureLayout) read(ctx context.Context, corruption string, severity, count int) (Images,
	error) {
	folder := l.cell(corruption, severity)
	ids, err := l.classesIn(folder)
	if err != nil {
		return Images{}, err
	}
	pictures, err := picturesIn(folder, ids)
	if err != nil {
		return Images{}, err
	}
	if count > len(pictures) {
		return Images{}, fmt.Errorf("dataset: %s images asked for, %s holds %s: ask for fewer, "+
			"or 0 for all", quantity.Thousands(count), folder, quantity.Thousands(len(pictures)))
	}
	if count > 0 {
		pictures = pictures[:count]
	}
	return readPictures(ctx, pictures, tinySide)
}

func (l *pictureLayout) cell(corruption string, severity int) string {
	for _, folder := range l.folders {
		if path := filepath.Join(folder, corruption, strconv.Itoa(severity)); isThere(path) {
			return path
		}
	}
	return filepath.Join(l.folders[0], corruption, strconv.Itoa(severity))
}

// classesIn returns the classes by label and refuses a folder with others. The original
// Tiny-ImageNet-C has a thousand classes in frost instead of 200.
func (l *pictureLayout) classesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w: get the folder again", err)
	}
	var have []string
	for _, entry := range entries {
		if entry.IsDir() && isClassID(entry.Name()) {
			have = append(have, entry.Name())
		}
	}
	ids := l.classIDs
	if ids == nil {
		ids = have
	}
	want := slices.Sorted(slices.Values(ids))
	if len(ids) > 256 || len(ids) == 0 || !slices.Equal(have, want) {
		return nil, fmt.Errorf("dataset: %s has %s classes, not the %d of the data set: the "+
			"original archive is wrong in frost, `nbbnn data get tinyimagenet-c` fetches the "+
			"repaired one",
			folder, quantity.Thousands(len(have)), len(l.classIDs))
	}
	return ids, nil
}

// picturesIn lists the pictures of a cell, as many of each class.
func picturesIn(folder string, ids []string) ([]picture, error) {
	classes := make([][]string, len(ids))
	for label, id := range ids {
		names := namesIn(filepath.Join(folder, id), ".JPEG")
		classes[label] = names
		if len(names) != len(classes[0]) || len(names) == 0 {
			return nil, fmt.Errorf("dataset: %s holds %d pictures, %s holds %d: unpack the "+
				"archive again",
				filepath.Join(folder, id), len(names), filepath.Join(folder, ids[0]),
				len(classes[0]))
		}
	}
	var pictures []picture
	for k := range classes[0] {
		for label := range ids {
			pictures = append(pictures,
				picture{filepath.Join(folder, ids[label], classes[label][k]), uint8(label)})
		}
	}
	return pictures, nil
}

// namesIn lists the names in a folder with an ending, in alphabetical order; nothing if it's
// unreadable.
func namesIn(folder, ending string) (names []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ending) {
			names = append(names, entry.Name())
		}
	}
	return names
}
