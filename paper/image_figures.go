package paper

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Question asks what a method's network says about the first test images under one corruption.
type Question struct {
	Method     string
	Corruption string // one of corrupt.Names
	Severity   int    // 0, clean, to 5
	Images     int    // number of test images, from the first; 0 means 4
}

// AnswerFigure draws the images of a question, clean and corrupted. The label of each row is the
// class that the network of the method's first seed finds most probable for the corrupted image,
// with its probability. A question mark marks a wrong class.
func (r *Result) AnswerFigure(ctx context.Context, q Question) (*viz.Figure, error) {
	if q.Images == 0 {
		q.Images = 4
	}
	runs := r.of(q.Method)
	if len(runs) == 0 {
		return nil, fmt.Errorf("paper: no method is called %q: choose one of %s", q.Method, join(r.methodNames()))
	}
	data, err := r.Setup.testImages(ctx, q.Images)
	if err != nil {
		return nil, err
	}
	answers, err := answersOf(ctx, r, runs[0], q, data.Classes)
	if err != nil {
		return nil, err
	}
	corrupted, err := r.Setup.corrupted(ctx, data.Test, q.Corruption, q.Severity, 0)
	if err != nil {
		return nil, err
	}
	grid := viz.ImageGrid{
		Rows: answers, Columns: []string{"clean", fmt.Sprint("severity ", q.Severity)},
		Height: data.Test.Height, Width: data.Test.Width,
	}
	for i := range data.Test.Count() {
		clean := data.Test.Slice(i, i+1).Pixels
		grid.Pixels = append(grid.Pixels, [][]uint8{clean, corrupted[i*len(clean):][:len(clean)]})
	}
	figure, err := viz.CorruptionGrid(grid)
	if err != nil {
		return nil, err
	}
	return figure.Titled(q.title()), nil
}

// title names the network and the images, such as "gamma 1 under gaussian noise, severity 3".
func (q Question) title() string {
	if q.Severity == 0 {
		return q.Method + " on clean images"
	}
	return fmt.Sprintf("%s under %s, severity %d", q.Method, strings.ReplaceAll(q.Corruption, "_", " "), q.Severity)
}

// answersOf returns what the network says about each image, such as "ring 93 %".
func answersOf(ctx context.Context, r *Result, run RunResult, q Question, classes []string) ([]string, error) {
	evaluation := r.Setup.Evaluation
	evaluation.Images = q.Images
	corruption := q.Corruption
	if q.Severity == 0 {
		corruption = score.Clean
	}
	prediction, labels, err := run.Predict(ctx, evaluation, corruption, q.Severity)
	if err != nil {
		return nil, err
	}
	answers := make([]string, prediction.Images)
	for i := range answers {
		class, probability := likeliest(prediction.Image(i), prediction.Classes)
		mark := ""
		if class != int(labels[i]) {
			mark = "?"
		}
		answers[i] = fmt.Sprintf("%s%s %.0f %%", classes[class], mark, 100*probability)
	}
	return answers, nil
}

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
		if pictures[i], err = implicitPicture(r, run, image, draw); err != nil {
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
