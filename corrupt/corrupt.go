// Package corrupt makes the common corruptions of Hendrycks and Dietterich (2019): noise, blur,
// weather and digital damage at five severities, as in CIFAR-10-C, Tiny-ImageNet-C and ImageNet-C.
//
//	config := corrupt.Config{Corruption: "gaussian_noise", Severity: 3, Seed: 1}
//	noisy, err := corrupt.Apply(ctx, config, corrupt.Size{Height: 32, Width: 32}, pixels)
//
// The reference is their code, hendrycks/robustness on GitHub. A corruption first draws its random
// numbers and then applies them. Given the same draws, the pixels equal the reference's bit for bit
// (CORRUPT.md 5). Each combination of corruption, severity and image has its own random stream, so
// the result depends neither on the number of cores nor on the other images. METHOD.md and
// CORRUPT.md are in docs/spec of the repository.
//
// [Register] adds corruptions of your own, and [RegisterSuite] lists of them. The ten of
// CIFAR-10-C-bar (Mintun et al., 2021) are registered here, as the suite cbar10.
package corrupt

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nbbnn/workbench/internal/parallel"
)

// Config holds the settings of a corruption.
type Config struct {
	Corruption string // one of Names
	Severity   int    // 1 (mild) to 5 (severe)
	Seed       uint64 // of the random draws; any number, 0 included
	// position of the first image in its data set: a part gets the draws it has in the whole set
	First int
	Table Table // whose parameters; the zero value is CIFAR
	// folder with the reference's frost1.png to frost5.jpg; "" means textures of our own
	Textures string
}

// Label names the corruption in tables and cards. Frost with textures of our own is "frost
// (procedural)", because its results differ from the published sets'.
func (c Config) Label() string {
	if c.Corruption == "frost" && c.Textures == "" {
		return "frost (procedural)"
	}
	return c.Corruption
}

// Size is the height and width of an image in pixels.
type Size struct{ Height, Width int }

// maxSide is the largest height and width of an image.
const maxSide = 1 << 14

// Values returns the number of bytes of an RGB image.
func (s Size) Values() int { return s.Height * s.Width * 3 }

// String is height x width.
func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Height, s.Width) }

// Apply returns corrupted copies of the images in pixels, [count, height, width, 3] RGB. Image
// First+i always gets the same draws for the same corruption, severity and seed. Cancelling the
// context stops between two images. An error of a registered corruption names the first image that
// it fails for.
func Apply(ctx context.Context, config Config, size Size, pixels []uint8) ([]uint8, error) {
	generator, err := newGenerator(config, size)
	if err != nil {
		return nil, err
	}
	values := size.Values()
	if len(pixels)%values != 0 {
		return nil, fmt.Errorf("corrupt: %d bytes are no whole number of %v RGB images: want a "+
			"multiple of %d", len(pixels), size, values)
	}
	out, errs := make([]uint8, len(pixels)), make([]error, len(pixels)/values)
	parallel.OnCores(len(errs), func(i int) {
		from, to := i*values, (i+1)*values
		errs[i] = generator.one(ctx, config.First+i, pixels[from:to], out[from:to])
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

func (c Config) validate(size Size) (entry, error) {
	found, err := find(c.Corruption)
	switch {
	case err != nil:
		return entry{}, err
	case c.Severity < 1 || c.Severity > 5:
		return entry{}, fmt.Errorf("corrupt: severity %d: want 1 (mild) to 5 (severe)", c.Severity)
	case c.Table < CIFAR || c.Table > ImageNet:
		return entry{}, fmt.Errorf("corrupt: unknown parameter table %d: want CIFAR, Tiny or "+
			"ImageNet", c.Table)
	case c.First < 0:
		return entry{}, fmt.Errorf("corrupt: first image %d: want 0 or more", c.First)
	case size.Height < 1 || size.Width < 1 || size.Height > maxSide || size.Width > maxSide:
		return entry{}, fmt.Errorf("corrupt: image size %v: want 1 to %d pixels in height and "+
			"width", size, maxSide)
	}
	return found, nil
}

// setup returns the data that all workers' operators share.
func (c Config) setup(size Size) (setup, error) {
	s := setup{table: c.Table, severity: c.Severity, size: size}
	if c.Corruption != "frost" {
		return s, nil
	}
	factor := frostFactor(c.Table, size)
	if c.Textures == "" {
		s.textures = makeTextures(factor)
		return s, nil
	}
	var err error
	s.textures, err = readTextures(c.Textures, factor)
	return s, err
}

// Table names a set of parameters: the reference chose one for each size of images.
type Table int

// The parameter tables of the reference.
const (
	CIFAR    Table = iota // 32x32 images: CIFAR-10-C and CIFAR-100-C
	Tiny                  // 64x64 images: Tiny-ImageNet-C
	ImageNet              // 224x224 images: ImageNet-C
)

var tableNames = []string{CIFAR: "cifar", Tiny: "tiny", ImageNet: "imagenet"}

// TableFor returns the table whose images are the nearest in size: CIFAR up to 48 pixels on the
// longer side, Tiny up to 128, otherwise ImageNet.
func TableFor(size Size) Table {
	switch side := max(size.Height, size.Width); {
	case side <= 48:
		return CIFAR
	case side <= 128:
		return Tiny
	}
	return ImageNet
}

// String returns the table's name.
func (t Table) String() string {
	if t < CIFAR || t > ImageNet {
		return fmt.Sprintf("table %d", int(t))
	}
	return tableNames[t]
}
