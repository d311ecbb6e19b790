package viz

import (
	"hash/fnv"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hues are the colours of Okabe and Ito without yellow, which is too pale for lines on white. The first two belong to
// the paper's pair of starts and are the pair that differs most in grey.
var hues = []color.NRGBA{
	{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, // orange
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, // blue
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, // bluish green
	{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, // vermilion
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, // reddish purple
	{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, // sky blue
	{R: 0x26, G: 0x26, B: 0x26, A: 0xff}, // near black
}

// reserved names the methods whose hue is fixed, in the order of hues.
var reserved = []string{"M16", "M32"}

// dashes are the line patterns of the first, second and later curves of one hue, in points of line and gap. The first
// is solid: short dashes belong to the paper.
var dashes = [][]vg.Length{nil, {8, 3}, {8, 3, 2, 3}, {2, 3}}

// style is how one curve looks.
type style struct {
	colour color.NRGBA
	width  vg.Length // of the line
	dashes []vg.Length
	marker draw.GlyphDrawer // nil: no marker
}

// line returns the style of the curve's line.
func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.colour, Width: s.width, Dashes: s.dashes}
}

// bar returns the style of the curve's error bars: solid, whatever the line is.
func (s style) bar() draw.LineStyle {
	return draw.LineStyle{Color: s.colour, Width: barWidth}
}

// paper returns the style of the paper's curve beside a curve of this style.
func (s style) paper() style {
	return style{colour: s.colour, width: paperWidth, dashes: paperDashes}
}

// styles gives each named curve of a figure its look. A reserved name has its own hue. Any other name prefers the hue
// of its hash and takes the next free one when an earlier curve has it. Curves that must share a hue differ in marker
// and dashes.
func styles(names []string) []style {
	used := make([]int, len(hues))
	result := make([]style, len(names))
	for i, name := range names {
		hue := hueOf(name, used)
		result[i] = newStyle(hue, used[hue])
		used[hue]++
	}
	return result
}

// hueOf chooses the index of a name's hue, given how many curves have each hue already.
func hueOf(name string, used []int) int {
	for hue, method := range reserved {
		if mentions(name, method) {
			return hue
		}
	}
	free := len(hues) - len(reserved)
	preferred := int(hash(name) % uint32(free))
	best := len(reserved) + preferred
	for step := range free {
		candidate := len(reserved) + (preferred+step)%free
		if used[candidate] < used[best] {
			best = candidate
		}
	}
	return best
}

// newStyle returns the look of the curve that is the given number of repeats later than the first of its hue.
func newStyle(hue, repeat int) style {
	return style{
		colour: hues[hue],
		width:  curveWidth,
		dashes: dashes[repeat%len(dashes)],
		marker: markers[(hue+3*repeat)%len(markers)],
	}
}

// mentions reports whether name holds method and no digit follows, so that "M16, K = 4" is an M16 and "M160" is not.
func mentions(name, method string) bool {
	_, rest, found := strings.Cut(name, method)
	return found && (rest == "" || rest[0] < '0' || rest[0] > '9')
}

// hash spreads names over hues, the same on every machine.
func hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// ramp is a colour scale from 0 to 1: colours at evenly spaced places, mixed in between.
type ramp []color.NRGBA

// The scales of the pictures, which colour-blind readers can read. A sequential one darkens throughout, so that it keeps its
// order in grey; the diverging one is palest in the middle.
var (
	sequential = ramp{
		{R: 0xf3, G: 0xf7, B: 0xfa, A: 0xff},
		{R: 0x9f, G: 0xcd, B: 0xe9, A: 0xff},
		{R: 0x2d, G: 0x8b, B: 0xc4, A: 0xff},
		{R: 0x0b, G: 0x4f, B: 0x86, A: 0xff},
		{R: 0x0a, G: 0x24, B: 0x45, A: 0xff},
	}
	diverging = ramp{
		{R: 0x00, G: 0x52, B: 0x8f, A: 0xff},
		{R: 0x56, G: 0xa5, B: 0xd6, A: 0xff},
		{R: 0xf7, G: 0xf7, B: 0xf7, A: 0xff},
		{R: 0xee, G: 0x94, B: 0x4d, A: 0xff},
		{R: 0xb0, G: 0x46, B: 0x00, A: 0xff},
	}
)

// at returns the colour at a place from 0 to 1.
func (r ramp) at(place float64) color.NRGBA {
	last := len(r) - 1
	place = math.Max(0, math.Min(1, place)) * float64(last)
	left := min(int(place), last-1)
	part := place - float64(left)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-part) + float64(b)*part)) }
	a, b := r[left], r[left+1]
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}

// grey returns how light a colour is without its hue, 0 to 1.
func grey(c color.NRGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}

// inkOn returns the colour of text on a colour: of white and the ink of all other text the one with the stronger contrast, by
// the relative luminance of the web's guidelines for accessible content.
func inkOn(c color.NRGBA) color.Color {
	linear := func(value uint8) float64 { return math.Pow(float64(value)/255, 2.2) }
	if luminance := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B); luminance < 0.2 {
		return color.White
	}
	return ink
}
