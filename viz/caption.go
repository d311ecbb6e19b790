package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// seedCaption says what the bars or bands are and over how many seeds, as in "error bars: one standard deviation over 5
// seeds". It is empty when no curve says how many seeds it has.
func seedCaption(mark string, all []series) string {
	seeds, single := seedRange(all)
	switch {
	case seeds == "" && single:
		return "one seed, no " + mark
	case seeds == "":
		return ""
	}
	return mark + ": one standard deviation over " + seeds
}

// seedRange says over how many seeds the standard deviations are, as in "5 seeds" or "3 to 5 seeds", "" where there are none;
// single is whether some curve has one seed.
func seedRange(all []series) (seeds string, single bool) {
	fewest, most := math.MaxInt, 0
	for _, s := range all {
		single = single || s.seeds == 1
		if s.deviation != nil {
			fewest, most = min(fewest, s.seeds), max(most, s.seeds)
		}
	}
	switch {
	case most == 0:
		return "", single
	case fewest < most:
		return fmt.Sprintf("%d to %d seeds", fewest, most), single
	}
	return fmt.Sprintf("%d seeds", most), single
}

// testOf returns what was measured of all methods.
func testOf(methods []series) string {
	tests := make([]string, len(methods))
	for i, s := range methods {
		tests[i] = s.test
	}
	return joinTests(tests...)
}

// joinTests returns each test once, so that a caption doesn't claim the first one's of methods that were tested otherwise.
func joinTests(tests ...string) string {
	var different []string
	for _, test := range tests {
		if test != "" && !slices.Contains(different, test) {
			different = append(different, test)
		}
	}
	return strings.Join(different, " / ")
}

// testCaption says what was measured, if that's known, and what the error bars are.
func testCaption(test string, methods []series) string {
	seeds, single := seedRange(methods)
	switch {
	case test == "":
		return seedCaption("error bars", methods)
	case seeds != "":
		return test + "; ±1 sd, " + seeds
	case single:
		return test + "; 1 seed"
	}
	return test
}

// bandCaption is testCaption for a chart with bands.
func bandCaption(test string, methods []series) string {
	if test == "" {
		return seedCaption("bands", methods)
	}
	return testCaption(test, methods)
}
