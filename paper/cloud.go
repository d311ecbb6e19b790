package paper

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Draws of a cloud (METHOD.md section 7): those that its projection and its ellipse are fitted to, and those of each mean output.
const (
	cloudDraws = 2000
	meanDraws  = 200
)

// CloudFigure draws what a layer of a trained run says about a test image in two principal components, as the paper's Figure 2 does:
// its outputs under draws of the latents with their ellipse of 99 %, and its mean output for the image under every corruption of the
// figure's suite. run counts from 0 in the order of Figure.Open, image among the test images; layer is one of Config.Layers, "" the last.
// What is drawn is kept in the run's directory, so that the same call reads it from there.
func (r *Result) CloudFigure(ctx context.Context, run, image int, layer string) (*viz.Figure, error) {
	return r.CloudFigures(ctx, image, layer, run)
}

// CloudFigures draws the clouds of several runs side by side on the same axes, as CloudFigure does
// with one.
func (r *Result) CloudFigures(ctx context.Context, image int, layer string, runs ...int) (*viz.Figure, error) {
	clouds := make([]viz.Cloud, len(runs))
	for i, run := range runs {
		var err error
		if clouds[i], err = r.cloudOf(ctx, run, image, layer); err != nil {
			return nil, err
		}
	}
	return viz.PCAScatter(clouds...)
}

// cloudOf reads or computes the cloud of one run.
func (r *Result) cloudOf(ctx context.Context, run, image int, layer string) (cloud viz.Cloud, err error) {
	if run < 0 || run >= len(r.Runs) {
		return cloud, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
	}
	clean, err := r.Setup.testImage(ctx, image)
	if err != nil {
		return cloud, err
	}
	trained := r.Runs[run]
	layers := trained.Config().Layers()
	file, err := r.Setup.cloudFile(trained.Run, cmp.Or(layer, layers[len(layers)-1]), image)
	if err != nil {
		return cloud, err
	}
	kept, found := file.read()
	if cloud = kept; !found {
		if cloud, err = r.Setup.cloud(ctx, trained.Run, file.key, clean, r.progress); err != nil {
			return cloud, err
		}
		file.write(cloud)
	}
	suite, err := corrupt.SuiteByName(r.Setup.Evaluation.Suite)
	cloud.Name = trained.Name()
	for _, corruption := range suite.Corruptions {
		for range score.LevelCount - 1 {
			cloud.Corruption = append(cloud.Corruption, corruption)
		}
	}
	return cloud, err
}

// cloud computes the outputs of a layer for a clean image and for its corrupted versions.
func (s Setup) cloud(ctx context.Context, run Run, key cloudKey, clean dataset.Images, progress nbbnn.Progress) (viz.Cloud, error) {
	seen, cloud, err := s.versions(ctx, clean, key.Image)
	if err != nil {
		return cloud, err
	}
	progress = progress.Of(run.Name(), 1, 1)
	versions := 1 + len(cloud.Severity)
	total := key.Draws + versions*key.MeanDraws
	m, err := run.Model(ctx)
	if err != nil {
		return cloud, err
	}
	settings := implicit.LayerDraws{Layer: key.Layer, Draws: key.Draws, Progress: progress.Part(0, total)}
	draws, err := implicit.LayerOutputs(ctx, m, settings, clean)
	if err != nil {
		return cloud, err
	}
	settings.Draws, settings.Seed, settings.Progress = key.MeanDraws, 1, progress.Part(key.Draws, total)
	means, err := implicit.MeanLayerOutputs(ctx, m, settings, seen)
	if err != nil {
		return cloud, err
	}
	return cloud, project(&cloud, draws, means)
}

// versions are an image and below it all its corrupted versions, with their severities.
func (s Setup) versions(ctx context.Context, clean dataset.Images, index int) (seen dataset.Images, cloud viz.Cloud, err error) {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return seen, cloud, err
	}
	seen = dataset.Images{Height: clean.Height, Width: clean.Width, Pixels: append([]uint8(nil), clean.Pixels...)}
	for _, corruption := range suite.Corruptions {
		row, err := s.corruptedRow(ctx, clean, corruption, index)
		if err != nil {
			return seen, cloud, err
		}
		for severity, pixels := range row[1:] {
			seen.Pixels = append(seen.Pixels, pixels...)
			cloud.Severity = append(cloud.Severity, severity+1)
		}
	}
	return seen, cloud, nil
}

// project places draws and mean outputs, of which the first is the clean image's, in the principal components of the draws.
func project(cloud *viz.Cloud, draws, means [][]float64) error {
	projection, err := viz.NewProjection(draws)
	if err != nil {
		return err
	}
	cloud.Share = projection.Share
	if cloud.Draws, err = projection.Project(draws...); err != nil {
		return err
	}
	points, err := projection.Project(means...)
	if err != nil {
		return err
	}
	cloud.Clean, cloud.Corrupted = points[0], points[1:]
	return nil
}
