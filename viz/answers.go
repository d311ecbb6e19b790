package viz

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Answers is an image with what several classifiers say about a changed version of it.
type Answers struct {
	Classes       []string // names, by label
	Truth         int      // label of the image
	Height, Width int      // of the image, in pixels
	Clean         []uint8  // RGB bytes [height, width, 3]
	Changed       []uint8  // the same; nil if the question is about the clean image
	Change        string   // in words, such as "fog, severity 3"
	By            []Answer // one for each classifier
}

// Answer is the answer of one classifier.
type Answer struct {
	Name          string    // of the classifier
	Probabilities []float64 // [classes], for the changed image
	Before        []float64 // [classes], for the clean one; nil isn't drawn
}

func (a Answer) top() int {
	return slices.Index(a.Probabilities, slices.Max(a.Probabilities))
}

// AnswerBars draws the clean and the changed image, and to their right the class probabilities of
// each classifier as bars. The row of the true class is tinted. The bar of the most probable class
// is blue with a tick if it is the true one, otherwise orange with a cross. A short black line is
// the probability before the change, where that is at least 1 %.
func AnswerBars(answers Answers) (*Figure, error) {
	if err := answers.check(); err != nil {
		return nil, err
	}
	images, err := answers.images()
	if err != nil {
		return nil, err
	}
	figures := []*Figure{images}
	for i, answer := range answers.By {
		figures = append(figures, answerPanel{answers, answer, i == 0}.figure())
	}
	return Row(figures...)
}

// check returns an error that names the first thing that doesn't fit.
func (a Answers) check() error {
	if len(a.By) == 0 {
		return errors.New("viz: answers of no classifier: give at least one")
	}
	if a.Truth < 0 || a.Truth >= len(a.Classes) {
		return fmt.Errorf("viz: the true class %d of %d: give the label of the image", a.Truth, len(a.Classes))
	}
	for _, answer := range a.By {
		for _, p := range [][]float64{answer.Probabilities, answer.Before} {
			if err := a.checkProbabilities(answer.Name, p); err != nil {
				return err
			}
		}
		if answer.Probabilities == nil {
			return fmt.Errorf("viz: %s gives no probabilities: give one for each class", answer.Name)
		}
	}
	return nil
}

// checkProbabilities returns an error unless there are none, or one for each class.
func (a Answers) checkProbabilities(name string, values []float64) error {
	if values != nil && len(values) != len(a.Classes) {
		return fmt.Errorf("viz: %s gives %d probabilities for %d classes: give one for each", name, len(values), len(a.Classes))
	}
	for class, p := range values {
		if math.IsNaN(p) || p < 0 || p > 1+1e-6 {
			return fmt.Errorf("viz: %s gives %s the probability %g: give 0 to 1", name, a.Classes[class], p)
		}
	}
	return nil
}

// answerSide is the least width of an image in a notebook, in pixels of the screen.
const answerSide = 128

// images draws the clean image, and right of it the changed one.
func (a Answers) images() (*Figure, error) {
	grid := ImageGrid{
		Columns: []string{"clean: " + a.Classes[a.Truth]}, Height: a.Height, Width: a.Width,
		Pixels: [][][]uint8{{a.Clean}}, Side: answerSide,
	}
	if a.Changed != nil {
		grid.Columns, grid.Pixels[0] = append(grid.Columns, a.Change), append(grid.Pixels[0], a.Changed)
	}
	figure, err := CorruptionGrid(grid)
	if err != nil || a.Changed == nil || a.By[0].Before == nil {
		return figure, err
	}
	return noted(figure, "black lines: the clean image"), nil
}

// noteHeight is the height of a line below images, in points.
const noteHeight = vg.Length(20)

// noted returns a figure with a line of small text below it, at its left.
func noted(f *Figure, text string) *Figure {
	with := *f
	with.body += noteHeight
	if f.bare != nil {
		with.bare = noted(f.bare, text)
	}
	with.paint = func(canvas draw.Canvas, header vg.Length) {
		f.paint(canvas, header)
		at := vg.Point{X: canvas.Min.X + margin, Y: canvas.Max.Y - header - f.body - noteHeight/2}
		write(canvas, text, fitted(text, captionSize, f.width-2*margin), softInk, draw.XLeft, at)
	}
	return &with
}
