package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// CorruptionFigure draws a test image of the scale as the evaluation sees it: a row for each of the corruptions, or of the
// whole suite if none are named, and a column for each severity from 0, clean, to 5. image counts from 0.
func (f Figure) CorruptionFigure(ctx context.Context, scale Scale, image int, corruptions ...string) (*viz.Figure, error) {
	setup := f.Setup(scale)
	images, err := setup.testImages(ctx, image)
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
	grid := viz.ImageGrid{Rows: corruptions, Columns: severityNames(), Height: images.Height, Width: images.Width}
	for _, corruption := range corruptions {
		row, err := corruptedRow(ctx, images, corruption, setup.Evaluation.Seed)
		if err != nil {
			return nil, err
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	return viz.CorruptionGrid(grid)
}

// testImages returns the test images up to the given one, whose random draws depend on its place among them.
func (s Setup) testImages(ctx context.Context, image int) (dataset.Images, error) {
	config := s.Config.WithDefaults().Data
	if image < 0 {
		return dataset.Images{}, fmt.Errorf("paper: image %d: images count from 0", image)
	}
	data, err := dataset.Open(ctx, dataset.Config{Name: config.Name, TrainCount: 1, TestCount: image + 1, Seed: config.Seed})
	if err != nil {
		return dataset.Images{}, err
	}
	if have := data.Test.Count(); have <= image {
		return dataset.Images{}, fmt.Errorf("paper: image %d: %s has the images 0 to %d", image, data.Name, have-1)
	}
	return data.Test, nil
}

// corruptedRow returns the last of the images, clean and at each severity.
func corruptedRow(ctx context.Context, images dataset.Images, corruption string, seed uint64) ([][]uint8, error) {
	size := corrupt.Size{Height: images.Height, Width: images.Width}
	last := (images.Count() - 1) * size.Values()
	row := [][]uint8{images.Pixels[last:]}
	for severity := 1; severity < nbbnn.LevelCount; severity++ {
		config := corrupt.Config{Corruption: corruption, Severity: severity, Seed: seed}
		pixels, err := corrupt.Apply(ctx, config, size, images.Pixels)
		if err != nil {
			return nil, err
		}
		row = append(row, pixels[last:])
	}
	return row, nil
}

func severityNames() []string {
	names := []string{"clean"}
	for severity := 1; severity < nbbnn.LevelCount; severity++ {
		names = append(names, fmt.Sprint(severity))
	}
	return names
}
