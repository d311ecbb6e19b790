package viz

import (
	"hash/fnv"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hues are the colours of curves. Each has a contrast of at least 3:1 with white.
var hues = []color.NRGBA{
	{R: 0x00, G: 0x67, B: 0xa8, A: 0xff}, // blue
	{R: 0xd2, G: 0x7a, B: 0x00, A: 0xff}, // orange
	{R: 0x00, G: 0x84, B: 0x5f, A: 0xff}, // green
	{R: 0xc1, G: 0x27, B: 0x2d, A: 0xff}, // red
	{R: 0x7b, G: 0x3f, B: 0xa0, A: 0xff}, // purple
	{R: 0xcc, G: 0x5c, B: 0x97, A: 0xff}, // pink
	{R: 0x8c, G: 0x56, B: 0x4b, A: 0xff}, // brown
	{R: 0x7f, G: 0x7f, B: 0x00, A: 0xff}, // olive
	{R: 0x6b, G: 0x6b, B: 0x6b, A: 0xff}, // grey
	{R: 0x26, G: 0x26, B: 0x26, A: 0xff}, // near black
}

// control is in the names of curves whose noise isn't learnt. They are grey, whatever method they
// belong to.
const (
	control    = "fixed σ"
	controlHue = 8
)

// named are the methods with a hue of their own, the longer of two names that hold one another
// first. A method's marker belongs to its hue.
var named = []struct {
	method string
	hue    int
}{
	{"node-BNN", 0}, {"M32", 0}, {"M16", 1}, {"SWAG", 2}, {"cSG-HMC", 3}, {"ASAM", 4}, {"SAM", 5}, {"MC dropout", 6}, {"DAMP", 7},
	{"deterministic", controlHue}, {"MAP", controlHue}, {"SGD", controlHue}, {"deep ensemble", 9},
}

// dashes are the line patterns of the first, second and later curves of one hue, in points of line
// and gap. The first is solid: short dashes belong to the paper.
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

// paper returns the style of the paper's curve next to a curve of this style.
func (s style) paper() style {
	return style{colour: s.colour, width: paperWidth, dashes: paperDashes}
}

// styles gives each curve of a figure its look. Names that differ in one number alone, such as "γ =
// 1" and "γ = 4", take the ramp of ordered quantities. A named method has its own hue, in every
// figure. Any other name prefers the hue of its hash and takes the next one that no curve of the
// figure has. Curves that must share a hue differ in marker and dashes.
func styles(names []string) []style {
	if places := ordered(names); places != nil {
		return orderedStyles(places)
	}
	used := make([]int, len(hues))
	chosen := make([]int, len(names))
	for i, name := range names {
		if chosen[i] = namedHue(name); chosen[i] >= 0 {
			used[chosen[i]]++
		}
	}
	for i, name := range names {
		if chosen[i] < 0 {
			chosen[i] = freeHue(name, used)
			used[chosen[i]]++
		}
	}
	repeats := make([]int, len(hues))
	result := make([]style, len(names))
	for i, hue := range chosen {
		result[i] = newStyle(hue, repeats[hue])
		repeats[hue]++
	}
	return result
}

// namedHue returns the hue of the method that a name mentions first, or -1: "M16 on M32's points"
// is about M16. Controls are grey.
func namedHue(name string) int {
	if mentioned(name, control) >= 0 {
		return controlHue
	}
	hue, first := -1, len(name)
	for _, n := range named {
		if at := mentioned(name, n.method); at >= 0 && at < first {
			hue, first = n.hue, at
		}
	}
	return hue
}

// freeHue chooses the hue of a name without one of its own, given how many curves have each hue
// already.
func freeHue(name string, used []int) int {
	preferred := int(hash(name) % uint32(len(hues)))
	best := preferred
	for step := range hues {
		if candidate := (preferred + step) % len(hues); used[candidate] < used[best] {
			best = candidate
		}
	}
	return best
}

// quantityName matches a name that says a quantity and its value, such as "gamma 4", "K = 2" or
// "std 0.16", and what follows a comma, such as ", out".
var quantityName = regexp.MustCompile(`^(gamma|γ|gamma / K|γ / K|K|components|lambda|λ|sigma|σ|std)[ =]*([0-9.]+)(, .*)?$`)

// ordered returns the place of each name on a ramp, 0 to 1 by the rank of its number, or nil if the
// names don't give different values of one quantity with the same words behind it. A single one is
// at the end.
func ordered(names []string) []float64 {
	values := make([]float64, len(names))
	for i, name := range names {
		match := quantityName.FindStringSubmatch(name)
		if match == nil || namedHue(name) >= 0 {
			return nil
		}
		if first := quantityName.FindStringSubmatch(names[0]); match[1] != first[1] || match[3] != first[3] {
			return nil
		}
		values[i], _ = strconv.ParseFloat(match[2], 64)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	if len(sorted) < len(names) {
		return nil
	}
	if len(names) == 1 {
		return []float64{1}
	}
	places := make([]float64, len(names))
	for i, value := range values {
		places[i] = float64(slices.Index(sorted, value)) / float64(len(sorted)-1)
	}
	return places
}

// orderedStyles returns the looks of curves at places of the ramp, each with another marker.
func orderedStyles(places []float64) []style {
	result := make([]style, len(places))
	for i, place := range places {
		rank := int(math.Round(place * float64(len(places)-1)))
		result[i] = style{colour: rising.at(place), width: curveWidth, marker: markers[rank%len(markers)]}
	}
	return result
}

// newStyle returns the look of the curve that is the given number of repeats later than the first
// of its hue.
func newStyle(hue, repeat int) style {
	return style{
		colour: hues[hue],
		width:  curveWidth,
		dashes: dashes[repeat%len(dashes)],
		marker: markers[(hue+3*repeat)%len(markers)],
	}
}

// mentioned returns the place of method as a word in name, or -1, so that "M16, K = 4" is an M16,
// and "M160" and "XM16" are not.
func mentioned(name, method string) int {
	before, rest, found := strings.Cut(name, method)
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(rest)
	if !found || isWord(last) || isWord(first) {
		return -1
	}
	return len(before)
}

func isWord(letter rune) bool { return unicode.IsLetter(letter) || unicode.IsDigit(letter) }

// hash spreads names over hues, the same on every machine.
func hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// ramp is a colour scale from 0 to 1: colours at evenly spaced places, mixed in between.
type ramp []color.NRGBA

// The scales of the pictures, which colour-blind readers can read. A sequential one darkens
// throughout, so that it keeps its order in grey; the diverging one is palest in the middle.
var (
	sequential = ramp{
		{R: 0xf3, G: 0xf7, B: 0xfa, A: 0xff},
		{R: 0x9f, G: 0xcd, B: 0xe9, A: 0xff},
		{R: 0x2d, G: 0x8b, B: 0xc4, A: 0xff},
		{R: 0x0b, G: 0x4f, B: 0x86, A: 0xff},
		{R: 0x0a, G: 0x24, B: 0x45, A: 0xff},
	}
	// rising is for lines on white: its palest colour has a contrast of 3:1.
	rising = ramp{
		{R: 0x2e, G: 0x9c, B: 0x8f, A: 0xff},
		{R: 0x1f, G: 0x78, B: 0xa8, A: 0xff},
		{R: 0x23, G: 0x50, B: 0x8f, A: 0xff},
		{R: 0x1b, G: 0x1e, B: 0x4b, A: 0xff},
	}
	// severe is for points of the severities 1 to 5, each of another hue.
	severe = ramp{
		{R: 0xc9, G: 0x85, B: 0x00, A: 0xff},
		{R: 0xd6, G: 0x45, B: 0x0f, A: 0xff},
		{R: 0xb5, G: 0x17, B: 0x7e, A: 0xff},
		{R: 0x5f, G: 0x1f, B: 0xa0, A: 0xff},
		{R: 0x0c, G: 0x06, B: 0x20, A: 0xff},
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

// inkOn returns the colour of text on a colour: of white and the ink of all other text the one with
// the stronger contrast, by the relative luminance of the web's guidelines for accessible content.
func inkOn(c color.NRGBA) color.Color {
	linear := func(value uint8) float64 { return math.Pow(float64(value)/255, 2.2) }
	if luminance := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B); luminance < 0.2 {
		return color.White
	}
	return ink
}
