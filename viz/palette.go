package viz

import (
	"hash/fnv"
	"image/color"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/quantity"
)

// hues are the colours of curves. Each has a contrast of at least 3:1 with white, and any two are
// 16 or more apart in CIE Lab, also for readers with protanopia, deuteranopia or tritanopia. Where
// they are closer than 20 (red or grey and brown, pink or purple and blue, green and grey or pink,
// olive and orange or red) markers distinguish them.
var hues = newRamp(
	0x0067a8, // blue
	0xd27a00, // orange
	0x11a274, // green
	0x7f000a, // dark red
	0xb46edc, // purple
	0xf857a9, // pink
	0x814236, // brown
	0x786100, // olive
	0x6b6b6b, // grey
	0x282829, // near black
)

// control is in the names of curves whose noise isn't learnt. They are grey for every method.
const (
	control    = "fixed σ"
	controlHue = 8
)

// named are the methods with a fixed hue. A method's marker belongs to its hue.
var named = map[string]int{
	"node-BNN": 0, "M32": 0, "M16": 1, "SWAG": 2, "cSG-HMC": 3, "ASAM": 4, "SAM": 5,
	"MC dropout": 6, "DAMP": 7,
	"deterministic": controlHue, "MAP": controlHue, "SGD": controlHue, "deep ensemble": 9,
}

// method matches a name that mentions a named method as a word.
var method = regexp.MustCompile(`(?:^|[^\pL\pN])(` + strings.Join(slices.Sorted(maps.Keys(named)),
	"|") + `)(?:$|[^\pL\pN])`)

// dashes are the line patterns of the first, second and later curves of one hue, in points of line
// and gap. The first is solid: short dashes belong to the paper.
var dashes = [][]vg.Length{nil, {8, 3}, {8, 3, 2, 3}, {2, 3}}

type style struct {
	colour color.NRGBA
	width  vg.Length // of the line
	dashes []vg.Length
	marker draw.GlyphDrawer // nil: no marker
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.colour, Width: s.width, Dashes: s.dashes}
}

// bar returns the style of the curve's error bars, always solid.
func (s style) bar() draw.LineStyle {
	return pen(s.colour, barWidth)
}

// paper returns the style of the paper's curve next to a curve of this style.
func (s style) paper() style {
	return style{colour: s.colour, width: paperWidth, dashes: paperDashes}
}

// styles gives each curve of a figure its look. Names that give numbers of one quantity ("K = 1"
// and "K = 4") take the ramp of ordered quantities, also with a grey one (MAP), and names of a γ
// whatever the others are. A named method has its own hue, in every figure, and so has each side of
// the layers that is noisy. Any other name prefers the hue of its hash and takes the next one that
// no curve of the figure has. Curves that must share a hue differ in marker and dashes. The
// mark of what hardly learnt doesn't change a look.
func styles(names []string) []style {
	names = quantity.Texts(names, func(name string) string {
		unmarked, _, _ := strings.Cut(name, " †")
		return unmarked
	})
	repeats := make([]int, len(hues))
	result := make([]style, len(names))
	for i, hue := range chosenHues(names) {
		result[i] = newStyle(hue, repeats[hue])
		repeats[hue]++
	}
	isGraded := func(name string) bool { return namedHue(name) != controlHue }
	if slices.ContainsFunc(names, isGamma) {
		isGraded = isGamma
	}
	graded := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !isGraded(name)
	})
	if places := ordered(graded); places != nil {
		ramp := orderedStyles(graded, places)
		for i, name := range names {
			if isGraded(name) {
				result[i], ramp = ramp[0], ramp[1:]
			}
		}
	}
	return result
}

// chosenHues returns the hue of each name: first those of the methods that names mention.
func chosenHues(names []string) []int {
	used, chosen := make([]int, len(hues)), make([]int, len(names))
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
	return chosen
}

// sideHues are the hues of curves that are named after the side of the layers that is noisy.
var sideHues = map[string]int{"out": 0, "in": 2, "both": 4}

// namedHue returns the hue of the method that a name mentions first, or -1: "M16 on M32's points"
// is about M16, "M16, K = 4" as well, and "M160" and "XM16" are not. Controls are grey.
func namedHue(name string) int {
	if hue, found := sideHues[name]; found {
		return hue
	}
	if strings.Contains(name, control) {
		return controlHue
	}
	if found := method.FindStringSubmatch(name); found != nil {
		return named[found[1]]
	}
	return -1
}

// freeHue chooses the hue of a name without a fixed one, given how many curves have each hue
// already.
func freeHue(name string, used []int) int {
	spread := fnv.New32a() // the same on every machine
	spread.Write([]byte(name))
	preferred := int(spread.Sum32() % uint32(len(hues)))
	best := preferred
	for step := range hues {
		if candidate := (preferred + step) % len(hues); used[candidate] < used[best] {
			best = candidate
		}
	}
	return best
}

// isGamma reports whether a name gives a γ.
func isGamma(name string) bool {
	match := quantityName.FindStringSubmatch(name)
	return match != nil && (match[1] == "γ" || match[1] == "gamma") && namedHue(name) < 0
}

// quantityName matches a quantity with its value ("gamma 4", "K = 2", "noise, γ = 16"), and what
// follows a comma (", out") or a minus sign.
var quantityName = regexp.MustCompile(
	`^(?:noise, |entropy, |q at )?(gamma|γ|gamma / K|γ / K|K|components|lambda|λ|sigma|σ|std)` +
		`[ =]*([0-9.]+)((?:,| [−-]) .*)?$`)

// ordered returns the place of each name on a ramp, 0 to 1, or nil if the names don't give numbers
// of one quantity, or only one number with several endings. Numbers of components and γ have the
// same place in every figure; other quantities are placed by rank, a single one at the end.
func ordered(names []string) []float64 {
	values, quantity := make([]float64, len(names)), ""
	for i, name := range names {
		match := quantityName.FindStringSubmatch(name)
		if match == nil || namedHue(name) >= 0 || i > 0 && match[1] != quantity {
			return nil
		}
		quantity = match[1]
		values[i], _ = strconv.ParseFloat(match[2], 64)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	if places := gammaPlaces(names, values); places != nil {
		return places
	}
	if len(sorted) == 1 && len(names) > 1 {
		return nil
	}
	places := make([]float64, len(names))
	for i, value := range values {
		switch {
		case (quantity == "K" || quantity == "components") && value >= 1 &&
			sorted[len(sorted)-1] <= mostComponents:
			places[i] = math.Log2(value) / math.Log2(mostComponents)
		case len(sorted) == 1:
			places[i] = 1
		default:
			places[i] = float64(slices.Index(sorted, value)) / float64(len(sorted)-1)
		}
	}
	return places
}

// gammaPlaces returns the places of values of γ, or nil if two values would share a place.
func gammaPlaces(names []string, values []float64) (places []float64) {
	seen := map[float64]float64{}
	for i, gamma := range values {
		place := math.Min(1, math.Log2(1+gamma)/math.Log2(1+largestGamma))
		if other, found := seen[place]; !isGamma(names[i]) || found && other != gamma {
			return nil
		}
		seen[place] = gamma
		places = append(places, place)
	}
	return places
}

// largestGamma is the γ at the dark end of the ramp; larger ones are there, too.
const largestGamma = 16

// mostComponents is the number of components at the dark end of the ramp.
const mostComponents = 8

// orderedStyles returns the looks of curves at places of a ramp, each with another marker. If
// curves share a place, each ending (", out") has another ramp and dashes.
func orderedStyles(names []string, places []float64) []style {
	sorted := slices.Compact(slices.Sorted(slices.Values(places)))
	families := make([]string, len(names))
	if len(sorted) < len(places) {
		for i, name := range names {
			families[i] = quantityName.FindStringSubmatch(name)[3]
		}
	}
	var known []string
	if slices.Contains(families, "") {
		known = []string{""} // has the first ramp, wherever it comes
	}
	result, repeats := make([]style, len(names)), len(sorted)
	seen := map[float64]bool{}
	for i, place := range places {
		family, glyph := slices.Index(known, families[i]), slices.Index(sorted, place)
		if family < 0 {
			family, known = len(known), append(known, families[i])
		}
		if seen[place] {
			glyph, repeats = repeats, repeats+1
		}
		seen[place] = true
		result[i] = style{
			colour: rampsOfFamilies[family%len(rampsOfFamilies)].at(place), width: curveWidth,
			dashes: dashes[family%len(dashes)], marker: markers[glyph%len(markers)],
		}
	}
	return result
}

// newStyle returns the look of the curve that is the given number of repeats later than the first
// of its hue.
func newStyle(hue, repeat int) style {
	return style{
		colour: hues[hue], width: curveWidth, dashes: dashes[repeat%len(dashes)],
		marker: markers[(hue+3*repeat)%len(markers)],
	}
}
