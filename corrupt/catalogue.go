package corrupt

import "math/rand/v2"

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
	stream      uint64 // selects its random numbers, see find
	fingerprint string // of a registered corruption, "" for the nineteen
}

// catalogue lists the corruptions in the reference's order: the 15 of the benchmark, then the 4
// extra ones (CORRUPT.md 0.1). The position of a corruption selects its random stream, so it never
// changes.
var catalogue = [...]entry{
	{name: "gaussian_noise", build: newGaussianNoise},
	{name: "shot_noise", build: newShotNoise},
	{name: "impulse_noise", build: newImpulseNoise},
	{name: "defocus_blur", build: newDefocusBlur},
	{name: "glass_blur", build: newGlassBlur},
	{name: "motion_blur", build: newMotionBlur},
	{name: "zoom_blur", build: newZoomBlur},
	{name: "snow", build: newSnow},
	{name: "frost", build: newFrost},
	{name: "fog", build: newFog},
	{name: "brightness", build: newBrightness},
	{name: "contrast", build: newContrast},
	{name: "elastic_transform", build: newElasticTransform},
	{name: "pixelate", build: newPixelate},
	{name: "jpeg_compression", build: newJPEGCompression},
	{name: "speckle_noise", build: newSpeckleNoise},
	{name: "gaussian_blur", build: newGaussianBlur},
	{name: "spatter", build: newSpatter},
	{name: "saturate", build: newSaturate},
}

// Names lists the nineteen corruptions of the benchmark in the reference's order. Registered lists
// the others.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, entry := range catalogue {
		names[i] = entry.name
	}
	return names
}
