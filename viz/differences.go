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

// Difference is a difference between two methods, for example of their NLL at one corruption level.
type Difference struct {
	Name      string      // of its row
	Mean      float64     // over the seeds
	Interval  *[2]float64 // of the mean; nil draws none
	Each      []float64   // of each seed, drawn as small dots; nil draws none
	Paper     *float64    // the paper's own difference, drawn as a diamond; nil draws none
	Scaled    *Difference // after one temperature each, drawn as a ring; nil draws none
	Undecided bool        // draws a ring in a row, too
}

// DifferencePlot is several differences of one quantity.
type DifferencePlot struct {
	Quantity    string // with its unit, for example "M32 - M16 (nats)"
	Differences []Difference
	// side of zero on which a claim expects them, shaded: -1 below, +1 above, 0 neither
	Claimed int
	Caption string // for example "dots: 3 seeds; bars: 95 % intervals"
}

// LevelDifference is a difference between two methods at each corruption level.
type LevelDifference struct {
	Name   string       // of the comparison, for example "M32 - M16"; it decides the colour
	Levels []Difference // of the levels 0, 1, 2, ...; their names aren't drawn
}

// LevelDifferencePlot is the difference of one metric at each corruption level, for one pair of
// methods or several.
type LevelDifferencePlot struct {
	Quantity     string // with its unit, for example "difference in NLL (nats)"
	Above, Below string // labels of the sides of zero, for example "M32 worse" and "M32 better"
	Series       []LevelDifference
	Colours      []string // of the series, as "#0067a8"; nil chooses by their names
}

// check refuses values that can't be drawn.
func (d Difference) check(name string) error {
	if d.Interval != nil && d.Interval[0] > d.Interval[1] {
		return fmt.Errorf("viz: the interval of %q ends at %g before it begins at %g: give the "+
			"lower end first", name, d.Interval[1], d.Interval[0])
	}
	return within(fmt.Sprintf("%q", name), "difference", d.mark(style{}).values(), numbers)
}

// mark returns the difference's mark in a row.
func (d Difference) mark(look style) mark {
	m := mark{means: []float64{d.Mean}, seeds: d.Each, paper: d.Paper, look: look,
		bar: pen(look.colour, curveWidth)}
	if d.Undecided {
		m.look = scaledMark
	}
	if d.Interval != nil {
		m.interval = d.Interval[:]
	}
	if d.Scaled != nil {
		scaled := Difference{Mean: d.Scaled.Mean, Interval: d.Scaled.Interval}.mark(scaledMark)
		m.scaled = &scaled
		m.scaled.bar.Width = axisWidth
	}
	return m
}

func (d Difference) decided() bool {
	return d.Interval != nil && cmp.Compare(d.Interval[0], 0)*cmp.Compare(d.Interval[1], 0) > 0
}

// Sizes of a plot of differences, in points.
const (
	differenceRow  vg.Length = 21
	differenceRoom vg.Length = 80 // for the axis and the caption
)

var (
	differenceStyle = newStyle(0, 0)
	scaledMark      = style{colour: differenceStyle.colour, marker: effectGlyph{hollow: true}}
)

// Differences draws a row for each difference: its mean with the interval and a dot for each seed,
// against a line at zero.
func Differences(p DifferencePlot) (*Figure, error) {
	if len(p.Differences) == 0 {
		return nil, errors.New("viz: a plot of 0 differences: give at least one")
	}
	result := chart{
		xLabel: p.Quantity, x: nothing().include(0), caption: p.Caption,
		below:  []plot.Plotter{painter(p.paintClaimed)},
		height: max(chartHeight, differenceRow*vg.Length(len(p.Differences))+differenceRoom),
		width:  chartWidth,
	}
	names, marks := make([]string, len(p.Differences)), make([]mark, len(p.Differences))
	for i, d := range p.Differences {
		if err := d.check(d.Name); err != nil {
			return nil, err
		}
		names[i], marks[i] = d.Name, d.mark(differenceStyle)
		marks[i].aside = -differenceRow / 3
		result.width = max(result.width, chartWidth+textWidth(d.Name, tickSize)-textWidth("0.00",
			tickSize))
	}
	result.entries = p.entries()
	result.addRows(names, marks)
	result.x = result.x.widen(0.08)
	return result.figure(), nil
}

// entries names the marks, if there are several kinds.
func (p DifferencePlot) entries() (all []entry) {
	add := func(name string, look style, has func(Difference) bool) {
		if slices.ContainsFunc(p.Differences, has) {
			all = append(all, entry{name: name, style: look})
		}
	}
	add("with one temperature", scaledMark, func(d Difference) bool { return d.Scaled != nil })
	add("paper", paperMark, func(d Difference) bool { return d.Paper != nil })
	if all != nil {
		all = slices.Insert(all, 0, entry{name: "ours", style: differenceStyle})
	}
	return all
}

// paintClaimed shades the claimed side of zero, if there is one, and draws the line at zero.
func (p DifferencePlot) paintClaimed(canvas draw.Canvas, axes *plot.Plot) {
	toX, _ := axes.Transforms(&canvas)
	zero := min(max(toX(0), canvas.Min.X), canvas.Max.X)
	side := canvas.Rectangle
	if p.Claimed < 0 {
		side.Max.X = zero
	} else {
		side.Min.X = zero
	}
	if p.Claimed != 0 {
		fill(canvas, side, claimedInk)
	}
	canvas.StrokeLine2(pen(ink, axisWidth), zero, canvas.Min.Y, zero, canvas.Max.Y)
}

// claimedInk is the background of the claimed side.
var claimedInk = rgb(0xe9f2e6)

// Sizes of a plot of differences at levels.
const (
	effectHeight           = 3.75 * vg.Inch
	effectShift            = 0.34 // from one series to the next, in levels
	effectWidth  vg.Length = 1.5  // of bars and rings, in points
	seedShift    vg.Length = 6    // of the dots from their bar to its outer side, in points
	aloneRadius  vg.Length = 2.6  // of a seed's dot without an interval, in points
	sideRoom               = 0.11 // above and below all marks, for the words at the sides of zero
)

// LevelDifferences draws differences against the corruption level. Each has its interval as a bar
// and a small dot for each seed. The mark of the mean is filled if the interval excludes zero, and
// hollow if it doesn't. A difference without an interval has dots but no mark. The paper's
// differences are thin dashed lines. All series must have the same levels.
func LevelDifferences(p LevelDifferencePlot) (*Figure, error) {
	names, err := p.checkedNames()
	if err != nil {
		return nil, err
	}
	looks, outermost := styles(names), effectShift*float64(len(p.Series)-1)/2
	result := chart{
		xLabel: "corruption level (0 = clean)", yLabel: p.Quantity, xTicks: ticker{10, true},
		x:     span{-0.4 - outermost, float64(len(p.Series[0].Levels)-1) + 0.4 + outermost},
		y:     nothing().include(0),
		below: []plot.Plotter{painter(p.paintZero)}, width: panelWidth, height: effectHeight,
	}
	for i, s := range p.Series {
		if p.Colours != nil {
			if looks[i].colour, err = parseColour(p.Colours[i]); err != nil {
				return nil, err
			}
		}
		result.addEffects(s, looks[i], effectShift*float64(i)-outermost)
	}
	result.y = result.y.widen(sideRoom)
	p.explain(&result)
	return result.figure(), nil
}

// checkedNames returns the names of the series, or an error if one can't be drawn.
func (p LevelDifferencePlot) checkedNames() (names []string, err error) {
	if len(p.Series) == 0 {
		return nil, errors.New("viz: a plot of 0 differences: give at least one")
	}
	if p.Colours != nil && len(p.Colours) != len(p.Series) {
		return nil, fmt.Errorf("viz: %d series have %d colours: give each one, or none",
			len(p.Series), len(p.Colours))
	}
	for _, s := range p.Series {
		switch first := p.Series[0]; {
		case s.Name == "" || slices.Contains(names, s.Name):
			return nil, fmt.Errorf("viz: differences are called %q: give each its own name", s.Name)
		case len(s.Levels) == 0 || len(s.Levels) != len(first.Levels):
			return nil, fmt.Errorf("viz: %q has %d levels and %q has %d: give all the same", s.Name,
				len(s.Levels), first.Name, len(first.Levels))
		}
		for level, d := range s.Levels {
			if err := d.check(fmt.Sprintf("%s, level %d", s.Name, level)); err != nil {
				return nil, err
			}
		}
		names = append(names, s.Name)
	}
	return names, nil
}

// addEffects adds a series to a chart, moved sideways by a part of a level, with the paper's
// differences below it, and names it.
func (c *chart) addEffects(s LevelDifference, look style, shift float64) {
	named := curve{name: s.Name, style: style{colour: look.colour, marker: effectGlyph{}}}
	paper := curve{name: "paper", style: look.paper()}
	for level, d := range s.Levels {
		m := d.mark(look)
		c.y = c.y.include(m.values()...)
		named.x, named.y = append(named.x, float64(level)), append(named.y, d.Mean)
		if d.Paper != nil {
			paper.x, paper.y = append(paper.x, float64(level)), append(paper.y, *d.Paper)
		}
		m.upright, m.place, m.paper, m.bar.Width, m.aside = true, float64(level)+shift, nil,
			effectWidth, -seedShift
		if shift > 0 {
			m.aside = seedShift
		}
		m.look = style{colour: look.colour, marker: effectGlyph{hollow: !d.decided()}}
		if d.Interval == nil {
			m.means, m.dot, m.aside = nil, aloneRadius, 0
		}
		c.above = append(c.above, m)
	}
	if len(paper.x) > 0 {
		if slices.ContainsFunc(c.entries, func(e entry) bool { return e.name == paper.name }) {
			paper.name = "" // one of several lines is named
		} else {
			c.entries = append(c.entries, entry{name: paper.name, style: paper.style})
		}
		c.curves = append(c.curves, paper)
	}
	c.add(named, s.Name)
}

// explain explains bars and dots in the chart's caption, and filled and hollow marks in its legend.
func (p LevelDifferencePlot) explain(c *chart) {
	seeds, intervals := 0, false
	for _, s := range p.Series {
		for _, d := range s.Levels {
			seeds, intervals = max(seeds, len(d.Each)), intervals || d.Interval != nil
		}
	}
	if intervals {
		c.caption = "bars: 95 % intervals of the mean"
		c.entries = append(c.entries, entry{name: "excludes zero", rank: 1,
			style: style{colour: softInk, marker: effectGlyph{}}},
			entry{name: "undecided", rank: 1, style: style{colour: softInk,
				marker: effectGlyph{hollow: true}}})
	}
	if seeds > 0 {
		c.caption = joined(c.caption, "dots: "+quantity.Count(seeds, "seed"))
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

// paintZero draws a bold line if zero is within the axes, and labels its sides at the top and the
// bottom.
func (p LevelDifferencePlot) paintZero(canvas draw.Canvas, axes *plot.Plot) {
	_, toY := axes.Transforms(&canvas)
	left, line := xy(canvas.Min.X, toY(0)), pen(ink, 2*axisWidth)
	strokeWithin(canvas, line, left, xy(canvas.Max.X, left.Y))
	words := xy(canvas.Min.X+margin, canvas.Max.Y-tickSize/2)
	write(canvas, p.Above, tickSize, sideInk, draw.XLeft, words)
	words.Y = canvas.Min.Y + tickSize
	write(canvas, p.Below, tickSize, sideInk, draw.XLeft, words)
}

// sideInk is the ink of the words at the sides of zero.
var sideInk = rgb(0x707070)
