package dataset

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nbbnn/workbench/internal/shapes10"
)

// openShapes10 draws both splits of the edition with the config's name. "" is the first edition.
func openShapes10(ctx context.Context, config Config) (*Dataset, error) {
	edition := &shapes10.First
	if config.Name == Shapes10Bright {
		edition = &shapes10.Bright
	}
	train, err := drawShapes10(ctx, edition, config.Seed, shapes10.Train,
		cmp.Or(config.TrainCount, shapes10.TrainCount))
	if err != nil {
		return nil, err
	}
	test, err := drawShapes10(ctx, edition, config.Seed, shapes10.Test,
		cmp.Or(config.TestCount, shapes10.TestCount))
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Name:    edition.Name,
		Classes: shapes10.Classes(),
		Train:   train,
		Test:    test,
		Mean:    edition.Mean,
		Std:     edition.Std,
		Source:  fmt.Sprintf("%s, drawn by the workbench with seed %d", edition.Title, config.Seed),
	}, nil
}

// drawShapes10 draws the first count images of a split.
func drawShapes10(ctx context.Context, edition *shapes10.Edition, seed uint64, split shapes10.Split,
	count int) (Images, error) {
	images := newImages(count, shapes10.Side, shapes10.Side)
	if err := edition.Draw(ctx, seed, split, images.Pixels, images.Labels); err != nil {
		return Images{}, fmt.Errorf("dataset: %s: %w", edition.Name, err)
	}
	return images, nil
}
