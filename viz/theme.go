package viz

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// Sizes, in points unless said otherwise. Two charts side by side are about eight inches wide: at
// half of that, the width of a paper's column, the smallest letters are still above five points.
const (
	chartWidth   = 4 * vg.Inch
	chartHeight  = 2.9 * vg.Inch  // without the legend
	squareHeight = 3.75 * vg.Inch // of a chart whose axes are equal, without the legend
	margin       = vg.Length(6)   // around a figure

	labelSize   = vg.Length(13) // of axis labels
	tickSize    = vg.Length(12) // of tick labels, legend and the captions of images
	captionSize = vg.Length(10.5)

	curveWidth   = vg.Length(1.8)
	paperWidth   = vg.Length(1.1)
	seedWidth    = vg.Length(0.8) // of the line of one seed
	barWidth     = vg.Length(1.2)
	capWidth     = vg.Length(6) // of the ends of an error bar
	axisWidth    = vg.Length(0.8)
	gridWidth    = vg.Length(0.6)
	tickLength   = vg.Length(4)
	markerRadius = vg.Length(3)
	rimWidth     = vg.Length(0.8)

	bandOpacity = 0x48 // of 0xff
)

// paperDashes is the line pattern of the paper's curves, in points of line and gap.
var paperDashes = []vg.Length{3.5, 2}

// dottedDashes is the line pattern of reference lines.
var dottedDashes = []vg.Length{1.5, 2}

// Inks of everything that is not data.
var (
	ink     = color.NRGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff} // text and axes
	softInk = color.NRGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff} // captions
	gridInk = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
)
