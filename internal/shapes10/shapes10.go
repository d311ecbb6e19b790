// Package shapes10 draws the data set Shapes10: ten classes of coloured shapes over textured
// backgrounds. Every pixel is a function of a seed, the edition, the split and the index of its
// image, and is the same on every processor.
package shapes10

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

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
	names := make([]string, len(shapeClasses))
	for i, class := range shapeClasses {
		names[i] = class.name
	}
	return names
}

// Draw draws the first images of a split, one for each label, on all cores: pixels is
// [len(labels), Side, Side, 3]. It stops early with the context's error when that is cancelled.
func (e *Edition) Draw(ctx context.Context, seed uint64, split Split, pixels, labels []uint8) error {
	a := artist{edition: e, seed: seed, split: split, pixels: pixels, labels: labels}
	return a.draw(ctx, runtime.GOMAXPROCS(0))
}

// artist draws images of one split. Image i depends on the seed, the split and i alone.
type artist struct {
	edition *Edition
	seed    uint64
	split   Split
	pixels  []uint8 // [len(labels), Side, Side, 3]
	labels  []uint8
	next    atomic.Int64 // first image that no worker has taken
}

// chunk is the number of images that a worker draws at a time.
const chunk = 16

// draw draws all images with the given number of workers.
func (a *artist) draw(ctx context.Context, workers int) error {
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { a.work(ctx) })
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("drawing stopped: %w", err)
	}
	return nil
}

// work draws chunks of images until none is left.
func (a *artist) work(ctx context.Context) {
	for ctx.Err() == nil {
		from := int(a.next.Add(chunk)) - chunk
		if from >= len(a.labels) {
			return
		}
		for i := from; i < min(from+chunk, len(a.labels)); i++ {
			a.drawImage(i)
		}
	}
}

// drawImage draws image i and its label.
func (a *artist) drawImage(i int) {
	const size = Side * Side * channels
	label := a.label(i)
	rng := random.New(a.seed, random.Shapes10, uint64(a.split), uint64(i))
	a.labels[i] = uint8(label)
	drawScene(rng, &a.edition.palette, shapeClasses[label]).render(rng, a.pixels[i*size:(i+1)*size])
}

// label returns the class of image i: each group of ten consecutive images holds every class once,
// in an order of its own.
func (a *artist) label(i int) int {
	classes := len(shapeClasses)
	rng := random.New(a.seed, random.Shapes10Classes, uint64(a.split), uint64(i/classes))
	return rng.Perm(classes)[i%classes]
}
