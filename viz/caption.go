package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// seedCaption says what the bars or bands are and over how many seeds, as in "error bars: one
// standard deviation over 5 seeds", or how fewer seeds are drawn. It is empty when no curve says
// how many seeds it has.
func seedCaption(mark string, all []Series) string {
	seeds, single := seedRange(all)
	fewest, most := seedEnds(all)
	switch {
	case seeds == "" && single:
		return "one seed"
	case seeds == "":
		return ""
	case most < barSeeds && hasSeedLines(all):
		return "thin lines: " + seeds
	case most < barSeeds:
		return "mean of " + seeds
	case fewest < barSeeds:
		return fmt.Sprintf("%s; %s: one standard deviation, from %d seeds on", seeds, mark, barSeeds)
	}
	return mark + ": one standard deviation over " + seeds
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

// testCaption says what was measured, if that's known, and what the error bars or thin lines are.
func testCaption(test string, methods []Series) string {
	return measured(test, "error bars", methods)
}

// measured joins what was measured and what the marks are, in few words.
func measured(test, mark string, methods []Series) string {
	if test == "" {
		return seedCaption(mark, methods)
	}
	seeds, single := seedRange(methods)
	fewest, most := seedEnds(methods)
	switch {
	case seeds != "" && most < barSeeds && hasSeedLines(methods):
		return test + "; thin lines: " + seeds
	case seeds != "" && fewest < barSeeds:
		return test + "; " + seeds
	case seeds != "":
		return test + "; ±1 sd, " + seeds
	case single:
		return test + "; 1 seed"
	}
	return test
}
