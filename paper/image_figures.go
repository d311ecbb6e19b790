package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// likeliest returns the class with the largest mean probability, from log-probabilities
// [samples, classes].
func likeliest(logProbabilities []float32, classes int) (class int, probability float64) {
	samples := make([]float64, len(logProbabilities))
	for i, l := range logProbabilities {
		samples[i] = float64(l)
	}
	for c, l := range score.MeanPredictive(samples, classes) {
		if p := math.Exp(l); p > probability {
			class, probability = c, p
		}
	}
	return class, probability
}

// ImplicitFigure draws an implicit corruption for each lambda of one image under one draw, both
// counted from 0 among those of the figure. run counts from 0 in the order of Figure.Open. Several
// runs are drawn below each other and enlarged alike.
func (r *Result) ImplicitFigure(image, draw int, runs ...int) (*viz.Figure, error) {
	pictures := make([]viz.Implicit, len(runs))
	for i, run := range runs {
		var err error
		if pictures[i], err = implicitPicture(r, run, image, draw, minimisers); err != nil {
			return nil, err
		}
	}
	return viz.ImplicitCorruptions(pictures...)
}

// ImplicitTable returns for each lambda the root mean square of the change in pixels of 0 to 1, its
// norm in the space of the search and the distance of the logits from their target: "mean ±
// standard deviation" over the seeds of the means over images and draws.
func (r *Result) ImplicitTable() (viz.Table, error) {
	if !r.Evaluated() || len(r.Runs[0].Implicit) == 0 {
		return viz.Table{}, fmt.Errorf("paper: figure %s has no implicit corruptions: choose one of the figures on them and call Figure.Evaluate", r.Figure.Command())
	}
	lambdas := r.Setup.filledImplicit().Lambda
	table := viz.Table{Header: slices.Concat([]string{"", "λ"}, strings.Fields(numbersText(lambdas))), Labels: 2, Caption: r.Test()}
	addRows := func(measure, ending string, changes func(RunResult) []implicit.Corruption, value func(implicit.Corruption) float64) {
		for _, method := range r.methodNames() {
			row := []string{measure, method + ending}
			for _, s := range summarise(ofLambda(r, method, changes, value)) {
				row = append(row, viz.MeanStd(s.Mean, s.Std, s.N, 4))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	const size = "rms change"
	addRows(size, "", minimisers, implicit.Corruption.RMS)
	if r.Runs[0].Stopped != nil {
		addRows(size, ", stopped", stopped, implicit.Corruption.RMS)
	}
	if r.Figure.PublishedRMS != nil {
		row := []string{size, "paper"}
		for _, lambda := range lambdas {
			text := ""
			if value, found := r.Figure.PublishedRMS[lambda]; found {
				text = fmt.Sprintf("%.3f", value)
			}
			row = append(row, text)
		}
		table.Rows = append(table.Rows, row)
	}
	addRows("norm", "", minimisers, func(c implicit.Corruption) float64 { return c.Norm })
	addRows("distance", "", minimisers, implicit.Corruption.Distance)
	return table, nil
}

// CloudFigures draws a layer's outputs for a test image in two principal components, as the paper's
// Figure 2 does: the outputs under draws of the latents with their 99 % ellipse, and the mean
// output for the image under every corruption of the figure's suite, of several runs side by side on
// the same axes. runs count from 0 in the order of Figure.Open, image from 0 among the test images.
// layer is one of Config.Layers, "" the last. The numbers are kept in the runs' directories, so a
// second call reads them from there.
func (r *Result) CloudFigures(ctx context.Context, image int, layer string, runs ...int) (*viz.Figure, error) {
	var row []layerCloud
	for i, run := range runs {
		if run < 0 || run >= len(r.Runs) {
			return nil, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
		}
		clouds, err := r.Setup.clouds(ctx, r.Runs[run].Run.Run, []int{image}, []string{layer}, r.progress.Of(r.Runs[run].Name(), i+1, len(runs)))
		if err != nil {
			return nil, err
		}
		row = append(row, clouds...)
	}
	return r.scatter(ctx, image, runs, [][]layerCloud{row})
}

// scatter draws rows of clouds of some runs for an image.
func (r *Result) scatter(ctx context.Context, image int, runs []int, rows [][]layerCloud) (*viz.Figure, error) {
	clean, name, err := r.Setup.testImage(ctx, image)
	if err != nil {
		return nil, err
	}
	scatter := viz.CloudScatter{Image: clean.Pixels, Height: clean.Height, Width: clean.Width, ImageName: name, Note: cloudNotes(rows[0])}
	if len(rows) > 1 {
		scatter.Columns = len(runs)
		scatter.Note[1] = "Below each panel: versions inside, by severity; “in ten”: near the draws in ten components."
	}
	for _, row := range rows {
		for i, cloud := range row {
			drawn := cloud.drawn(r.Runs[runs[i]].Name())
			if len(rows) > 1 {
				drawn.Name += ", " + cloud.Layer
			}
			scatter.Clouds = append(scatter.Clouds, drawn)
		}
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
