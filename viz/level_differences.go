package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/quantity"
)

// LevelDifference is a difference between two methods at each corruption level.
type LevelDifference struct {
	Name   string       // of the comparison, such as "M32 - M16"; it decides the colour
	Levels []Difference // of the levels 0, 1, 2, ...; their names aren't drawn
}

// LevelDifferencePlot is the difference of one metric at each corruption level, for one pair of
// methods or several.
type LevelDifferencePlot struct {
	Quantity     string // with its unit, such as "difference in NLL (nats)"
	Above, Below string // what the sides of zero mean, such as "M32 worse" and "M32 better"
	Series       []LevelDifference
}

// LevelDifferences draws differences against the corruption level. Each has its interval as a bar
// and a small dot for each seed. The mark of the mean is filled if the interval excludes zero, and
// hollow if it doesn't. A difference without an interval has no mark: its dots stand alone. The
// paper's differences are thin dashed lines. All series must have the same levels.
func LevelDifferences(p LevelDifferencePlot) (*Figure, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	looks := styles(names)
	result := chart{
		xLabel: "corruption level (0 = clean)", yLabel: p.Quantity, xTicks: ticker{10, true},
		x: span{0, float64(len(p.Series[0].Levels) - 1)}, y: nothing().include(0),
		below: []plot.Plotter{zeroLine{above: p.Above, below: p.Below}}, caption: p.caption(), width: panelWidth, height: effectHeight,
	}
	outermost := effectShift * float64(len(p.Series)-1) / 2
	for i, s := range p.Series {
		addEffects(&result, levelEffects{s.Levels, looks[i], effectShift*float64(i) - outermost}, s.Name)
	}
	result.x = result.x.include(-0.4-outermost, result.x.high+0.4+outermost)
	result.y = result.y.widen(sideRoom)
	result.entries = append(result.entries, p.outcomes()...)
	return result.figure(), nil
}

// Sizes of a plot of differences at levels.
const (
	effectHeight = 3.75 * vg.Inch
	effectShift  = 0.34           // from one series to the next, in levels
	effectWidth  = vg.Length(1.5) // of bars and rings, in points
	seedShift    = vg.Length(6)   // of the dots from their bar to its outer side, in points
	aloneRadius  = vg.Length(2.6) // of a seed's dot that stands alone, in points
	sideRoom     = 0.11           // above and below all marks, for the words at the sides of zero
)

// addEffects adds a series to a chart, with the paper's differences below it, and names it.
func addEffects(c *chart, s levelEffects, name string) {
	named := curve{name: name, style: style{colour: s.look.colour, marker: effectGlyph{}}}
	paper := curve{name: "paper", style: s.look.paper()}
	for level, d := range s.levels {
		c.y = c.y.include(d.values()...)
		named.x, named.y = append(named.x, float64(level)), append(named.y, d.Mean)
		if d.Paper != nil {
			paper.x, paper.y = append(paper.x, float64(level)), append(paper.y, *d.Paper)
		}
	}
	if len(paper.x) > 0 {
		if slices.ContainsFunc(c.entries, func(e entry) bool { return e.name == paper.name }) {
			paper.name = "" // one of several lines is named
		} else {
			c.entries = append(c.entries, entry{name: paper.name, style: paper.style})
		}
		c.curves = append(c.curves, paper)
	}
	c.curves = append(c.curves, named)
	c.entries = append(c.entries, entry{name: name, style: named.style})
	c.above = append(c.above, s)
}

// check refuses series that can't be drawn.
func (p LevelDifferencePlot) check() error {
	if len(p.Series) == 0 {
		return errors.New("viz: a plot of 0 differences: give at least one")
	}
	seen := map[string]bool{}
	for _, s := range p.Series {
		switch {
		case s.Name == "" || seen[s.Name]:
			return fmt.Errorf("viz: differences are called %q: give each its own name", s.Name)
		case len(s.Levels) == 0 || len(s.Levels) != len(p.Series[0].Levels):
			return fmt.Errorf("viz: %q has %d levels and %q has %d: give all the same", s.Name, len(s.Levels), p.Series[0].Name, len(p.Series[0].Levels))
		}
		seen[s.Name] = true
		for level, d := range s.Levels {
			d.Name = fmt.Sprintf("%s, level %d", s.Name, level)
			if err := d.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// most returns the largest number of seeds, and whether a difference has an interval.
func (p LevelDifferencePlot) most() (seeds int, intervals bool) {
	for _, s := range p.Series {
		for _, d := range s.Levels {
			seeds, intervals = max(seeds, len(d.Each)), intervals || d.Interval != nil
		}
	}
	return seeds, intervals
}

// caption says what the bars and the dots are.
func (p LevelDifferencePlot) caption() string {
	bars, dots := "", ""
	seeds, intervals := p.most()
	if intervals {
		bars = "bars: 95 % intervals of the mean"
	}
	if seeds > 0 {
		dots = "dots: " + quantity.Count(seeds, "seed")
	}
	return joined(bars, dots)
}

// outcomes are the entries that tell filled from hollow marks.
func (p LevelDifferencePlot) outcomes() []entry {
	if _, intervals := p.most(); !intervals {
		return nil
	}
	return []entry{
		{name: "excludes zero", style: style{colour: softInk, marker: effectGlyph{}}},
		{name: "undecided", style: style{colour: softInk, marker: effectGlyph{hollow: true}}},
	}
}

// effectGlyph is the mark of a mean: a disc, or a ring.
type effectGlyph struct{ hollow bool }

// DrawGlyph draws the mark around a point.
func (g effectGlyph) DrawGlyph(canvas *draw.Canvas, glyph draw.GlyphStyle, at vg.Point) {
	draw.CircleGlyph{}.DrawGlyph(canvas, glyph, at)
	if g.hollow && glyph.Color != color.White { // the rim around a marker is drawn as a white one
		glyph.Radius = max(0, glyph.Radius-effectWidth)
		canvas.SetColor(color.White)
		draw.CircleGlyph{}.DrawGlyph(canvas, glyph, at)
	}
}

// zeroLine is a bold line at zero, with words on its two sides.
type zeroLine struct{ above, below string }

// Plot draws the line where zero is within the axes, and the words at the top and the bottom.
func (z zeroLine) Plot(canvas draw.Canvas, axes *plot.Plot) {
	_, toY := axes.Transforms(&canvas)
	left, line := vg.Point{X: canvas.Min.X, Y: toY(0)}, draw.LineStyle{Color: ink, Width: 2 * axisWidth}
	strokeWithin(canvas, line, []vg.Point{left, {X: canvas.Max.X, Y: left.Y}})
	words := vg.Point{X: canvas.Min.X + margin, Y: canvas.Max.Y - captionSize/2}
	write(canvas, z.above, captionSize, sideInk, draw.XLeft, words)
	words.Y = canvas.Min.Y + captionSize
	write(canvas, z.below, captionSize, sideInk, draw.XLeft, words)
}

// sideInk is the ink of the words at the sides of zero.
var sideInk = color.NRGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}

// levelEffects are the differences of one series at their levels, moved sideways by a part of a
// level.
type levelEffects struct {
	levels []Difference
	look   style
	shift  float64
}

// Plot draws the bars, the dots of the seeds and above them the means.
func (e levelEffects) Plot(canvas draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&canvas)
	for level, d := range e.levels {
		x := toX(float64(level) + e.shift)
		at := func(value float64) vg.Point { return vg.Point{X: x, Y: toY(value)} }
		if d.Interval == nil {
			paintSeeds(canvas, d.Each, e.look.colour, aloneRadius, at, vg.Point{})
			continue
		}
		line := draw.LineStyle{Color: e.look.colour, Width: effectWidth}
		paintInterval(canvas, line, at(d.Interval[0]), at(d.Interval[1]), vg.Point{X: capWidth / 2})
		outwards := -seedShift
		if e.shift > 0 {
			outwards = seedShift
		}
		paintSeeds(canvas, d.Each, e.look.colour, dotRadius, at, vg.Point{X: outwards})
		if mean := at(d.Mean); holds(canvas, mean) {
			drawMarkerOf(differenceSize, &canvas, style{colour: e.look.colour, marker: effectGlyph{hollow: !d.decided()}}, mean)
		}
	}
}

func (d Difference) decided() bool {
	return d.Interval != nil && cmp.Compare(d.Interval[0], 0)*cmp.Compare(d.Interval[1], 0) > 0
}
