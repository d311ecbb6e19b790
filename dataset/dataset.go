// Package dataset provides the images that the workbench trains and tests on, as bytes in memory.
//
// "shapes10" is drawn by this package from a seed and needs no file: ten classes of coloured shapes
// over textured backgrounds, the default everywhere. "shapes10-bright" has the same scenes in
// brighter and stronger colours, which corruptions of contrast change visibly. "pinwheel" are
// points in the plane, three bent arms, each an image of one pixel, for pictures of small networks.
// "cifar10", "cifar100" and "tinyimagenet" are read from the official files, CIFAR from its binary
// or its Python version; `nbbnn data get` downloads, checks and unpacks them. OpenCorrupted reads
// their published corrupted versions, CIFAR-10-C, CIFAR-100-C and Tiny-ImageNet-C.
//
//	data, err := dataset.Open(ctx, dataset.Config{Name: "shapes10", TrainCount: 2000})
//	if err != nil {
//		return err
//	}
//	fmt.Println(data.Train.Count(), data.Classes[data.Train.Labels[0]])
//
// Images are [count, height, width, 3], one byte a channel, red first, and image i is always the
// same image however many are asked for.
package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/shapes10"
)

// Names of the built-in data sets.
const (
	Shapes10       = "shapes10"
	Shapes10Bright = "shapes10-bright"
	CIFAR10        = "cifar10"
	CIFAR100       = "cifar100"
	TinyImageNet   = "tinyimagenet"
	Pinwheel       = "pinwheel" // points in the plane, as images of one pixel
)

// builtIn is a data set of this program.
type builtIn struct {
	name string
	size Size
	most int // images of a generated split; 0 means size
	open func(context.Context, Config) (*Dataset, error)
}

var builtIns = []builtIn{
	{Shapes10, shapesSize, shapes10.Limit, openShapes10},
	{Shapes10Bright, shapesSize, shapes10.Limit, openShapes10},
	{CIFAR10, cifar10.size(), 0, cifar10.open},
	{CIFAR100, cifar100.size(), 0, cifar100.open},
	{TinyImageNet, Size{tinyClasses * tinyPerClass, tinyTest, tinySide, tinySide, tinyClasses}, 0,
		openTinyImageNet},
	{Pinwheel, Size{pinwheelTrain, pinwheelTest, 1, 1, pinwheelArms}, pinwheelLimit, openPinwheel},
}

var shapesSize = Size{shapes10.TrainCount, shapes10.TestCount, shapes10.Side, shapes10.Side,
	len(shapes10.Classes())}

// builtInSet returns the data set of a name, or the zero value for another name. "" is the default.
func builtInSet(name string) (found builtIn) {
	for _, set := range builtIns {
		if set.name == cmp.Or(name, Shapes10) {
			found = set
		}
	}
	return found
}

// Names returns the names of the built-in data sets, the default first. Added lists the users' own.
func Names() []string {
	return quantity.Texts(builtIns, func(set builtIn) string { return set.name })
}

// Dataset is a labelled training set and test set of images of one size.
type Dataset struct {
	Name        string   // one of Names
	Classes     []string // name of each class, by label
	ClassIDs    []string // WordNet identifier of each class, by label; nil for sets without
	Train, Test Images   // both splits, in their fixed order
	// mean and standard deviation of each channel of the training set, of values in 0..1
	Mean, Std [3]float64
	// SHA-256, in hexadecimal, of the name and of the pixels and labels of both splits
	Hash   string
	Source string // where the images came from, in words
}

// Config selects a data set and how much of it to open. The zero value is all of Shapes10 with seed
// 0.
type Config struct {
	Name      string // one of Names or Added; "" means "shapes10"
	Directory string // of files; "" means $NBBNN_DATA or the folder nbbnn of the user's cache
	// first training images to take; 0 means all, for both editions of Shapes10 their standard
	// 4,000
	TrainCount int
	TrainFirst int // place of the first training image that is taken, from 0
	// first test images to take; 0 means all, for both editions of Shapes10 their standard 1,000
	TestCount int
	Seed      uint64 // of the drawing of Shapes10; unused by the others
	Content   string // that an added set must have, as Manifest.Content; "" accepts any
}

// Open returns the data set that the config names. It stops early with the context's error when
// that is cancelled.
func Open(ctx context.Context, config Config) (*Dataset, error) {
	if config.TrainCount < 0 || config.TestCount < 0 || config.TrainFirst < 0 {
		return nil, fmt.Errorf("dataset: %d training images from place %d and %d test images "+
			"asked for: give 0 for all, or a positive number", config.TrainCount,
			config.TrainFirst, config.TestCount)
	}
	if err := config.Check(); err != nil {
		return nil, err
	}
	open := openAdded
	if set := builtInSet(config.Name); set.open != nil {
		open = set.open
	}
	whole := config
	if config.TrainFirst > 0 {
		whole.TrainCount = config.Size().Train + config.TrainFirst
	}
	data, err := open(ctx, whole)
	if err != nil {
		return nil, err
	}
	if config.TrainFirst > 0 {
		data.Train, data.Hash = data.Train.Slice(config.TrainFirst, data.Train.Count()), ""
	}
	data.Hash = cmp.Or(data.Hash, data.hash())
	return data, nil
}

// Check returns an error if there is no data set with the config's name, or if more images are
// asked for than it can have, without opening any. Open calls it.
func (c Config) Check() error { return cmp.Or(c.checkName(), c.checkCounts()) }

func (c Config) checkName() error {
	if builtInSet(c.Name).open != nil {
		return nil
	}
	_, err := ReadManifest(c.Directory, c.Name)
	if isUnknown(err) && c.Content != "" {
		return fmt.Errorf("dataset: the images of %q that are asked for, content %.12s, aren't "+
			"here: they were removed, or are in another directory of data sets; "+
			"`nbbnn data add %[1]s FOLDER` adds them again", c.Name, c.Content)
	}
	if isUnknown(err) {
		names := Names()
		added, _ := Added(c.Directory) // none if they can't be read
		for _, set := range added {
			names = append(names, set.Name)
		}
		return fmt.Errorf("dataset: unknown data set %q%s: known are %s; "+
			"`nbbnn data add NAME FOLDER` adds your own images",
			c.Name, nearest.Hint(c.Name, names), strings.Join(names, ", "))
	}
	return err
}

// hash returns the SHA-256 of the name and both splits, with the number of images before each
// split.
func (d *Dataset) hash() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n", d.Name)
	for _, split := range []Images{d.Train, d.Test} {
		fmt.Fprintf(sum, "%d %d %d\n", split.Count(), split.Height, split.Width)
		sum.Write(split.Pixels)
		sum.Write(split.Labels)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// channels of a pixel: red, green and blue.
const channels = 3

// stopped returns an error if a context has ended before something was read.
func stopped(ctx context.Context, what string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("dataset: stopped reading %s: %w", what, err)
	}
	return nil
}

// Images is a batch of labelled colour images of one size.
type Images struct {
	Height, Width int     // of each image, in pixels
	Pixels        []uint8 // [count, height, width, 3], RGB
	Labels        []uint8 // [count], indices of classes
}

// newImages returns count black images with label 0.
func newImages(count, height, width int) Images {
	return Images{
		Height: height,
		Width:  width,
		Pixels: make([]uint8, count*height*width*channels),
		Labels: make([]uint8, count),
	}
}

// Count returns the number of images.
func (i Images) Count() int { return len(i.Labels) }

func (i Images) shape() []int { return []int{i.Count(), i.Height, i.Width, channels} }

// Slice returns the images from index from up to, not including, index to. They share memory with
// i.
func (i Images) Slice(from, to int) Images {
	size := i.Height * i.Width * channels
	i.Pixels = i.Pixels[from*size : to*size : to*size]
	i.Labels = i.Labels[from:to:to]
	return i
}

// Labelled returns images that have labels: if there are none, 0 for each. It returns an error
// unless there is an image, and as many bytes as the shape says.
func (i Images) Labelled() (Images, error) {
	size := i.Height * i.Width * channels
	if i.Labels == nil && size > 0 {
		i.Labels = make([]uint8, len(i.Pixels)/size)
	}
	if count := i.Count(); min(i.Height, i.Width, count) < 1 || len(i.Pixels) != count*size {
		return i, fmt.Errorf("dataset: %d bytes of pixels aren't %d images of %d x %d pixels in "+
			"RGB: give count x height x width x 3 bytes, of one image or more",
			len(i.Pixels), count, i.Height, i.Width)
	}
	return i, nil
}

// Size counts images and classes.
type Size struct {
	Train, Test   int // images
	Height, Width int // of each, in pixels
	Classes       int
}

// Size returns the size of what Open would return, without opening any image. It is zero for
// an unknown name, and for an added set whose content differs from the config's.
func (c Config) Size() Size {
	size := c.wholeSize()
	size.Train = cmp.Or(c.TrainCount, max(0, size.Train-c.TrainFirst))
	size.Test = cmp.Or(c.TestCount, size.Test)
	return size
}

func (c Config) checkCounts() error {
	limit := c.wholeSize()
	if limit == (Size{}) {
		return nil // of an unknown set
	}
	if most := builtInSet(c.Name).most; most > 0 {
		limit.Train, limit.Test = most, most
	}
	if first := c.TrainFirst; first > 0 && first > limit.Train-max(1, c.TrainCount) {
		return fmt.Errorf("dataset: %s training images of %s from place %s asked for, it has at "+
			"most %s: ask for fewer, or begin earlier", quantity.Thousands(max(1, c.TrainCount)),
			cmp.Or(c.Name, Shapes10), quantity.Thousands(first), quantity.Thousands(limit.Train))
	}
	for _, of := range []struct {
		kind        string
		asked, most int
	}{{"training", c.TrainCount, limit.Train}, {"test", c.TestCount, limit.Test}} {
		if of.asked > of.most {
			return fmt.Errorf("dataset: %s %s images of %s asked for, it has at most %s: ask for "+
				"fewer, or 0 for its standard number", quantity.Thousands(of.asked), of.kind,
				cmp.Or(c.Name, Shapes10), quantity.Thousands(of.most))
		}
	}
	return nil
}

// wholeSize returns the size of the set with all its images.
func (c Config) wholeSize() Size {
	if set := builtInSet(c.Name); set.open != nil {
		return set.size
	}
	if m, err := ReadManifest(c.Directory, c.Name); err == nil &&
		cmp.Or(c.Content, m.Content()) == m.Content() {
		return m.Size()
	}
	return Size{}
}

// size counts the records of the preferred version.
func (s cifarSet) size() Size {
	version := s.versions[0]
	return Size{records(version.train), records(version.test), cifarSide, cifarSide,
		len(s.classes)}
}

func records(files []cifarFile) (count int) {
	for _, file := range files {
		count += file.records
	}
	return count
}
