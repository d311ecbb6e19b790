package dataset

import (
	"cmp"
	"fmt"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/shapes10"
)

// Size is how much a data set holds.
type Size struct {
	Train, Test int // images
	Side        int // of the square images, in pixels
	Classes     int
}

// Size returns how much Open would return for the config, without opening any image. It is zero for
// an unknown name, and for an added set whose content isn't that of the config.
func (c Config) Size() Size {
	size := c.wholeSize()
	size.Train, size.Test = cmp.Or(c.TrainCount, size.Train), cmp.Or(c.TestCount, size.Test)
	return size
}

// CheckCounts returns an error where more images are asked for than the data set can have, known
// without opening anything.
func (c Config) CheckCounts() error {
	limit := c.wholeSize()
	if shapesNamed(c.Name) != nil {
		limit.Train, limit.Test = shapes10.Limit, shapes10.Limit // as many are drawn as one likes
	}
	if c.Name == Pinwheel {
		limit.Train, limit.Test = pinwheelLimit, pinwheelLimit
	}
	if c.TrainCount > limit.Train || c.TestCount > limit.Test {
		return fmt.Errorf("dataset: %s training and %s test images of %s asked for, it has at most %s and %s: ask for fewer, or 0 for its standard number",
			quantity.Thousands(float64(c.TrainCount)), quantity.Thousands(float64(c.TestCount)), cmp.Or(c.Name, Shapes10), quantity.Thousands(float64(limit.Train)), quantity.Thousands(float64(limit.Test)))
	}
	return nil
}

// wholeSize returns the size of the set with all its images.
func (c Config) wholeSize() Size {
	if shapesNamed(c.Name) != nil {
		return Size{shapes10.TrainCount, shapes10.TestCount, shapes10.Side, len(shapes10.Classes())}
	}
	switch c.Name {
	case CIFAR10:
		return cifar10.size()
	case CIFAR100:
		return cifar100.size()
	case TinyImageNet:
		return Size{tinyClasses * tinyPerClass, tinyTest, tinySide, tinyClasses}
	case Pinwheel:
		return Size{pinwheelTrain, pinwheelTest, 1, pinwheelArms}
	}
	if m, err := ReadManifest(c.Directory, c.Name); err == nil && cmp.Or(c.Content, m.Content()) == m.Content() {
		return m.Size()
	}
	return Size{}
}

// size counts the records of the preferred version.
func (s cifarSet) size() Size {
	version := s.versions[0]
	return Size{records(version.train), records(version.test), cifarSide, len(s.classes)}
}

// records counts the images in files.
func records(files []cifarFile) (count int) {
	for _, file := range files {
		count += file.records
	}
	return count
}
