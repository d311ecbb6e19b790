package dataset

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nbbnn/workbench/internal/shapes10"
)

// openShapes10 draws both splits.
func openShapes10(ctx context.Context, config Config) (*Dataset, error) {
	if max(config.TrainCount, config.TestCount) > shapes10.Limit {
		return nil, fmt.Errorf("dataset: %d training and %d test images of shapes10 asked for: give at most %d each",
			config.TrainCount, config.TestCount, shapes10.Limit)
	}
	train, err := drawShapes10(ctx, config.Seed, shapes10.Train, cmp.Or(config.TrainCount, shapes10.TrainCount))
	if err != nil {
		return nil, err
	}
	test, err := drawShapes10(ctx, config.Seed, shapes10.Test, cmp.Or(config.TestCount, shapes10.TestCount))
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Name:    Shapes10,
		Classes: shapes10.Classes(),
		Train:   train,
		Test:    test,
		Mean:    shapes10.Mean,
		Std:     shapes10.Std,
		Source:  fmt.Sprintf("Shapes10, drawn by the workbench with seed %d", config.Seed),
	}, nil
}

// drawShapes10 draws the first count images of a split.
func drawShapes10(ctx context.Context, seed uint64, split shapes10.Split, count int) (Images, error) {
	images := newImages(count, shapes10.Side, shapes10.Side)
	if err := shapes10.Draw(ctx, seed, split, images.Pixels, images.Labels); err != nil {
		return Images{}, fmt.Errorf("dataset: shapes10: %w", err)
	}
	return images, nil
}
