package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// measured says what was measured, if that's known, and what the marks, such as "error bars", are and
// over how many seeds, or how fewer seeds are drawn: in few words after a test, as in "first8; ±1 sd, 5
// seeds", and alone as in "error bars: one standard deviation over 5 seeds".
func measured(test, mark string, all []Series) string {
	seeds, single := seedRange(all)
	fewest, most := seedEnds(all)
	alone, after := "", ""
	switch {
	case most == 0 && single:
		alone, after = "one seed", "1 seed"
	case most == 0:
	case most < barSeeds && hasSeedLines(all):
		alone, after = "thin lines: "+seeds, "thin lines: "+seeds
	case most < barSeeds:
		alone, after = "mean of "+seeds, seeds
	case fewest < barSeeds:
		alone, after = fmt.Sprintf("%s; %s: one standard deviation, from %d seeds on", seeds, mark, barSeeds), seeds
	default:
		alone, after = mark+": one standard deviation over "+seeds, "±1 sd, "+seeds
	}
	if test == "" {
		return alone
	}
	return joined(test, after)
}

// joined joins the parts of a caption that have something to say.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

func hasSeedLines(all []Series) bool {
	return slices.ContainsFunc(all, func(s Series) bool { return s.drawnSeeds() != nil })
}

// seedEnds returns the least and the largest number of seeds of curves with more than one.
func seedEnds(all []Series) (fewest, most int) {
	fewest = math.MaxInt
	for _, s := range all {
		if s.Seeds > 1 && (s.Std != nil || s.Each != nil) {
			fewest, most = min(fewest, s.Seeds), max(most, s.Seeds)
		}
	}
	return fewest, most
}

// seedRange says over how many seeds the standard deviations are, as in "5 seeds" or "3 to 5
// seeds", "" where there are none; single is whether some curve has one seed.
func seedRange(all []Series) (seeds string, single bool) {
	for _, s := range all {
		single = single || s.Seeds == 1
	}
	fewest, most := seedEnds(all)
	switch {
	case most == 0:
		return "", single
	case fewest < most:
		return fmt.Sprintf("%d to %d seeds", fewest, most), single
	}
	return fmt.Sprintf("%d seeds", most), single
}

func testOf(methods []Series) string {
	tests := make([]string, len(methods))
	for i, s := range methods {
		tests[i] = s.Test
	}
	return joinTests(tests...)
}

// joinTests returns each test once, so that a caption doesn't claim the first one's of methods that
// were tested otherwise.
func joinTests(tests ...string) string {
	var different []string
	for _, test := range tests {
		if test != "" && !slices.Contains(different, test) {
			different = append(different, test)
		}
	}
	return strings.Join(different, " / ")
}
