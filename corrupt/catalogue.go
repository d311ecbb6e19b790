package corrupt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
)

// levels holds the parameters of a corruption, [table][severity-1].
type levels[P any] [3][5]P

// at returns the parameters of one table and severity.
func (l *levels[P]) at(setup setup) P { return l[setup.table][setup.severity-1] }

// setup is what an operator is made for.
type setup struct {
	table    Table
	severity int // 1 to 5
	size     Size
	textures []*texture // of frost, nil for all others
}

// operator is a corruption at one severity for images of one size. It owns its tables and buffers and serves one
// goroutine. Images are RGB bytes [height, width, 3].
type operator interface {
	// draw fills draws with the random numbers that apply needs.
	draw(rng *rand.Rand, image []uint8, draws *draws)
	// apply writes the corrupted image to out, which doesn't overlap image.
	apply(image []uint8, draws *draws, out []uint8)
}

// entry is a corruption's name and what makes an operator of it.
type entry struct {
	name  string
	build func(setup setup) operator
}

// catalogue lists the corruptions in the reference's order: the 15 of the benchmark, then the 4 extra ones (CORRUPT.md 0.1).
// The position of a corruption selects its random stream, so it never changes.
var catalogue = [...]entry{
	{"gaussian_noise", newGaussianNoise},
	{"shot_noise", newShotNoise},
	{"impulse_noise", newImpulseNoise},
	{"defocus_blur", newDefocusBlur},
	{"glass_blur", newGlassBlur},
	{"motion_blur", newMotionBlur},
	{"zoom_blur", newZoomBlur},
	{"snow", newSnow},
	{"frost", newFrost},
	{"fog", newFog},
	{"brightness", newBrightness},
	{"contrast", newContrast},
	{"elastic_transform", newElasticTransform},
	{"pixelate", newPixelate},
	{"jpeg_compression", newJPEGCompression},
	{"speckle_noise", newSpeckleNoise},
	{"gaussian_blur", newGaussianBlur},
	{"spatter", newSpatter},
	{"saturate", newSaturate},
}

// Names lists the corruptions in the reference's order.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, entry := range catalogue {
		names[i] = entry.name
	}
	return names
}

// position finds a corruption in the catalogue.
func position(name string) (int, error) {
	if i := slices.Index(Names(), name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("corrupt: unknown corruption %q%s: want one of %s",
		name, nearest.Hint(name, Names()), strings.Join(Names(), ", "))
}
