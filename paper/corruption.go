package paper

import (
	"context"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// CorruptionFigure draws a test image of the scale as the evaluation sees it: a row for each of the corruptions, or of the
// whole suite if none are named, and a column for each severity from 0, clean, to 5. image counts from 0.
func (f Figure) CorruptionFigure(ctx context.Context, scale Scale, image int, corruptions ...string) (*viz.Figure, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return nil, err
	}
	clean, err := setup.testImage(ctx, image)
	if err != nil {
		return nil, err
	}
	if len(corruptions) == 0 {
		suite, err := corrupt.SuiteByName(setup.Evaluation.Suite)
		if err != nil {
			return nil, err
		}
		corruptions = suite.Corruptions
	}
	grid := viz.ImageGrid{Rows: corruptions, Columns: severityNames(), Corner: "severity", Height: clean.Height, Width: clean.Width}
	for _, corruption := range corruptions {
		row, err := corruptedRow(ctx, clean, corrupt.Config{Corruption: corruption, Seed: setup.Evaluation.Seed, First: image})
		if err != nil {
			return nil, err
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	return viz.CorruptionGrid(grid)
}

// testImage returns one test image.
func (s Setup) testImage(ctx context.Context, image int) (dataset.Images, error) {
	config := s.Config.WithDefaults().Data
	if _, count := imageCounts(config); image < 0 || image >= count {
		return dataset.Images{}, fmt.Errorf("paper: image %d: %s has the test images 0 to %d", image, config.Name, count-1)
	}
	data, err := s.testImages(ctx, image+1)
	if err != nil {
		return dataset.Images{}, err
	}
	return data.Test.Slice(image, image+1), nil
}

// corrupted returns the pixels of each image as the evaluation of a question sees it.
func (s Setup) corrupted(ctx context.Context, images dataset.Images, q Question) ([][]uint8, error) {
	pixels := images.Pixels
	if q.Severity > 0 {
		var err error
		size := corrupt.Size{Height: images.Height, Width: images.Width}
		config := corrupt.Config{Corruption: q.Corruption, Severity: q.Severity, Seed: s.Evaluation.Seed, Table: corrupt.TableFor(size)}
		if pixels, err = corrupt.Apply(ctx, config, size, pixels); err != nil {
			return nil, err
		}
	}
	return slices.Collect(slices.Chunk(pixels, images.Height*images.Width*3)), nil
}

// corruptedRow returns an image clean and at each severity of a corruption.
func corruptedRow(ctx context.Context, image dataset.Images, config corrupt.Config) ([][]uint8, error) {
	size := corrupt.Size{Height: image.Height, Width: image.Width}
	row := [][]uint8{image.Pixels}
	for config.Severity = 1; config.Severity < score.LevelCount; config.Severity++ {
		pixels, err := corrupt.Apply(ctx, config, size, image.Pixels)
		if err != nil {
			return nil, err
		}
		row = append(row, pixels)
	}
	return row, nil
}

func severityNames() []string {
	names := []string{"clean"}
	for severity := 1; severity < score.LevelCount; severity++ {
		names = append(names, fmt.Sprint(severity))
	}
	return names
}
