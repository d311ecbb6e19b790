package viz

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a strip, in points.
const (
	stripHeight = vg.Length(34)  // of the highest step
	stripGap    = vg.Length(9)   // between the strip and the axes
	stripMarker = vg.Length(2.2) // radius of a marker
)

// stripMarks is the least distance between the markers of one histogram, in bins.
const stripMarks = 3

// strip is a low histogram above the axes of a chart, on the same horizontal axis.
type strip struct {
	label string
	edges []float64   // [bins+1], rising
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

// paint draws the outline of each histogram above the given inside of the axes, and over all outlines the markers.
func (s strip) paint(canvas, inside draw.Canvas, axes *plot.Plot) {
	if len(s.bins) == 0 {
		return
	}
	bottom := inside.Max.Y + stripGap
	canvas.StrokeLine2(draw.LineStyle{Color: gridInk, Width: axisWidth}, inside.Min.X, bottom, inside.Max.X, bottom)
	at := vg.Point{X: inside.Min.X - tickLength - 2, Y: bottom + stripHeight/2}
	write(canvas, s.label, captionSize, softInk, draw.XRight, at)
	toX, _ := axes.Transforms(&inside)
	top := s.largest()
	place := func(x, share float64) vg.Point {
		return vg.Point{X: toX(x), Y: bottom + stripHeight*vg.Length(share/top)}
	}
	for i, shares := range s.bins {
		canvas.StrokeLines(draw.LineStyle{Color: s.looks[i].colour, Width: barWidth, Dashes: s.looks[i].dashes}, s.steps(shares, place))
	}
	for i, shares := range s.bins {
		for _, bin := range s.marked(i) {
			drawMarkerOf(stripMarker, &canvas, s.looks[i], place((s.edges[bin]+s.edges[bin+1])/2, shares[bin]))
		}
	}
}

// marked returns the bins of one histogram that have its marker: not empty, and others than those of the other histograms, so
// that no marker hides another. A histogram that is narrower than that has it on its largest bin.
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
func (s strip) steps(shares []float64, place func(x, share float64) vg.Point) []vg.Point {
	corners := []vg.Point{place(s.edges[0], 0)}
	for bin, share := range shares {
		corners = append(corners, place(s.edges[bin], share), place(s.edges[bin+1], share))
	}
	return append(corners, place(s.edges[len(shares)], 0))
}

// largest returns the largest share, or one where there's none.
func (s strip) largest() float64 {
	largest := 0.0
	for _, shares := range s.bins {
		for _, share := range shares {
			largest = max(largest, share)
		}
	}
	if largest == 0 {
		return 1
	}
	return largest
}
