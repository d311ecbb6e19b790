package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// CorruptionFigure draws a test image of the scale as the evaluation sees it: a row for each of the
// corruptions, or of the whole suite if none are named, and a column for each severity from 0,
// clean, to 5. image counts from 0.
func (f Figure) CorruptionFigure(ctx context.Context, scale Scale, image int, corruptions ...string) (*viz.Figure, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return nil, err
	}
	clean, _, err := setup.testImage(ctx, image)
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
		row, err := setup.corruptedRow(ctx, clean, corruption, image)
		if err != nil {
			return nil, err
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	return viz.CorruptionGrid(grid)
}

// testImage returns one test image and what it shows.
func (s Setup) testImage(ctx context.Context, image int) (one dataset.Images, title string, err error) {
	config := s.Config.WithDefaults().Data
	if count := s.dataSize().Test; image < 0 || image >= count {
		return one, "", fmt.Errorf("paper: image %d: %s has the test images 0 to %d", image, config.Name, count-1)
	}
	data, err := s.testImages(ctx, image+1)
	if err != nil {
		return one, "", err
	}
	one = data.Test.Slice(image, image+1)
	return one, fmt.Sprintf("test image %d, %s", image, data.Classes[one.Labels[0]]), nil
}

// corruptedRow returns the pixels of an image, which has the given place in the test set, clean and
// at each severity of a corruption, as the evaluation sees them: with its seed, the table of its size,
// and its textures.
func (s Setup) corruptedRow(ctx context.Context, image dataset.Images, corruption string, place int) ([][]uint8, error) {
	row, size := [][]uint8{image.Pixels}, corrupt.Size{Height: image.Height, Width: image.Width}
	for severity := 1; severity < score.LevelCount; severity++ {
		pixels, err := corrupt.Apply(ctx, corrupt.Config{
			Corruption: corruption, Severity: severity, Seed: s.Evaluation.Seed, First: place,
			Table: corrupt.TableFor(size), Textures: s.Evaluation.Textures,
		}, size, image.Pixels)
		if err != nil {
			return nil, err
		}
		row = append(row, pixels)
	}
	return row, nil
}

// testImages opens the first test images.
func (s Setup) testImages(ctx context.Context, count int) (*dataset.Dataset, error) {
	config := s.Config.WithDefaults().Data
	if all := s.dataSize().Test; count < 1 || count > all {
		return nil, fmt.Errorf("paper: %d images: %s has 1 to %d test images", count, config.Name, all)
	}
	images := config.Images()
	images.TrainCount, images.TestCount = 1, count
	return dataset.Open(ctx, images)
}

func severityNames() []string {
	names := []string{"clean"}
	for severity := 1; severity < score.LevelCount; severity++ {
		names = append(names, fmt.Sprint(severity))
	}
	return names
}
