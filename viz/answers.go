package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Answers is an image with several classifiers' predictions for a changed version.
type Answers struct {
	Classes       []string // names, by label
	Truth         int      // label of the image; Unlabelled if unknown
	Height, Width int      // of the image, in pixels
	Clean         []uint8  // RGB bytes [height, width, 3]
	Changed       []uint8  // the same; nil if the question is about the clean image
	// in words, for example "fog, severity 3"; of an image without a label, its name
	Change string
	By     []Answer // one for each classifier
	Scale  float64  // how much larger than in print the figure is shown; 0 means 1
}

// Unlabelled is the Truth of an image whose class isn't known.
const Unlabelled = -1

// Answer is the answer of one classifier.
type Answer struct {
	Name          string    // of the classifier
	Probabilities []float64 // [classes], for the changed image
	Before        []float64 // [classes], for the clean one; nil isn't drawn
	// [classes], standard deviations over the draws of the noise; nil isn't drawn
	Spread []float64
}

// AnswerBars draws the clean and the changed image, and to their right, or below if they're no
// higher, the class probabilities of each classifier as bars. The row of the true class is tinted.
// The bar of the most probable class is blue with a tick if it is the true one, otherwise orange
// with a cross. A short black line is the probability before the change if that is at least 1 %.
// Without a label the bar of the most probable class is blue. A thin line along a bar is one
// standard deviation to both sides.
func AnswerBars(answers Answers) (*Figure, error) {
	if err := answers.check(); err != nil {
		return nil, err
	}
	images, err := answers.images()
	if err != nil {
		return nil, err
	}
	var panels []*Figure
	for i, answer := range answers.By {
		panels = append(panels, newAnswerPanel(answers, answer, i == 0).figure())
	}
	bars, err := Row(panels...)
	if err != nil {
		return nil, err
	}
	arrange := Row
	_, high := images.Size()
	if _, height := bars.Size(); height <= high {
		arrange = Column
	}
	whole, err := arrange(images, bars)
	if err == nil {
		whole.scale = answers.Scale
	}
	return whole, err
}

// check returns an error that names the first thing that doesn't fit.
func (a Answers) check() error {
	if len(a.By) == 0 {
		return errors.New("viz: answers of no classifier: give at least one")
	}
	if a.Truth < Unlabelled || a.Truth >= len(a.Classes) {
		return fmt.Errorf("viz: the true class %d of %d: give the label of the image", a.Truth,
			len(a.Classes))
	}
	rounded := span{0, 1 + 1e-6}
	for _, answer := range a.By {
		owner, classes := fmt.Sprintf("the answer of %q", answer.Name), len(a.Classes)
		if err := cmp.Or(
			paired(owner, "classes", classes, "probabilities", len(answer.Probabilities)),
			within(owner, "probability", answer.Probabilities, rounded),
			optional(owner, "classes", classes, "standard deviations", answer.Spread),
			within(owner, "standard deviation", answer.Spread, zeroOrUp),
			optional(owner, "classes", classes, "probabilities before", answer.Before),
			within(owner, "probability before", answer.Before, rounded),
		); err != nil {
			return err
		}
	}
	return nil
}

// answerSide is the least width of an image in a notebook, in pixels of the screen.
const answerSide = 128

// images draws the clean image, and right of it the changed one.
func (a Answers) images() (*Figure, error) {
	title := a.Change
	if a.Truth != Unlabelled {
		title = "clean: " + a.Classes[a.Truth]
	}
	grid := ImageGrid{
		Columns: []string{title}, Height: a.Height, Width: a.Width,
		Pixels: [][][]uint8{{a.Clean}}, Side: answerSide,
	}
	if a.Changed != nil {
		grid.Columns, grid.Pixels[0] = append(grid.Columns, a.Change),
			append(grid.Pixels[0], a.Changed)
	}
	figure, err := CorruptionGrid(grid)
	if err == nil && slices.ContainsFunc(a.By, func(answer Answer) bool {
		return answer.Spread != nil
	}) {
		return figure.noted("lines: ±1 sd over draws"), nil
	}
	if err != nil || a.Changed == nil || a.By[0].Before == nil {
		return figure, err
	}
	return figure.noted("black lines: the clean image"), nil
}

// Sizes of a panel of answers, in points.
const (
	answerRow     vg.Length = 13.5 // height of a class
	answerBar     vg.Length = 9    // thickness of a bar
	answerLength  vg.Length = 104  // of a probability of one
	answerNumber  vg.Length = 34   // room for a percentage right of the bars
	answerHeading vg.Length = 36   // of the name and the answer
	answerScale   vg.Length = 18   // of the axis below
	answerMark    vg.Length = 4.5  // half the size of a tick or a cross
)

// leastMarked is the least probability before the change that is drawn.
const leastMarked = 0.01

// The colours of answers. A colour-blind reader can tell right from wrong; the marks show it as
// well.
var (
	rightInk   = rgb(0x0067a8)
	wrongInk   = rgb(0xc4511d)
	restInk    = rgb(0xa8a8a8)
	truthGlow  = rgb(0xe3eef6)
	beforeMark = pen(ink, 1.2)
)

// answerPanel shows the answer of one classifier, with or without the names of the classes.
type answerPanel struct {
	Answers
	answer Answer
	top    int // label of the answer
	colour color.NRGBA
	named  bool
	left   vg.Length // room for the names of the classes
}

func newAnswerPanel(answers Answers, answer Answer, named bool) answerPanel {
	p := answerPanel{answers, answer, slices.Index(answer.Probabilities,
		slices.Max(answer.Probabilities)), wrongInk, named, margin}
	if p.top == p.Truth || p.Truth == Unlabelled {
		p.colour = rightInk
	}
	if named {
		p.left += widest(p.Classes) + 22 // the mark of the true class is before its name
	}
	return p
}

// figure lays the panel out.
func (p answerPanel) figure() *Figure {
	height := answerHeading + answerRow*vg.Length(len(p.Classes)) + answerScale + margin
	return newFigure(layout{width: p.left + answerLength + answerNumber, body: height,
		paint: func(canvas draw.Canvas, header vg.Length) {
			canvas.Max.Y -= header
			p.paintHeading(canvas)
			p.paintScale(canvas)
			for class := range p.Classes {
				p.paintClass(canvas, class)
			}
		}})
}

// paintHeading writes the classifier's name and below it its answer with a mark.
func (p answerPanel) paintHeading(canvas draw.Canvas) {
	left := canvas.Min.X + p.left
	write(canvas, p.answer.Name, labelSize, ink, draw.XLeft, xy(left, canvas.Max.Y-8))
	at := xy(left+answerMark, canvas.Max.Y-25)
	if p.Truth != Unlabelled {
		paintVerdict(canvas, at, p.colour, p.top == p.Truth)
		left += 3 * answerMark
	}
	text := fmt.Sprintf("%s %.0f %%", p.Classes[p.top], 100*p.answer.Probabilities[p.top])
	write(canvas, text, tickSize, p.colour, draw.XLeft, xy(left, at.Y))
}

// paintVerdict draws a tick for a right answer and a cross for a wrong one.
func paintVerdict(canvas draw.Canvas, at vg.Point, colour color.Color, right bool) {
	line := pen(colour, 2)
	move := func(x, y vg.Length) vg.Point {
		return at.Add(xy(x*answerMark, y*answerMark))
	}
	if right {
		canvas.StrokeLines(line, []vg.Point{move(-1, 0), move(-0.3, -0.8), move(1, 0.9)})
		return
	}
	canvas.StrokeLines(line, []vg.Point{move(-0.8, -0.8), move(0.8, 0.8)})
	canvas.StrokeLines(line, []vg.Point{move(-0.8, 0.8), move(0.8, -0.8)})
}

// paintScale draws light lines at 0, 50 and 100 %, and writes them below.
func (p answerPanel) paintScale(canvas draw.Canvas) {
	top := canvas.Max.Y - answerHeading
	bottom := top - answerRow*vg.Length(len(p.Classes))
	tint := vg.Rectangle{
		Min: xy(canvas.Min.X, top-answerRow*vg.Length(p.Truth+1)),
		Max: xy(canvas.Min.X+p.left+answerLength+answerNumber, top-answerRow*vg.Length(p.Truth)),
	}
	if p.Truth != Unlabelled {
		fill(canvas, tint, truthGlow)
	}
	for _, share := range []float64{0, 0.5, 1} {
		x := canvas.Min.X + p.left + answerLength*vg.Length(share)
		canvas.StrokeLine2(pen(gridInk, gridWidth), x, bottom, x, top)
		write(canvas, fmt.Sprintf("%.0f %%", 100*share), tickSize, softInk, draw.XCenter,
			xy(x, bottom-answerScale/2))
	}
}

// paintClass draws the bar of a class, with its number if it is the answer or the truth.
func (p answerPanel) paintClass(canvas draw.Canvas, class int) {
	left, y := canvas.Min.X+p.left, canvas.Max.Y-answerHeading-answerRow*(vg.Length(class)+0.5)
	if p.named {
		p.paintName(canvas, class, xy(left-6, y))
	}
	length := answerLength * vg.Length(p.answer.Probabilities[class])
	shade := restInk
	if class == p.top {
		shade = p.colour
	}
	low, high := xy(left, y-answerBar/2), xy(left+length, y+answerBar/2)
	fill(canvas, vg.Rectangle{Min: low, Max: high}, shade)
	if p.answer.Spread != nil {
		mean, sd := p.answer.Probabilities[class], p.answer.Spread[class]
		end := func(share float64) vg.Point {
			return xy(left+answerLength*vg.Length(min(max(share, 0), 1)), y)
		}
		paintInterval(canvas, beforeMark, end(mean-sd), end(mean+sd), vg.Point{})
	}
	if p.answer.Before != nil && p.answer.Before[class] >= leastMarked {
		x := left + answerLength*vg.Length(p.answer.Before[class])
		canvas.StrokeLine2(beforeMark, x, y-answerRow/2+1, x, y+answerRow/2-1)
	}
	if class == p.top || class == p.Truth {
		text := fmt.Sprintf("%.0f %%", 100*p.answer.Probabilities[class])
		write(canvas, text, tickSize, ink, draw.XRight, xy(left+answerLength+answerNumber-4, y))
	}
}

// paintName writes a class name, and for the true class a triangle that points to it.
func (p answerPanel) paintName(canvas draw.Canvas, class int, right vg.Point) {
	write(canvas, p.Classes[class], tickSize, ink, draw.XRight, right)
	if class != p.Truth {
		return
	}
	x := right.X - textWidth(p.Classes[class], tickSize) - 5
	canvas.FillPolygon(ink, []vg.Point{xy(x, right.Y), xy(x-6, right.Y+4), xy(x-6, right.Y-4)})
}
