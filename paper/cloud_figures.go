package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/viz"
)

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
func cloudScatter(r *Result, clouds []layerCloud, runs []int, clean dataset.Images, name string) viz.CloudScatter {
	scatter := viz.CloudScatter{Image: clean.Pixels, Height: clean.Height, Width: clean.Width, ImageName: name}
	for i, cloud := range clouds {
		scatter.Clouds = append(scatter.Clouds, cloud.scatter(r.Runs[runs[i]].Name()))
	}
	scatter.Note = cloudNotes(clouds)
	return scatter
}

// scatter returns the cloud as pictures take it.
func (c layerCloud) scatter(name string) viz.Cloud {
	cloud := viz.Cloud{
		Name: name, Draws: planes(c.Draws), Clean: planes([][2]float32{c.Clean})[0], Share: [2]float64(c.Share[:2]),
		Tests: []viz.CloudTest{{Name: nearInTen.name, Short: "in ten"}},
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
func cloudNotes(clouds []layerCloud) []string {
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
func shownClouds(r *Result, layer string) (clouds []layerCloud, runs []int) {
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
func cloudPanels(r *Result) (*viz.Figure, error) {
	clean, name, err := r.Setup.namedImage(context.Background(), r.Setup.Clouds.shown())
	if err != nil {
		return nil, err
	}
	clouds, runs := shownClouds(r, cloudLayers(r)[0])
	return cloudScatter(r, clouds, runs, clean, name).Figure()
}

// cloudGrid draws a row of clouds for each layer.
func cloudGrid(r *Result) (*viz.Figure, error) {
	clean, name, err := r.Setup.namedImage(context.Background(), r.Setup.Clouds.shown())
	if err != nil {
		return nil, err
	}
	scatter := viz.CloudScatter{
		Image: clean.Pixels, Height: clean.Height, Width: clean.Width, ImageName: name, Columns: len(r.methodNames()),
	}
	for _, layer := range cloudLayers(r) {
		clouds, runs := shownClouds(r, layer)
		row := cloudScatter(r, clouds, runs, clean, name)
		for i := range row.Clouds {
			row.Clouds[i].Name += ", " + layer
		}
		scatter.Clouds = append(scatter.Clouds, row.Clouds...)
		scatter.Note = []string{row.Note[0], "Below each panel: versions inside, by severity; “in ten”: near the draws in ten components."}
	}
	return scatter.Figure()
}
