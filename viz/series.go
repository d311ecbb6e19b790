package viz

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Series is a quantity of one method at the places of an axis, which are levels, epochs or panels.
type Series struct {
	Name string // in the legend; it decides the colour, unless Colour does
	// [places]: gammas, 0 or more, and coverages, above 0 up to 1, both rising; passes, of which
	// AgainstPasses takes one; nil if the axis counts levels, epochs or panels
	X    []float64
	Mean []float64 // [places], mean over seeds
	// [places], standard deviation over seeds, drawn from five seeds on; nil draws none
	Std   []float64
	Seeds int // number of runs behind Mean and Std; 0 means not known
	// [seeds][places], the values of each seed, drawn of fewer than five; nil draws none
	Each [][]float64

	// the test, for the caption, for example "first8, 16 samples, 1000 images"; "" leaves it out
	Test   string
	Colour string // as "#0067a8"; "" means the colour of the name

	// of the data; a dotted line shows what guessing among them gives if the axis holds it. 0
	// draws none
	Classes int

	// Of LevelCurves, where level 0 is the clean test set, and of GammaCurves.
	Paper []float64 // [places], the paper's own curve; nil draws none
	// of Paper in the legend, for example "paper, 19 corruptions"; "" means "paper"
	PaperName string

	// Of GammaCurves; all curves have the same axis.
	// K of the posterior, for an axis of gamma / K as in the paper's Figure 6; 0 draws gamma
	Components int
	// another number than gamma whose values X holds, for example "components"; "" means gamma
	Axis string

	// Of EpochCurves and EntropyCurves.
	// epoch of the first value; 0 is the state before training, which a training loss doesn't have
	First int
	Prior float64 // entropy of the prior, drawn as a dotted line; 0 draws none
	// number D of latent variables, all curves' the same, for the axis on the right; 0 draws none
	Latents int
}

// Names of a Series by what draws it.
type (
	LevelCurve = Series // a metric at the corruption levels, for LevelCurves
	DotRow     = Series // a metric on several sets of images, for Dots
)

// barSeeds is the number of seeds from which on a standard deviation is drawn; fewer seeds are
// drawn one by one.
const barSeeds = 5

// checked returns curves as they are drawn, and an error that names the first thing that can't be
// drawn. The standard deviation over one seed is meaningless and left out.
func checked(all []Series) ([]Series, error) {
	if len(all) == 0 {
		return nil, errors.New("viz: a chart of 0 curves: give at least one")
	}
	all, seen := slices.Clone(all), map[string]bool{}
	for i, s := range all {
		if s.Seeds == 1 {
			s.Std = nil
		}
		if err := s.check(); err != nil {
			return nil, err
		}
		if seen[s.Name] {
			return nil, fmt.Errorf("viz: two curves are called %q: give each its own name", s.Name)
		}
		seen[s.Name] = true
		all[i] = s
	}
	return all, nil
}

// check returns an error that names the first value that can't be drawn.
func (s Series) check() error {
	owner := s.owner()
	switch {
	case s.Name == "":
		return errors.New("viz: a curve has no name: name it after its method")
	case len(s.Mean) == 0:
		return fmt.Errorf("viz: %s has no values: give one for each place on the axis", owner)
	case s.Seeds < 0:
		return fmt.Errorf("viz: %s has %d seeds: give the number of runs behind it, or 0", owner,
			s.Seeds)
	case s.Std != nil && s.Seeds == 0:
		return fmt.Errorf("viz: %s has standard deviations over 0 seeds: give their number in "+
			"Seeds", owner)
	}
	if s.Colour != "" {
		if _, err := parseColour(s.Colour); err != nil {
			return fmt.Errorf("%w (%s)", err, owner)
		}
	}
	means := len(s.Mean)
	problem := cmp.Or(
		optional(owner, "means", means, "standard deviations", s.Std),
		optional(owner, "seeds", s.Seeds, "lists of their values", s.Each),
		optional(owner, "means", means, "values of the paper's", s.Paper),
		within(owner, "mean", s.Mean, numbers), within(owner, "standard deviation", s.Std,
			zeroOrUp), within(owner, "paper's value", s.Paper, numbers),
	)
	for _, values := range s.Each {
		problem = cmp.Or(problem, paired(owner, "means", means, "values of a seed", len(values)),
			within(owner, "value", values, numbers))
	}
	return problem
}

func (s Series) owner() string { return fmt.Sprintf("curve %q", s.Name) }

// drawnStd returns the standard deviations if there are seeds enough to draw them, or nil.
func (s Series) drawnStd() []float64 {
	if s.Seeds < barSeeds {
		return nil
	}
	return s.Std
}

// drawnSeeds returns the values of each seed if they are to be drawn one by one, or nil.
func (s Series) drawnSeeds() [][]float64 {
	if s.Seeds < 2 || s.Seeds >= barSeeds {
		return nil
	}
	return s.Each
}

// curve returns the curve through places of an axis, with copies of its values in the unit of a
// quantity.
func (s Series) curve(quantity score.Metric, x []float64, look style) curve {
	c := curve{x: x, y: shown(quantity, s.Mean), deviation: shown(quantity, s.drawnStd()),
		style: look, marks: len(s.Mean)}
	for _, values := range s.drawnSeeds() {
		c.each = append(c.each, shown(quantity, values))
	}
	return c
}

// stylesOf gives each curve of a figure its look, in its own colour if it has one.
func stylesOf(all []Series) []style {
	looks := styles(quantity.Texts(all, func(s Series) string { return s.Name }))
	for i, s := range all {
		if s.Colour != "" {
			looks[i].colour, _ = parseColour(s.Colour) // checked has read it
		}
	}
	return looks
}

// Colours returns the colours that curves have in a chart of all, as "#0067a8".
func Colours(all []Series) []string {
	return quantity.Texts(stylesOf(all), func(look style) string {
		c := color.NRGBAModel.Convert(look.colour).(color.NRGBA)
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	})
}

// measured describes the test, if known, and the marks ("error bars") with their number of seeds,
// or how fewer seeds are drawn: briefly after a test, "first8; ±1 sd, 5 seeds", and in full
// without, "error bars: one standard deviation over 5 seeds".
func measured(test, mark string, all []Series) string {
	seeds, fewest, most, single := seedRange(all)
	alone, after := "", ""
	switch {
	case most == 0 && single:
		alone, after = "one seed", "1 seed"
	case most == 0:
	case most < barSeeds && slices.ContainsFunc(all, func(s Series) bool {
		return s.drawnSeeds() != nil
	}):
		alone, after = "thin lines: "+seeds, "thin lines: "+seeds
	case most < barSeeds:
		alone, after = "mean of "+seeds, seeds
	case fewest < barSeeds:
		alone, after = fmt.Sprintf("%s; %s: one standard deviation, from %d seeds on", seeds, mark,
			barSeeds), seeds
	default:
		alone, after = mark+": one standard deviation over "+seeds, "±1 sd, "+seeds
	}
	if test == "" {
		return alone
	}
	return joined(test, after)
}

// joined joins the non-empty parts of a caption.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		return part == ""
	}), "; ")
}

// seedRange describes the number of seeds of the standard deviations, "5 seeds" or "3 to 5 seeds",
// "" if there are none, and returns the least and the largest; single reports whether some curve
// has one seed.
func seedRange(all []Series) (seeds string, fewest, most int, single bool) {
	for _, s := range all {
		single = single || s.Seeds == 1
		if s.Seeds > 1 && (s.Std != nil || s.Each != nil) {
			fewest, most = min(cmp.Or(fewest, s.Seeds), s.Seeds), max(most, s.Seeds)
		}
	}
	switch {
	case most == 0:
	case fewest < most:
		seeds = fmt.Sprintf("%d to %d seeds", fewest, most)
	default:
		seeds = fmt.Sprintf("%d seeds", most)
	}
	return seeds, fewest, most, single
}

// testOf returns each test of methods once, so that a caption doesn't claim the first method's test
// for all.
func testOf(methods []Series) string {
	var tests []string
	for _, s := range methods {
		if s.Test != "" {
			tests = quantity.AddNew(tests, s.Test)
		}
	}
	return strings.Join(tests, " / ")
}
