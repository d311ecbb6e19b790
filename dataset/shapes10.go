package dataset

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nbbnn/workbench/internal/stream"
)

// Standard sizes of the splits of Shapes10.
const (
	shapesTrainCount = 4000
	shapesTestCount  = 1000
	shapesLimit      = 1_000_000 // images of a split: 3 GB
)

// Mean and standard deviation of each channel over the standard training set with seed 0. They serve every seed and count:
// other seeds differ from them by less than 0.01.
var (
	shapesMean = [channels]float64{0.26835, 0.26911, 0.26949}
	shapesStd  = [channels]float64{0.11665, 0.11723, 0.11686}
)

// split counts the random streams of the two splits apart.
type split uint64

const (
	trainSplit split = iota
	testSplit
)

// openShapes10 draws both splits.
func openShapes10(ctx context.Context, config Config) (*Dataset, error) {
	if max(config.TrainCount, config.TestCount) > shapesLimit {
		return nil, fmt.Errorf("dataset: %d training and %d test images of shapes10 asked for: give at most %d each",
			config.TrainCount, config.TestCount, shapesLimit)
	}
	artist := shapesArtist{seed: config.Seed, workers: runtime.GOMAXPROCS(0)}
	train, err := artist.draw(ctx, trainSplit, orDefault(config.TrainCount, shapesTrainCount))
	if err != nil {
		return nil, err
	}
	test, err := artist.draw(ctx, testSplit, orDefault(config.TestCount, shapesTestCount))
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Name:    Shapes10,
		Classes: shapeNames(),
		Train:   train,
		Test:    test,
		Mean:    shapesMean,
		Std:     shapesStd,
		Source:  fmt.Sprintf("Shapes10, drawn by the workbench with seed %d", config.Seed),
	}, nil
}

// orDefault returns count, or the standard when it's 0.
func orDefault(count, standard int) int {
	if count == 0 {
		return standard
	}
	return count
}

// shapeNames returns the names of the classes.
func shapeNames() []string {
	names := make([]string, len(shapeClasses))
	for i, class := range shapeClasses {
		names[i] = class.name
	}
	return names
}

// shapesArtist draws images of Shapes10. Image i of a split depends on the seed, the split and i alone.
type shapesArtist struct {
	seed    uint64
	workers int
}

// chunk is the number of images that a worker draws before it looks for more.
const chunk = 16

// draw returns the first count images of a split.
func (a shapesArtist) draw(ctx context.Context, split split, count int) (Images, error) {
	images := newImages(count, side, side)
	var drawn atomic.Int64
	var group sync.WaitGroup
	for range a.workers {
		group.Go(func() { a.work(ctx, split, images, &drawn) })
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return Images{}, fmt.Errorf("dataset: drawing of shapes10 stopped: %w", err)
	}
	return images, nil
}

// work draws one chunk of images after the other until none is left. Workers share the number of images given out.
func (a shapesArtist) work(ctx context.Context, split split, images Images, drawn *atomic.Int64) {
	for ctx.Err() == nil {
		from := int(drawn.Add(chunk)) - chunk
		if from >= images.Count() {
			return
		}
		a.drawRange(split, images, from, min(from+chunk, images.Count()))
	}
}

// drawRange draws the images from index from up to, not including, index to.
func (a shapesArtist) drawRange(split split, images Images, from, to int) {
	for i := from; i < to; i++ {
		label := a.label(split, i)
		rng := stream.New(a.seed, Shapes10, uint64(split), uint64(i))
		images.Labels[i] = uint8(label)
		drawScene(rng, shapeClasses[label]).render(rng, images.Slice(i, i+1).Pixels)
	}
}

// label returns the class of image i: every ten images in a row hold each class once, in an order of their own.
func (a shapesArtist) label(split split, i int) int {
	classes := len(shapeClasses)
	rng := stream.New(a.seed, "shapes10 classes", uint64(split), uint64(i/classes))
	return rng.Perm(classes)[i%classes]
}
