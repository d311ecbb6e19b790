package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/viz"
)

// drawClouds draws the clouds of the drawn image, of the first run of each method, in a row for each
// layer.
func drawClouds(r *Result) (*viz.Figure, error) {
	image, layers, runs := r.Setup.Clouds.shown(), cloudLayers(r), r.Runs[:len(r.methodNames())]
	clean, name, err := r.Setup.testImage(context.Background(), image)
	if err != nil {
		return nil, err
	}
	scatter := viz.CloudScatter{Image: clean.Pixels, Height: clean.Height, Width: clean.Width, ImageName: name}
	var first []layerCloud // of the first layer
	for _, layer := range layers {
		for _, run := range runs {
			for _, cloud := range run.Clouds {
				if cloud.Layer != layer || cloud.Image != image {
					continue
				}
				drawn := cloud.drawn(run.Name())
				if len(layers) > 1 {
					drawn.Name += ", " + layer
				}
				if layer == layers[0] {
					first = append(first, cloud)
				}
				scatter.Clouds = append(scatter.Clouds, drawn)
			}
		}
	}
	scatter.Note = cloudNotes(first)
	if len(layers) > 1 {
		scatter.Columns = len(runs)
		scatter.Note[1] = "Below each panel: versions inside, by severity; “in ten”: near the draws in ten components."
	}
	return scatter.Figure()
}

// drawn returns the cloud as pictures take it.
func (c layerCloud) drawn(name string) viz.Cloud {
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
				two = append(two, fmt.Sprintf("%.0f %%", 100*left))
			}
		}
		ten = append(ten, fmt.Sprintf("%.0f %%", 100*left))
	}
	return []string{
		"Filled: in the ellipse. Near the draws: as near to the fifth nearest draw as 99 % of the draws.",
		fmt.Sprintf("Two components leave out %s of the variance of the outputs, ten leave out %s.", join(two), join(ten)),
	}
}
