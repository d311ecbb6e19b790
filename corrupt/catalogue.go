package corrupt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/nearest"
)

// levels holds the parameters of a corruption, [table][severity-1].
type levels[P any] [3][5]P

func (l *levels[P]) at(setup setup) P { return l[setup.table][setup.severity-1] }

// setup holds the settings of an operator.
type setup struct {
	table    Table
	severity int // 1 to 5
	size     Size
	textures []*texture // of frost, nil for all others
}

// operator is a corruption at one severity for images of one size. It owns its tables and buffers
// and serves one goroutine. Images are RGB bytes [height, width, 3].
type operator interface {
	// draw fills draws with the random numbers that apply needs.
	draw(rng *rand.Rand, image []uint8, draws *draws)
	// apply writes the corrupted image to out, which doesn't overlap image.
	apply(image []uint8, draws *draws, out []uint8)
}

// entry is a corruption's name and the function that makes its operator.
type entry struct {
	name        string
	build       func(setup setup) operator
	stream      uint64 // selects its random numbers
	fingerprint string // of a registered corruption, "" for the nineteen
}

// benchmark is the number of corruptions of the benchmark, the first of the registry.
const benchmark = 19

// registry holds all corruptions: the benchmark's first, in the reference's order of 15 and then 4
// extra ones (CORRUPT.md 0.1), whose streams never change, then Register's. Its lock guards suites,
// too.
var registry = struct {
	sync.RWMutex
	corruptions []entry
}{
	corruptions: []entry{
		{"gaussian_noise", newGaussianNoise, 0, ""},
		{"shot_noise", newShotNoise, 1, ""},
		{"impulse_noise", newImpulseNoise, 2, ""},
		{"defocus_blur", newDefocusBlur, 3, ""},
		{"glass_blur", newGlassBlur, 4, ""},
		{"motion_blur", newMotionBlur, 5, ""},
		{"zoom_blur", newZoomBlur, 6, ""},
		{"snow", newSnow, 7, ""},
		{"frost", newFrost, 8, ""},
		{"fog", newFog, 9, ""},
		{"brightness", newBrightness, 10, ""},
		{"contrast", newContrast, 11, ""},
		{"elastic_transform", newElasticTransform, 12, ""},
		{"pixelate", newPixelate, 13, ""},
		{"jpeg_compression", newJPEGCompression, 14, ""},
		{"speckle_noise", newSpeckleNoise, 15, ""},
		{"gaussian_blur", newGaussianBlur, 16, ""},
		{"spatter", newSpatter, 17, ""},
		{"saturate", newSaturate, 18, ""},
	},
}

// Names lists the nineteen corruptions of the benchmark in the reference's order, then those that
// Register has added, of the suite cbar10 first.
func Names() (names []string) {
	registry.RLock()
	defer registry.RUnlock()
	for _, entry := range registry.corruptions {
		names = append(names, entry.name)
	}
	return names
}

// find returns a corruption by its name.
func find(name string) (entry, error) {
	registry.RLock()
	defer registry.RUnlock()
	var names []string
	for _, entry := range registry.corruptions {
		if entry.name == name {
			return entry, nil
		}
		names = append(names, entry.name)
	}
	return entry{}, fmt.Errorf("corrupt: unknown corruption %q%s: want one of %s; one of "+
		"your own is in your program", name, nearest.Hint(name, names), strings.Join(names, ", "))
}
