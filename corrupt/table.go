package corrupt

import (
	"fmt"

	"github.com/nbbnn/workbench/internal/nearest"
)

// Table names a set of parameters: the reference chose one for each size of images.
type Table int

// The parameter tables of the reference.
const (
	CIFAR    Table = iota // 32x32 images: CIFAR-10-C and CIFAR-100-C
	Tiny                  // 64x64 images: Tiny-ImageNet-C
	ImageNet              // 224x224 images: ImageNet-C
)

// tableNames are the names of the tables in flags and files.
var tableNames = []string{CIFAR: "cifar", Tiny: "tiny", ImageNet: "imagenet"}

// TableFor returns the table whose images are the nearest in size: CIFAR up to 48 pixels on the
// longer side, Tiny up to 128, else ImageNet.
func TableFor(size Size) Table {
	switch side := max(size.Height, size.Width); {
	case side <= 48:
		return CIFAR
	case side <= 128:
		return Tiny
	}
	return ImageNet
}

// TableByName finds a table by its name: cifar, tiny or imagenet.
func TableByName(name string) (Table, error) {
	for table, known := range tableNames {
		if name == known {
			return Table(table), nil
		}
	}
	return 0, fmt.Errorf("corrupt: unknown parameter table %q%s: want cifar, tiny or imagenet", name, nearest.Hint(name, tableNames))
}

// String is the table's name.
func (t Table) String() string {
	if t < CIFAR || t > ImageNet {
		return fmt.Sprintf("table %d", int(t))
	}
	return tableNames[t]
}
