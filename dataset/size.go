package dataset

import "cmp"

// Size is how much a data set holds.
type Size struct {
	Train, Test int // images
	Side        int // of the square images, in pixels
	Classes     int
}

// Size is what Open returns for the config, known without opening anything. The zero value stands for an unknown name.
func (c Config) Size() Size {
	size := c.wholeSize()
	size.Train, size.Test = cmp.Or(c.TrainCount, size.Train), cmp.Or(c.TestCount, size.Test)
	return size
}

// wholeSize is that of all images.
func (c Config) wholeSize() Size {
	switch c.Name {
	case "", Shapes10:
		return Size{shapesTrainCount, shapesTestCount, side, len(shapeClasses)}
	case CIFAR10:
		return cifar10.size()
	case CIFAR100:
		return cifar100.size()
	case TinyImageNet:
		return Size{tinyClasses * tinyPerClass, tinyTest, tinySide, tinyClasses}
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
