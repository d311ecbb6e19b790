package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/viz"
)

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
	if !r.evaluated || len(r.Runs[0].Implicit) == 0 {
		return viz.Table{}, fmt.Errorf("paper: figure %s has no implicit corruptions: choose one of the figures on them and call Figure.Evaluate", r.Figure.Command())
	}
	lambdas := r.Setup.filledImplicit().Lambda
	table := viz.Table{Header: slices.Concat([]string{"", "λ"}, strings.Fields(numbersText(lambdas))), Labels: 2, Caption: r.Test()}
	addRows := func(measure, ending string, changes func(RunResult) []implicit.Corruption, value func(implicit.Corruption) float64) {
		for _, method := range r.methodNames() {
			cells := meanCells(ofLambda(r, method, changes, value), 4)
			table.Rows = append(table.Rows, append([]string{measure, method + ending}, cells...))
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

// implicitPicture returns what ImplicitFigure draws of one run.
func implicitPicture(r *Result, run, image, draw int, changes func(RunResult) []implicit.Corruption) (picture viz.Implicit, err error) {
	if run < 0 || run >= len(r.Runs) {
		return picture, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
	}
	if len(r.Runs[run].Implicit) == 0 {
		return picture, fmt.Errorf("paper: figure %s has no implicit corruptions yet: Figure.Evaluate finds them", r.Figure.Command())
	}
	picture.Name = r.Runs[run].Name()
	for _, c := range changes(r.Runs[run]) {
		if c.Image != r.Setup.Implicit.First+image || c.Draw != draw {
			continue
		}
		picture.Height, picture.Width, picture.Image = c.Height, c.Width, unit(c.Clean)
		picture.Lambda = append(picture.Lambda, c.Lambda)
		picture.Masks = append(picture.Masks, float64s(c.Change))
	}
	if image == 0 && draw == 0 {
		for _, answer := range r.Runs[run].Answers {
			picture.Answers = append(picture.Answers, answer.String())
		}
	}
	if picture.Image == nil {
		return picture, fmt.Errorf("paper: no implicit corruptions of image %d, draw %d: count both from 0", image, draw)
	}
	return picture, nil
}

// unit maps bytes to 0 to 1.
func unit(pixels []uint8) []float64 {
	values := make([]float64, len(pixels))
	for i, pixel := range pixels {
		values[i] = float64(pixel) / math.MaxUint8
	}
	return values
}
