package viz

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type span struct{ low, high float64 }

// include returns the smallest span that holds s and the values.
func (s span) include(values ...float64) span {
	for _, value := range values {
		s.low, s.high = math.Min(s.low, value), math.Max(s.high, value)
	}
	return s
}

// includePoints returns the spans of both axes that hold points, too.
func includePoints(x, y span, sets ...[][2]float64) (span, span) {
	for _, point := range slices.Concat(sets...) {
		x, y = x.include(point[0]), y.include(point[1])
	}
	return x, y
}

// nothing returns the span that holds no value, where include starts.
func nothing() span { return span{math.Inf(1), math.Inf(-1)} }

// rounding is the part of a value below which a difference means nothing.
const rounding = 1e-9

// size returns the larger one of the ends' sizes.
func (s span) size() float64 { return math.Max(math.Abs(s.low), math.Abs(s.high)) }

// flat reports whether the ends differ only by rounding: ticks between them would look equal.
func (s span) flat() bool { return s.high-s.low <= rounding*s.size() }

// widen returns the span with a margin of the given fraction on both sides. Values that differ by
// rounding only get a span around them.
func (s span) widen(fraction float64) span {
	size := s.high - s.low
	if s.flat() {
		size = math.Max(1, s.size())
	}
	return span{s.low - fraction*size, s.high + fraction*size}
}

// atLeast returns the span, or one of the given size around it. It doesn't go below zero unless the
// span does.
func (s span) atLeast(size float64) span {
	lack := size - (s.high - s.low)
	if lack <= 0 || s.low > s.high {
		return s
	}
	down := lack / 2
	if s.low >= 0 {
		down = min(down, s.low)
	}
	return span{s.low - down, s.high + lack - down}
}

// notNegative returns the span from zero on, if only error bars go below it.
func (s span) notNegative(curves []curve) span {
	negative := slices.ContainsFunc(curves, func(c curve) bool {
		return slices.ContainsFunc(c.y, func(y float64) bool { return y < 0 })
	})
	if !negative {
		s.low = max(0, s.low)
	}
	return s
}

// fromZero returns the span with a margin of the given fraction. It starts at zero, where a curve's
// height shows its size, unless the values are negative or far above.
func (s span) fromZero(fraction float64) span {
	wide := s.widen(fraction)
	if s.low >= 0 && s.low <= 0.5*s.high {
		wide.low = 0
	}
	return wide
}

// ticker labels an axis at the multiples of a step, for the axis's range when it's drawn. The step
// is 1, 2 or 5 times a power of ten, the smallest that makes at most the given number of intervals,
// or the next smaller one if that would make a single tick, from which no value can be read.
type ticker struct {
	intervals int  // most intervals between labels
	whole     bool // at whole numbers only
}

// Ticks returns the labelled places from low to high.
func (t ticker) Ticks(low, high float64) []plot.Tick {
	step := niceStep((high - low) / float64(t.intervals))
	if t.whole {
		return ticksAt(low, high, max(1, step))
	}
	if ticks := ticksAt(low, high, step); len(ticks) > 1 {
		return ticks
	}
	return ticksAt(low, high, niceStep(step/2.5))
}

// ticksAt returns the ticks at the multiples of step, a nice one, from low to high.
func ticksAt(low, high, step float64) (ticks []plot.Tick) {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	slack := 1e-9 * step
	for k := math.Ceil((low - slack) / step); k*step <= high+slack; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: tickLabel(k*step, decimals)})
	}
	return ticks
}

// fromZeroTicks suit a quantity that can't be negative.
var fromZeroTicks = plot.TickerFunc(func(low, high float64) []plot.Tick {
	return slices.DeleteFunc(ticker{6, false}.Ticks(low, high), func(t plot.Tick) bool {
		return t.Value < 0
	})
})

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is at least the given size.
func niceStep(size float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(size)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= size*(1-1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// tickLabel writes a value with the decimals that its neighbours need; very large and very small
// ones with an exponent.
func tickLabel(value float64, decimals int) string {
	if size := math.Abs(value); decimals > 4 && size < 0.01 || size >= 1e6 {
		return letters(strconv.FormatFloat(value, 'g', 4, 64))
	}
	return letters(strconv.FormatFloat(value+0, 'f', decimals, 64))
}

// Sizes of a strip, in points.
const (
	stripHeight vg.Length = 34  // of the highest step
	stripGap    vg.Length = 9   // between the strip and the axes
	stripMarker vg.Length = 2.2 // radius of a marker
)

// stripMarks is the least distance between the markers of one histogram, in bins.
const stripMarks = 3

// strip is a low histogram of confidences above the axes of a chart, on the same horizontal axis.
type strip struct {
	bins  [][]float64 // [curves][bins], shares that are drawn relative to the largest of all
	looks []style     // [curves]
}

// height returns the height that the strip takes above the axes; none without bins.
func (s strip) height() vg.Length {
	if len(s.bins) == 0 {
		return 0
	}
	return stripHeight + 2*stripGap
}

// paint draws the outline of each histogram above the given inside of the axes, and over all
// outlines the markers.
func (s strip) paint(canvas, inside draw.Canvas, axes *plot.Plot) {
	if len(s.bins) == 0 {
		return
	}
	bottom := inside.Max.Y + stripGap
	canvas.StrokeLine2(pen(gridInk, axisWidth), inside.Min.X, bottom, inside.Max.X, bottom)
	at := xy(inside.Min.X-tickLength-2, bottom+stripHeight/2)
	write(canvas, "share", tickSize, softInk, draw.XRight, at)
	toX, _ := axes.Transforms(&inside)
	top := cmp.Or(slices.Max(slices.Concat(s.bins...)), 1)
	place := func(x, share float64) vg.Point {
		return xy(toX(x), bottom+stripHeight*vg.Length(share/top))
	}
	for i, shares := range s.bins {
		canvas.StrokeLines(draw.LineStyle{Color: s.looks[i].colour, Width: barWidth,
			Dashes: s.looks[i].dashes}, steps(shares, place))
	}
	for i, shares := range s.bins {
		for _, bin := range s.marked(i) {
			at := place((float64(bin)+0.5)/float64(len(shares)), shares[bin])
			drawMarkerOf(stripMarker, &canvas, s.looks[i], at)
		}
	}
}

// marked returns the bins of one histogram that have its marker: not empty, and different from the
// other histograms' marked bins, so that no marker hides another. A histogram too narrow for them
// has it on its largest bin.
func (s strip) marked(histogram int) (bins []int) {
	stride := max(stripMarks, len(s.bins))
	for bin := len(s.bins[histogram]) - 1 - histogram; bin >= 0; bin -= stride {
		if s.bins[histogram][bin] > 0 {
			bins = append(bins, bin)
		}
	}
	if bins == nil {
		bins = append(bins, slices.Index(s.bins[histogram], slices.Max(s.bins[histogram])))
	}
	return bins
}

// steps returns the corners of one histogram's outline.
func steps(shares []float64, place func(x, share float64) vg.Point) []vg.Point {
	corners, count := []vg.Point{place(0, 0)}, float64(len(shares))
	for bin, share := range shares {
		corners = append(corners, place(float64(bin)/count, share),
			place(float64(bin+1)/count, share))
	}
	return append(corners, place(1, 0))
}
