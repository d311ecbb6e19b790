package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
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
func (r *Result) CloudFigure(ctx context.Context, run, image int, layer string) (*viz.Figure, error) {
	if run < 0 || run >= len(r.Runs) {
		return nil, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
	}
	clean, err := r.Setup.testImage(ctx, image)
	if err != nil {
		return nil, err
	}
	seen, cloud, err := r.Setup.versions(ctx, clean, image)
	if err != nil {
		return nil, err
	}
	trained, settings := r.Runs[run], nbbnn.LayerDraws{Layer: layer}
	components := trained.Config().Posterior.Components
	settings.Draws = cloudDraws / components * components
	draws, err := trained.LayerOutputs(ctx, settings, clean)
	if err != nil {
		return nil, err
	}
	settings.Draws, settings.Seed = meanDraws/components*components, 1
	means, err := trained.MeanLayerOutputs(ctx, settings, seen)
	if err != nil {
		return nil, err
	}
	if err := project(&cloud, draws, means); err != nil {
		return nil, err
	}
	figure, err := viz.PCAScatter(cloud)
	if err != nil {
		return nil, err
	}
	return figure.Titled(trained.Name()), nil
}

// versions are an image and below it all its corrupted versions, with their severities.
func (s Setup) versions(ctx context.Context, clean dataset.Images, index int) (seen dataset.Images, cloud viz.Cloud, err error) {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return seen, cloud, err
	}
	seen = dataset.Images{Height: clean.Height, Width: clean.Width, Pixels: append([]uint8(nil), clean.Pixels...)}
	for _, corruption := range suite.Corruptions {
		row, err := corruptedRow(ctx, clean, corrupt.Config{Corruption: corruption, Seed: s.Evaluation.Seed, First: index})
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
