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

// CorruptionFigure draws a test image of the scale as the evaluation sees it: a row for each of the
// corruptions, or of the whole suite if none are named, and a column for each severity from 0,
// clean, to 5. image counts from 0.
func (f Figure) CorruptionFigure(ctx context.Context, scale Scale, image int,
	corruptions ...string) (*viz.Figure, error) {
	setup, err := f.setup(scale)
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
	seen, err := newVersions(ctx, setup, image, corruptions)
	if err != nil {
		return nil, err
	}
	grid := viz.ImageGrid{Rows: corruptions, Columns: []string{"clean"}, Corner: "severity",
		Height: seen.images.Height, Width: seen.images.Width}
	for i := range corruptions {
		row := [][]uint8{seen.images.Slice(0, 1).Pixels}
		for severity := range score.LevelCount - 1 {
			place := 1 + i*(score.LevelCount-1) + severity
			row = append(row, seen.images.Slice(place, place+1).Pixels)
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	for severity := 1; severity < score.LevelCount; severity++ {
		grid.Columns = append(grid.Columns, fmt.Sprint(severity))
	}
	return viz.CorruptionGrid(grid)
}

// versions are an image and all its corrupted versions.
type versions struct {
	image  int            // place in the test set
	images dataset.Images // the clean image first
	labels []cloudVersion // of the others: their corruption and severity
}

// newVersions corrupts a test image of the set-up, as the evaluation sees it: with its seed, the
// table of its size, and its textures.
func newVersions(ctx context.Context, s Setup, image int, corruptions []string) (v versions,
	err error) {
	clean, _, err := s.testImage(ctx, image)
	if err != nil {
		return v, err
	}
	size := corrupt.Size{Height: clean.Height, Width: clean.Width}
	v.image = image
	v.images = dataset.Images{Height: clean.Height, Width: clean.Width,
		Pixels: slices.Clone(clean.Pixels), Labels: slices.Clone(clean.Labels)}
	for _, corruption := range corruptions {
		for severity := 1; severity < score.LevelCount; severity++ {
			pixels, err := corrupt.Apply(ctx, corrupt.Config{
				Corruption: corruption, Severity: severity, Seed: s.Evaluation.Seed, First: image,
				Table: corrupt.TableFor(size), Textures: s.Evaluation.Textures,
			}, size, clean.Pixels)
			if err != nil {
				return v, err
			}
			v.images.Pixels, v.images.Labels = append(v.images.Pixels, pixels...),
				append(v.images.Labels, clean.Labels...)
			v.labels = append(v.labels, cloudVersion{Corruption: corruption, Severity: severity})
		}
	}
	return v, nil
}

// testImage returns one test image and its title.
func (s Setup) testImage(ctx context.Context, image int) (one dataset.Images, title string,
	err error) {
	if count := s.dataSize().Test; image < 0 || image >= count {
		return one, "", fmt.Errorf("paper: image %d: %s has the test images 0 to %d", image,
			s.Config.WithDefaults().Data.Name, count-1)
	}
	data, err := s.testImages(ctx, image+1)
	if err != nil {
		return one, "", err
	}
	one = data.Test.Slice(image, image+1)
	return one, fmt.Sprintf("test image %d, %s", image, data.Classes[one.Labels[0]]), nil
}

// testImages opens the first test images, which validate has checked.
func (s Setup) testImages(ctx context.Context, count int) (*dataset.Dataset, error) {
	images := s.Config.WithDefaults().Data.Images()
	images.TrainCount, images.TestCount = 1, count
	return dataset.Open(ctx, images)
}
