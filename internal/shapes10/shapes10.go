// Package shapes10 draws the data set Shapes10: ten classes of coloured shapes over textured
// backgrounds. Every pixel is a function of a seed, the edition, the split and the index of its
// image, and is the same on every processor.
package shapes10

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/random"
)

// Side is the height and width of the images, in pixels.
const Side = 32

// Sizes of the splits.
const (
	TrainCount = 4000      // standard number of training images
	TestCount  = 1000      // standard number of test images
	Limit      = 1_000_000 // most images of a split: 3 GB
)

// channels of a pixel: red, green and blue.
const channels = 3

// Split separates the random streams of the two splits.
type Split uint64

// The splits.
const (
	Train Split = iota
	Test
)

// Classes returns the names of the classes, by label.
func Classes() []string {
	return quantity.Texts(shapeClasses, func(class shape) string { return class.name })
}

// Draw draws the first images of a split, one for each label, on all cores: pixels is
// [len(labels), Side, Side, 3]. It stops early with the context's error when that is cancelled.
func (e *Edition) Draw(ctx context.Context, seed uint64, split Split, pixels,
	labels []uint8) error {
	parallel.OnCores(len(labels), func(i int) {
		if ctx.Err() == nil {
			e.draw(seed, split, i, pixels, labels)
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("drawing stopped: %w", err)
	}
	return nil
}

// draw draws image i and its label, which depend only on the seed, the split and i.
func (e *Edition) draw(seed uint64, split Split, i int, pixels, labels []uint8) {
	const size = Side * Side * channels
	label := labelOf(seed, split, i)
	rng := random.New(seed, random.Shapes10, uint64(split), uint64(i))
	labels[i] = uint8(label)
	drawScene(rng, &e.palette, shapeClasses[label]).render(rng, pixels[i*size:(i+1)*size])
}

// labelOf returns the class of image i: each group of ten consecutive images holds every class
// once, in a random order.
func labelOf(seed uint64, split Split, i int) int {
	classes := len(shapeClasses)
	rng := random.New(seed, random.Shapes10Classes, uint64(split), uint64(i/classes))
	return rng.Perm(classes)[i%classes]
}

// Edition is a version of the data set. All editions draw the same scenes with the same seed, in
// different colours.
type Edition struct {
	Name  string
	Title string // in words

	// Mean and standard deviation of each channel over the standard training set with seed 0. They
	// serve every seed and count: other seeds differ from them by less than 0.01.
	Mean, Std [channels]float64

	palette palette
}

// First is the edition that the data set began with. Its images are dark, with a mean luma of 69 of
// 255, so contrast, fog and JPEG change them little.
var First = Edition{
	Name:  "shapes10",
	Title: "Shapes10",
	Mean:  [channels]float64{0.26835, 0.26911, 0.26949},
	Std:   [channels]float64{0.11665, 0.11723, 0.11686},
	palette: palette{darkest: 0.12, brightest: 0.35, weakest: 0.12, strongest: 0.6, texture: 0.18,
		distractor: 0.3},
}

// Bright has a mean luma of 127 of 255 and stronger colours. The contrasts are such that the same
// network with the same training errs as often as on the first edition: the small start on 22.8 %
// and 23.1 % of the test images.
var Bright = Edition{
	Name:  "shapes10-bright",
	Title: "Shapes10, bright edition",
	Mean:  [channels]float64{0.49727, 0.49818, 0.49869},
	Std:   [channels]float64{0.16515, 0.16573, 0.16548},
	palette: palette{darkest: 0.28, brightest: 0.63, weakest: 0.17, strongest: 0.82, texture: 0.22,
		distractor: 0.4},
}

// palette chooses an edition's colours, with channels in 0..1.
type palette struct {
	darkest, brightest float64 // channel of the background
	// distance between the colours of subject and background at clutter 1
	weakest    float64
	strongest  float64 // the same at clutter 0
	texture    float64 // distance between the two colours of a texture at clutter 1
	distractor float64 // greatest distance of a distractor's colour from the background's
}

// drawBackground draws the colour of a background.
func (c *palette) drawBackground(rng *rand.Rand) colour {
	return drawColour(rng, c.darkest, c.brightest)
}

// drawSubject draws the colour of a subject: brighter than the background in every channel, the
// less so the more clutter the image has.
func (c *palette) drawSubject(rng *rand.Rand, background colour, clutter float64) colour {
	return drawColourAbove(rng, background, mix(c.strongest, c.weakest, clutter))
}

// drawColourAbove draws a colour that is brighter than another in every channel, at a distance from
// it.
func drawColourAbove(rng *rand.Rand, c colour, distance float64) colour {
	step := drawColour(rng, 0.3, 1).ofLength(distance)
	for i := range c {
		c[i] = min(c[i]+step[i], 1)
	}
	return c
}
