package paper

import (
	"context"
	"fmt"
	"math"

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
	clouds := make([]layerCloud, len(runs))
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
	return cloudScatter(r, clouds, runs, clean, classes).Figure()
}
