package folder

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/npy"
)

// The files of a part that is given as arrays, after its prefix.
const (
	imagesFile  = "images.npy"
	labelsFile  = "labels.npy"
	classesFile = "classes.txt" // a name on each line, without a prefix
)

// listArrays lists the rows of an array of images.
func (f *found) listArrays(p place, known []string) (classes []string, items []item, err error) {
	path := filepath.Join(p.folder, p.prefix+imagesFile)
	if f.alphabetical && known == nil {
		return nil, nil, fmt.Errorf("folder: %s has labels, and --alphabetical orders folders: "+
			"leave it out", path)
	}
	images, err := f.readImages(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: save the arrays as images and labels, or as "+
			"train_images, train_labels, test_images and test_labels", err)
	} else if err != nil {
		return nil, nil, err
	}
	shape := images.Shape
	if len(shape) == 4 && shape[3] == 1 {
		images.Shape = shape[:3]
	} else if len(shape) != 3 && (len(shape) != 4 || shape[3] != 3) {
		return nil, nil, fmt.Errorf("folder: %s has shape %v: want [count height width 3], or "+
			"[count height width] for grey images%s", path, shape, shapeCure(shape))
	}
	labels, err := readLabels(filepath.Join(p.folder, p.prefix+labelsFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: save a label for each image in it", err)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(labels) != shape[0] {
		return nil, nil, fmt.Errorf("folder: %s has %d images, but there are %d labels: give a "+
			"label for each image", path, shape[0], len(labels))
	}
	if classes, err = arrayClasses(p.folder, known, labels); err != nil {
		return nil, nil, err
	}
	if len(labels) > 0 && slices.Min(labels) == 1 &&
		(known == nil || int(slices.Max(labels)) == len(classes)) {
		return nil, nil, fmt.Errorf("folder: the labels of %s begin at 1: save labels - 1, since "+
			"the first class has label 0",
			filepath.Join(p.folder, p.prefix+labelsFile))
	}
	for i, label := range labels {
		if label < 0 || int(label) >= len(classes) {
			return nil, nil, fmt.Errorf("folder: %s has label %d at index %d: want 0 to %d, one "+
				"of %d classes",
				filepath.Join(p.folder, p.prefix+labelsFile), label, i, len(classes)-1,
				len(classes))
		}
		items = append(items, item{label: uint8(label), name: fmt.Sprintf("%s[%d]", path, i),
			load: func() (photo, error) {
				return rowPicture(images.At(i)), nil
			}})
	}
	slices.SortStableFunc(items, func(a, b item) int { return int(a.label) - int(b.label) })
	return classes, items, nil
}

// shapeCure describes how to convert images of a common other shape, "" for unusual ones.
func shapeCure(shape []int) string {
	switch {
	case len(shape) == 4 && (shape[1] == 1 || shape[1] == 3):
		return ": the channels are in front: save images.transpose(0, 2, 3, 1)"
	case len(shape) == 4 && shape[1] == 4:
		return ": save images[:, :3].transpose(0, 2, 3, 1), without transparency and with the " +
			"channels behind"
	case len(shape) == 4 && shape[3] == 4:
		return ": save images[..., :3], without transparency"
	case len(shape) == 2:
		return ": the rows are flat: save images.reshape(-1, height, width), or (-1, height, " +
			"width, 3) in colour"
	}
	return ""
}

// readImages reads an array of bytes, or of floating-point numbers, which it rounds to bytes.
func (f *found) readImages(path string) (images npy.Array[uint8], err error) {
	images, err = npy.ReadFile[uint8](path)
	var wrongType *npy.TypeError
	if !errors.As(err, &wrongType) {
		if err != nil {
			err = fmt.Errorf("folder: %w", err)
		}
		return images, err
	}
	switch wrongType.Type {
	case npy.TypeOf[npy.Half]():
		return rounded(f, path, func(v npy.Half) float64 { return float64(v.Float32()) })
	case npy.TypeOf[float32]():
		return rounded(f, path, func(v float32) float64 { return float64(v) })
	case npy.TypeOf[float64]():
		return rounded(f, path, func(v float64) float64 { return v })
	}
	if isObject(wrongType) {
		return images, fmt.Errorf("folder: %w: save numbers, with numpy.stack(images) for images "+
			"of one size", err)
	}
	return images, fmt.Errorf("folder: %w: save images as floating-point numbers from 0 to 1, of "+
		"16 bits for example with (images / 65535).astype(numpy.float32)", err)
}

// isObject reports whether elements are text or other objects of Python.
func isObject(e *npy.TypeError) bool { return strings.ContainsAny(e.Type, "OSU") }

// rounded reads floating-point numbers as bytes and notes it; numbers from 0 to 1 are first
// multiplied by 255.
func rounded[T npy.Number](f *found, path string, value func(T) float64) (images npy.Array[uint8],
	err error) {
	numbers, err := npy.ReadFile[T](path)
	if err != nil {
		return images, fmt.Errorf("folder: %w", err)
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, number := range numbers.Values {
		least, most = min(least, value(number)), max(most, value(number))
	}
	switch {
	case len(numbers.Values) > 0 && (math.IsNaN(most-least) || math.IsInf(most-least, 0)):
		return images, fmt.Errorf("folder: %s has values that aren't numbers or infinite ones: "+
			"replace them, as with numpy.nan_to_num(images, posinf=0, neginf=0)", path)
	case least >= -0.5 && most <= 1.5 && (least < 0 || most > 1):
		return images, fmt.Errorf("folder: %s has the values %.9g to %.9g: save "+
			"numpy.clip(images, 0, 1)", path, least, most)
	case least < 0:
		return images, fmt.Errorf("folder: %s has the values %.4g to %.4g: undo their "+
			"normalisation, so that they are 0 to 1 or 0 to 255", path, least, most)
	case most > 255:
		return images, fmt.Errorf("folder: %s has the values %.4g to %.4g: divide them by the "+
			"largest that they can have, 65535 for 16 bits, so that they are 0 to 1", path, least,
			most)
	}
	factor, note := 1.0, "the values of %s are 0 to 255: rounded to bytes"
	if most <= 1 {
		factor, note = 255, "the values of %s are 0 to 1: multiplied by 255 and rounded to bytes"
	}
	f.notes = append(f.notes, fmt.Sprintf(note, filepath.Base(path)))
	images = npy.Array[uint8]{Shape: numbers.Shape, Values: make([]uint8, len(numbers.Values))}
	for i, number := range numbers.Values {
		images.Values[i] = uint8(math.RoundToEven(factor * value(number)))
	}
	return images, nil
}

// readLabels reads a list of integers of any common type.
func readLabels(path string) (labels []int64, err error) {
	array, err := npy.ReadIntegers(path)
	shape, wrongType := array.Shape, (*npy.TypeError)(nil)
	if errors.As(err, &wrongType) {
		shape = wrongType.Shape
	}
	switch {
	case err != nil && wrongType == nil:
		return nil, fmt.Errorf("folder: %w", err)
	case wrongType != nil && isObject(wrongType):
		return nil, fmt.Errorf("folder: %w: save the numbers numpy.unique(labels, "+
			"return_inverse=True)[1], and the names in %s", err, classesFile)
	case len(shape) == 2 && shape[1] > 1:
		return nil, fmt.Errorf("folder: %s has shape %v: want [count]: save "+
			"labels.argmax(axis=1) of a column for each class", path, shape)
	case len(shape) != 1 && len(shape) != 2: // [count, 1] is MedMNIST's
		return nil, fmt.Errorf("folder: %s has shape %v: want [count], a label for each image",
			path, shape)
	case wrongType != nil:
		return nil, fmt.Errorf("folder: %w: save labels as integers, with "+
			"labels.astype(numpy.int64)", err)
	}
	return array.Values, nil
}

// arrayClasses returns the known classes, or classes.txt, or a number for each label.
func arrayClasses(folder string, known []string, labels []int64) ([]string, error) {
	if known != nil {
		return known, nil
	}
	path := filepath.Join(folder, classesFile)
	if npy.IsArchive(folder) {
		path = filepath.Join(filepath.Dir(folder), classesFile)
	}
	if data, err := files.ReadFile(path); err == nil {
		if !utf8.Valid(data) {
			return nil, fmt.Errorf("folder: %s isn't UTF-8: save it in that encoding", path)
		}
		text := strings.TrimPrefix(string(data), "\ufeff") // which editors on Windows put in front
		return strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' }), nil
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(labels)))
	count := len(distinct)
	// labels from 1 on leave class 0 without images
	if count < dataset.MinClasses || count > dataset.MaxClasses || distinct[0] < 0 ||
		distinct[0] > 1 || distinct[count-1]-distinct[0] >= int64(count) {
		return nil, fmt.Errorf("folder: the labels of %s are %v: want 0 to the number of classes "+
			"minus 1, for %d to %d classes; numpy.unique(labels, return_inverse=True)[1] fits",
			folder, distinct[:min(count, mostListed)], dataset.MinClasses, dataset.MaxClasses)
	}
	classes := make([]string, distinct[count-1]+1)
	for i := range classes {
		classes[i] = strconv.Itoa(i)
	}
	return classes, nil
}

// rowPicture returns one image of an array, [height, width] or [height, width, 3].
func rowPicture(row npy.Array[uint8]) photo {
	bounds := image.Rect(0, 0, row.Shape[1], row.Shape[0])
	if len(row.Shape) == 2 {
		return photo{orientation: 1, image: &image.Gray{Pix: row.Values, Stride: bounds.Dx(),
			Rect: bounds}, size: bounds.Size()}
	}
	colour := image.NewNRGBA(bounds)
	for i := range bounds.Dx() * bounds.Dy() {
		copy(colour.Pix[4*i:], row.Values[3*i:3*i+3])
		colour.Pix[4*i+3] = 255
	}
	return photo{orientation: 1, image: colour, size: bounds.Size()}
}
