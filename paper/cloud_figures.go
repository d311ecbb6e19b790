package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/viz"
)

// CloudFigure draws a layer's outputs for a test image in two principal components, as the paper's
// Figure 2 does: the outputs under draws of the latents with their 99 % ellipse, and the mean
// output for the image under every corruption of the figure's suite. run counts from 0 in the order
// of Figure.Open, image from 0 among the test images. layer is one of Config.Layers, "" the last.
// The numbers are kept in the run's directory, so a second call reads them from there.
func (r *Result) CloudFigure(ctx context.Context, run, image int, layer string) (*viz.Figure, error) {
	return r.CloudFigures(ctx, image, layer, run)
}

// CloudFigures draws the clouds of several runs side by side on the same axes, as CloudFigure does
// with one.
func (r *Result) CloudFigures(ctx context.Context, image int, layer string, runs ...int) (*viz.Figure, error) {
	clouds := make([]LayerCloud, len(runs))
	for i, run := range runs {
		if run < 0 || run >= len(r.Runs) {
			return nil, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
		}
		reader := cloudReader{setup: r.Setup, run: r.Runs[run].Run}
		read, err := reader.clouds(ctx, image, []string{layer}, r.progress.Of(r.Runs[run].Name(), i+1, len(runs)))
		if err != nil {
			return nil, err
		}
		clouds[i] = read[0]
	}
	clean, classes, err := r.Setup.namedImage(ctx, image)
	if err != nil {
		return nil, err
	}
	return r.cloudScatter(clouds, runs, clean, classes).Figure()
}

// namedImage returns a test image and what it shows.
func (s Setup) namedImage(ctx context.Context, image int) (dataset.Images, string, error) {
	config := s.Config.WithDefaults().Data
	if count := s.dataSize().Test; image < 0 || image >= count {
		return dataset.Images{}, "", fmt.Errorf("paper: image %d: %s has the test images 0 to %d", image, config.Name, count-1)
	}
	data, err := s.testImages(ctx, image+1)
	if err != nil {
		return dataset.Images{}, "", err
	}
	one := data.Test.Slice(image, image+1)
	return one, fmt.Sprintf("test image %d, %s", image, data.Classes[one.Labels[0]]), nil
}

// cloudScatter returns the clouds of some runs with the image and what "inside" leaves out.
func (r *Result) cloudScatter(clouds []LayerCloud, runs []int, clean dataset.Images, name string) viz.CloudScatter {
	scatter := viz.CloudScatter{Image: clean.Pixels, Height: clean.Height, Width: clean.Width, ImageName: name}
	for i, cloud := range clouds {
		scatter.Clouds = append(scatter.Clouds, cloud.scatter(r.Runs[runs[i]].Name()))
	}
	scatter.Note = cloudNotes(clouds)
	return scatter
}

// scatter returns the cloud as pictures take it.
func (c LayerCloud) scatter(name string) viz.Cloud {
	cloud := viz.Cloud{
		Name: name, Draws: planes(c.Draws), Clean: planes([][2]float32{c.Clean})[0], Share: [2]float64(c.Share[:2]),
		Tests: []viz.CloudTest{{Name: nearInTen.name}},
	}
	for _, version := range c.Versions {
		cloud.Corrupted = append(cloud.Corrupted, planes([][2]float32{version.Point})[0])
		cloud.Severity = append(cloud.Severity, version.Severity)
		cloud.Corruption = append(cloud.Corruption, version.Corruption)
		cloud.Tests[0].Inside = append(cloud.Tests[0].Inside, nearInTen.inside(c, version))
	}
	return cloud
}

// cloudNotes explain what is inside, and how much of the variance that leaves out.
func cloudNotes(clouds []LayerCloud) []string {
	var two, ten []string
	for _, cloud := range clouds {
		left := 1.0
		for i, share := range cloud.Share {
			if left -= share; i == 1 {
				two = append(two, wholePercent(left))
			}
		}
		ten = append(ten, wholePercent(left))
	}
	return []string{
		"Filled: in the ellipse. Near the draws: as near to the fifth nearest draw as 99 % of the draws.",
		fmt.Sprintf("Two components leave out %s of the variance of the outputs, ten leave out %s.", join(two), join(ten)),
	}
}

func wholePercent(fraction float64) string { return fmt.Sprintf("%.0f %%", 100*fraction) }

// shownClouds returns the clouds of the drawn image in a layer, of the first run of each method.
func (r *Result) shownClouds(layer string) (clouds []LayerCloud, runs []int) {
	for run := range r.methodNames() {
		for _, cloud := range r.Runs[run].Clouds {
			if cloud.Layer == layer && cloud.Image == r.Setup.Clouds.shown() {
				clouds, runs = append(clouds, cloud), append(runs, run)
			}
		}
	}
	return clouds, runs
}

// cloudPanels draws the clouds of the first layer side by side, with the image and the counts.
func (r *Result) cloudPanels() (*viz.Figure, error) {
	clean, name, err := r.Setup.namedImage(context.Background(), r.Setup.Clouds.shown())
	if err != nil {
		return nil, err
	}
	clouds, runs := r.shownClouds(r.cloudLayers()[0])
	return r.cloudScatter(clouds, runs, clean, name).Figure()
}

// cloudGrid draws a row of clouds for each layer.
func (r *Result) cloudGrid() (*viz.Figure, error) {
	clean, name, err := r.Setup.namedImage(context.Background(), r.Setup.Clouds.shown())
	if err != nil {
		return nil, err
	}
	scatter := viz.CloudScatter{
		Image: clean.Pixels, Height: clean.Height, Width: clean.Width, ImageName: name, Columns: len(r.methodNames()),
	}
	for _, layer := range r.cloudLayers() {
		clouds, runs := r.shownClouds(layer)
		row := r.cloudScatter(clouds, runs, clean, name)
		for i := range row.Clouds {
			row.Clouds[i].Name += ", " + layer
		}
		scatter.Clouds = append(scatter.Clouds, row.Clouds...)
		scatter.Note = row.Note[:1] // the axes have the explained variance
	}
	return scatter.Figure()
}
