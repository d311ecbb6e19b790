package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/nbbnn/workbench/internal/random"
)

// Sizes of Pinwheel.
const (
	pinwheelTrain, pinwheelTest = 400, 200
	pinwheelLimit               = 1_000_000 // of each split
	// standard deviation around the arms, which end at a radius of 1
	pinwheelNoise = 0.06
	pinwheelWidth = 3 // of the square that the bytes 0 to 255 span
	pinwheelArms  = 3 // one for each class
)

// openPinwheel draws both splits: points on three bent arms in the plane. Each is an image
// of one pixel, whose red and green are the coordinates, so they have 256 steps; blue is zero.
func openPinwheel(ctx context.Context, config Config) (*Dataset, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("dataset: stopped drawing pinwheel: %w", err)
	}
	return &Dataset{
		Name: Pinwheel, Classes: []string{"first arm", "second arm", "third arm"},
		Train: drawPinwheel(config.Seed, 0, cmp.Or(config.TrainCount, pinwheelTrain)),
		Test:  drawPinwheel(config.Seed, 1, cmp.Or(config.TestCount, pinwheelTest)),
		Mean:  [3]float64{0.5, 0.5, 0}, Std: [3]float64{0.15, 0.15, 1}, // about the points' own
		Source: fmt.Sprintf("three arms of points, drawn by the workbench with seed %d",
			config.Seed),
	}, nil
}

// drawPinwheel draws the first points of a split, the classes in turn.
func drawPinwheel(seed, split uint64, count int) Images {
	images := newImages(count, 1, 1)
	for i := range count {
		rng := random.New(seed, random.Pinwheel, split, uint64(i))
		radius := 0.2 + 0.8*rng.Float64()
		sin, cos := math.Sincos(2*math.Pi*float64(i%pinwheelArms)/pinwheelArms + 2.6*radius)
		x, y := radius*cos, radius*sin
		images.Labels[i] = uint8(i % pinwheelArms)
		images.Pixels[3*i] = pinwheelByte(x + pinwheelNoise*rng.NormFloat64())
		images.Pixels[3*i+1] = pinwheelByte(y + pinwheelNoise*rng.NormFloat64())
	}
	return images
}

// pinwheelByte maps a coordinate around zero to a byte.
func pinwheelByte(value float64) uint8 {
	return uint8(math.Round(255 * max(0, min(1, 0.5+value/pinwheelWidth))))
}
